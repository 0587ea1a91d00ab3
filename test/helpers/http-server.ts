import { EventEmitter, once } from 'node:events';
import type { ExecutionContext } from 'ava';
import type { Guard } from '../../http/context.ts';
import type { HttpLimits } from '../../http/http-limits.ts';
import type { Answer, Route } from '../../http/route.ts';
import { createHttpServer, type HttpServerOptions } from '../../http/server.ts';
import type { Log } from '../../model/process.ts';
import { RawConnection } from './raw-http.ts';

export interface TestServerOptions {
  readonly routes?: readonly Route[];
  readonly guards?: readonly Guard[];
  readonly limits?: Partial<HttpLimits>;
  readonly onConnection?: NonNullable<HttpServerOptions['onConnection']>;
}

/** On a busy machine a test may leave its connections alone for longer than the real limits allow. */
const unhurried: Partial<HttpLimits> = {
  headersTimeoutMs: 60_000,
  requestTimeoutMs: 60_000,
  keepAliveTimeoutMs: 60_000,
  drainTimeoutMs: 60_000,
};

/** Starts the shared HTTP server on a free port; it is closed with the test. */
export async function startHttpServer(
  t: ExecutionContext,
  { limits = {}, ...options }: TestServerOptions,
) {
  const logged: string[] = [];
  const lines = new EventEmitter();
  const server = createHttpServer({
    routes: [],
    guards: [],
    ...options,
    prefix: '/api/',
    notFound: 'no_pages',
    log: recordingLog(logged, lines),
    limits: { ...unhurried, ...limits },
  });
  const { port } = await server.listen({ port: 0, host: '127.0.0.1' });
  t.teardown(() => server.close(0));
  /** A connection that ends with the test. */
  const open = async (...parts: (string | Uint8Array)[]) => {
    const connection = await RawConnection.open(port, ...parts);
    t.teardown(() => connection.socket.destroy());
    return connection;
  };
  return {
    server,
    port,
    /** Level, event and details as JSON, one entry a line. */
    logged,
    /** Resolves when a line that holds the text has been or is logged. */
    hasLogged: async (wanted: string) => {
      while (!logged.some((line) => line.includes(wanted))) await once(lines, 'line');
    },
    open,
    /** Sends texts on a connection of their own and reads the first answer. */
    ask: async (...parts: (string | Uint8Array)[]) => {
      const connection = await open(...parts);
      const answer = await connection.answer();
      connection.socket.destroy();
      if (answer === undefined) throw new Error('The connection ended without an answer.');
      return answer;
    },
  };
}

/** A promise with its handles outside. */
export function gate<T = void>(): PromiseWithResolvers<T> {
  return Promise.withResolvers<T>();
}

/** A `GET` route without input. */
export function getRoute(path: string, handle: Route['handle']): Route {
  return { method: 'GET', path, summary: 'A test.', answers: { 200: null }, handle };
}

export function json(value: unknown): Answer {
  return { status: 200, json: value };
}

function recordingLog(lines: string[], emitter: EventEmitter): Log {
  const level =
    (name: string) =>
    (event: string, details = {}): void => {
      lines.push(`${name} ${event} ${JSON.stringify(details)}`);
      emitter.emit('line');
    };
  return {
    debug: level('debug'),
    info: level('info'),
    warn: level('warn'),
    error: level('error'),
  };
}
