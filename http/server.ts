import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http';
import { WaypointError, type FailureName } from '../model/failure.ts';
import { createApplication, type ApplicationOptions } from './application.ts';
import { Connections } from './connections.ts';
import { describeError } from '../model/error-description.ts';
import { Exchange } from './exchange.ts';
import { answerFailure, bearerFailures } from './failures.ts';
import { defaultHttpLimits, type HttpLimits } from './http-limits.ts';
import { http } from './node-http.ts';

export interface HttpServerOptions extends ApplicationOptions {
  readonly limits?: Partial<HttpLimits>;
  /** Makes a server that speaks https, of these options and a certificate; so only those who need it load node:https. */
  readonly tls?: (options: ServerOptions) => Server;
  /** Allows addresses other than the loopback's. */
  readonly mayLeaveLoopback?: boolean;
}

/** Where to listen: a port (0 = any free one), or a socket inherited from a service manager. */
export type ListenTarget =
  | { readonly port: number; readonly host: string }
  | { readonly fd: number };

export interface HttpServer {
  /**
   * Starts to accept connections and yields the real port.
   * @throws Node's error where the port is taken; WaypointError forbidden off the loopback where that is not allowed.
   */
  readonly listen: (target: ListenTarget) => Promise<{ port: number }>;
  /** Stops accepting, gives requests in flight `graceMs` to be answered, then ends what is left. */
  readonly close: (graceMs: number) => Promise<void>;
}

/** Builds an HTTP server from its routes, with every limit of Node's server set explicitly. */
export function createHttpServer(options: HttpServerOptions): HttpServer {
  const limits = { ...defaultHttpLimits, ...options.limits };
  const { log } = options;
  const serverOptions = {
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    connectionsCheckingInterval: limits.connectionSweepMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    insecureHTTPParser: false,
    // A missing Host is the guard's to refuse, as `misdirected`.
    requireHostHeader: false,
    optimizeEmptyRequests: true,
  };
  const server =
    options.tls === undefined ? http.createServer(serverOptions) : options.tls(serverOptions);
  server.maxConnections = limits.connections;
  // Headers are bounded by their 16 KiB. A limit on their number would drop the last ones without a word.
  server.maxHeadersCount = 0;
  // Node would end connections here whose last answer is still being sent; Connections knows which are idle.
  server.closeIdleConnections = () => {};
  server.on('error', (error) => {
    // Of a port that cannot be had, whoever called listen is told.
    if (server.listening) log.error('http.server', describeError(error));
  });
  const connections = new Connections(server, {
    limits,
    isTls: options.tls !== undefined,
    handle: createApplication(options, limits),
    refuse: (req, res, failure) => void refuse(req, res, failure),
    onBroken: (error) => log.debug('http.socket', describeError(error)),
  });

  async function refuse(
    req: IncomingMessage,
    res: ServerResponse,
    failure: FailureName,
  ): Promise<void> {
    const style = options.failureStyle ?? bearerFailures;
    await answerFailure(new Exchange(req, res), new WaypointError(failure), { limits, log, style });
  }

  logFullness(server, options);
  return {
    listen: (target) => listen(server, target, options.mayLeaveLoopback === true),
    close: (graceMs) => close(server, connections, graceMs),
  };
}

/** Warns once each time the connection limit is reached: Node closes further connections silently. */
function logFullness(server: Server, { log }: HttpServerOptions): void {
  let isFull = false;
  server.on('connection', () => {
    isFull = false;
  });
  server.on('drop', () => {
    if (!isFull) log.warn('http.connections_full');
    isFull = true;
  });
}

async function listen(
  server: Server,
  target: ListenTarget,
  mayLeaveLoopback: boolean,
): Promise<{ port: number }> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(target, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const address = server.address();
  if (address === null || typeof address === 'string') {
    server.close();
    throw new WaypointError('forbidden');
  }
  if (!mayLeaveLoopback && !isLoopback(address.address)) {
    server.close();
    throw new WaypointError('forbidden');
  }
  return { port: address.port };
}

function isLoopback(address: string): boolean {
  return address === '::1' || /^(::ffff:)?127\.\d+\.\d+\.\d+$/.test(address);
}

async function close(server: Server, connections: Connections, graceMs: number): Promise<void> {
  if (!server.listening) return;
  const closed = new Promise((resolve) => server.once('close', resolve));
  server.close();
  connections.letGo();
  const timer = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearTimeout(timer);
}
