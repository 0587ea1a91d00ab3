import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { startDaemon, type Daemon, type DaemonOptions } from '../../daemon/daemon.ts';
import { computePaths, type Paths } from '../../daemon/paths.ts';
import type { Clock, Log } from '../../model/process.ts';
import { settingDefaults, type Settings } from '../../model/settings.ts';
import { validateAnswer } from './openapi.ts';

/** One answer, read whole; JSON bodies are parsed and checked against the OpenAPI document. */
export interface TestAnswer<Body = unknown> {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Body;
}

export interface TestDaemon {
  readonly url: string;
  readonly token: string;
  readonly paths: Paths;
  /** The temporary directory that holds everything of this daemon. */
  readonly root: string;
  /** What was logged, one entry a line. */
  readonly logged: string[];
  /**
   * Calls the API with the token; `body` is sent as JSON. Answers are `any`: they have been checked against their schema
   * by then, and a test reads what it expects.
   */
  call<Body = any>(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<TestAnswer<Body>>;
  get<Body = any>(path: string, headers?: Record<string, string>): Promise<TestAnswer<Body>>;
  close(): Promise<void>;
  /** Stops it in order and starts another one on the same directories. */
  restart(): Promise<TestDaemon>;
}

export interface TestDaemonOptions {
  readonly root?: string;
  readonly clock?: Clock;
  readonly settings?: Partial<Settings>;
  readonly options?: Partial<DaemonOptions>;
}

/** Makes a temporary directory that goes with the test. */
export function temporaryDirectory(t: ExecutionContext<unknown>): string {
  const directory = mkdtempSync(join(tmpdir(), 'waypointd-test-'));
  t.teardown(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** Settings whose every directory lies below one root. */
function testSettings(root: string, changes: Partial<Settings> = {}): Settings {
  return {
    ...settingDefaults,
    port: 0,
    data_dir: join(root, 'data'),
    cache_dir: join(root, 'cache'),
    runtime_dir: join(root, 'run'),
    // A test must not ask this machine's own receiver or desktop.
    location_provider: 'off',
    // Tests of local waypoints find no towns between them, whether or not geodata has been built.
    geocoder: 'off',
    ...changes,
  } as Settings;
}

/** Starts a whole daemon on directories of its own and port 0; it is closed with the test. */
export async function startTestDaemon(
  t: ExecutionContext<unknown>,
  { root = temporaryDirectory(t), clock, settings = {}, options = {} }: TestDaemonOptions = {},
): Promise<TestDaemon> {
  const logged: string[] = [];
  const whole = testSettings(root, settings);
  const paths = computePaths(whole, { configFile: join(root, 'config.json'), env: {} });
  const daemon: Daemon = await startDaemon({
    settings: whole,
    paths,
    log: recordingLog(logged),
    handOver: false,
    ...(clock === undefined ? {} : { clock }),
    ...options,
  });
  const close = (): Promise<void> => daemon.close();
  t.teardown(close);
  const call = apiCaller(daemon.url, daemon.token);
  return {
    url: daemon.url,
    token: daemon.token,
    paths,
    root,
    logged,
    call,
    get: (path, headers) => call('GET', path, undefined, headers),
    close,
    async restart() {
      await close();
      return startTestDaemon(t, {
        root,
        settings,
        options,
        ...(clock === undefined ? {} : { clock }),
      });
    },
  };
}

/** Calls an API and checks every answer against the daemon's own OpenAPI document. */
function apiCaller(url: string, token: string): TestDaemon['call'] {
  let document: Promise<unknown> | undefined;
  return async (method, path, body, headers = {}) => {
    const authorization = { authorization: `Bearer ${token}` };
    document ??= fetch(`${url}/api/openapi.json`, { headers: authorization }).then((answer) =>
      answer.json(),
    );
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...authorization,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const answer = text === '' ? undefined : JSON.parse(text);
    validateAnswer(await document, method, path, response.status, answer);
    return { status: response.status, headers: response.headers, text, body: answer };
  };
}

function recordingLog(lines: string[]): Log {
  const line = (event: string, details = {}): void => {
    lines.push(`${event} ${JSON.stringify(details)}`);
  };
  return { debug: line, info: line, warn: line, error: line };
}
