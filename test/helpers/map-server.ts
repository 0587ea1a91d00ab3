import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { request as sendRequest, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import type { ExecutionContext } from 'ava';
import { accessTo } from '../../client/waypoints/node/transport.ts';
import { sessionHeader } from '../../map/session-header.ts';
import { startMapServer } from '../../map/server/server.ts';
import type { TestDaemon } from './daemon.ts';
import { silentLog } from './logs.ts';
import { manualTime } from './manual-time.ts';
import { temporaryDirectory } from './temporary-directory.ts';

export interface MapQuestion {
  readonly method?: string;
  /** Beside those of a page of the map; an empty one is left out. */
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string | Uint8Array;
}

export interface MapAnswer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  readonly bytes: Buffer;
}

type MapOptions = Partial<Parameters<typeof startMapServer>[0]>;

/** How to find a daemon of the tests. */
export function accessOf({ url, token }: Pick<TestDaemon, 'url' | 'token'>) {
  return accessTo({ port: Number(new URL(url).port), token, proof: 1 });
}

/** Starts the map's server with a small page; it is closed with the test. */
export async function startTestMap(t: ExecutionContext<unknown>, options: MapOptions = {}) {
  const time = manualTime();
  const pageDirectory = join(temporaryDirectory(t), 'page');
  mkdirSync(join(pageDirectory, 'basemap'), { recursive: true });
  for (const [name, text] of Object.entries(smallPage)) {
    writeFileSync(join(pageDirectory, `${name}.gz`), gzipSync(text));
  }
  writeFileSync(join(pageDirectory, 'not-packed.js'), 'x');
  const { port, newAddress, isUnused, close } = await startMapServer({
    port: 0,
    pageDirectory,
    findDaemon: () => Promise.resolve(undefined),
    clock: time.clock,
    log: silentLog,
    ...options,
  });
  t.teardown(() => close(0));
  /** Asks as a page without a session would, for a path as it is written. */
  const ask = (path: string, question?: MapQuestion) => askMap(port, path, question);
  /** A new one-time code. */
  const code = (): string => newAddress().split('#')[1] ?? '';
  /** Trades a code. */
  const open = (body: string, { headers, ...more }: MapQuestion = {}) =>
    ask('/session', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ code: body }),
      ...more,
    });
  /** The secret of a new session. */
  const secret = async (): Promise<string> => JSON.parse((await open(code())).body).secret;
  return { port, newAddress, isUnused, close, time, code, open, secret, ask };
}

export const smallPage: Readonly<Record<string, string>> = {
  'index.html': '<!doctype html><title>map</title>',
  'main.js': 'export {};',
  'basemap/land.json': '{}',
};

/** The header of a session. */
export function withSecret(secret: string): Record<string, string> {
  return { [sessionHeader]: secret };
}

async function askMap(
  port: number,
  path: string,
  { method = 'GET', headers = {}, body }: MapQuestion = {},
): Promise<MapAnswer> {
  const own = { host: `127.0.0.1:${port}`, 'sec-fetch-site': 'same-origin', ...headers };
  const sent = sendRequest({
    host: '127.0.0.1',
    port,
    method,
    path,
    agent: false,
    headers: Object.fromEntries(Object.entries(own).filter(([, value]) => value !== '')),
    setHost: false,
  });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const bytes = await buffer(response);
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    body: bytes.toString(),
    bytes,
  };
}
