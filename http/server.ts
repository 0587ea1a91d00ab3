import { once } from 'node:events';
import { createServer, type Server, type ServerOptions } from 'node:http';
import type { ListenOptions, Socket } from 'node:net';
import { describeError } from '../model/error-description.ts';
import { WaypointError } from '../model/failure.ts';
import { isLoopbackHost } from '../model/listen-address.ts';
import { createApplication, type ApplicationOptions } from './application.ts';
import { Connections } from './connections.ts';
import { defaultHttpLimits, type HttpLimits } from './http-limits.ts';

export interface HttpServerOptions extends ApplicationOptions {
  readonly limits?: Partial<HttpLimits>;
  /** Makes a server that speaks https, of these options and a certificate; so only those who need it load node:https. */
  readonly tls?: (options: ServerOptions) => Server;
  /** Called with each connection, before any request of it. */
  readonly onConnection?: (socket: Socket) => void;
  /** Allows addresses other than the loopback's. */
  readonly mayLeaveLoopback?: boolean;
}

export type HttpServer = ReturnType<typeof createHttpServer>;

/** Builds a server of a Koa application, with every limit of Node's server set explicitly. */
export function createHttpServer(options: HttpServerOptions) {
  const limits = { ...defaultHttpLimits, ...options.limits };
  const server = createServerWithin(limits, options);
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    options.onConnection?.(socket);
  });
  const connections = new Connections(server, {
    limits,
    isTls: options.tls !== undefined,
    handle: createApplication(options, limits).callback(),
  });
  return {
    /**
     * Starts to accept connections, at a port (0 = any free one) or on a socket inherited from a service manager, and yields
     * the real port.
     * @throws Node's error where the port is taken; WaypointError forbidden off the loopback where that is not allowed.
     */
    async listen(target: ListenOptions | { readonly fd: number }): Promise<{ port: number }> {
      await once(server.listen(target), 'listening');
      const address = server.address();
      if (address !== null && typeof address === 'object') {
        const isLoopback = isLoopbackHost(address.address.replace(/^::ffff:/u, ''));
        if (isLoopback || options.mayLeaveLoopback === true) return { port: address.port };
      }
      server.close();
      throw new WaypointError('forbidden');
    },
    /** Stops accepting, gives requests in flight `graceMs` to be answered, then ends what is left. */
    async close(graceMs: number): Promise<void> {
      if (!server.listening) return;
      const closed = new Promise((resolve) => server.close(resolve));
      connections.release();
      // Also those that Node does not count, because their TLS handshake never ended.
      const timer = setTimeout(() => sockets.forEach((socket) => socket.destroy()), graceMs);
      await closed;
      clearTimeout(timer);
    },
  };
}

function createServerWithin(limits: HttpLimits, { tls, log }: HttpServerOptions): Server {
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
  const server = tls?.(serverOptions) ?? createServer(serverOptions);
  server.maxConnections = limits.connections;
  // How long a reader may take nothing; see Connections.
  server.timeout = limits.drainTimeoutMs;
  // Headers are bounded by their 16 KiB. A limit on their number would drop the last ones without a word.
  server.maxHeadersCount = 0;
  // Node would end connections here whose last answer is still being sent; Connections knows which are idle.
  server.closeIdleConnections = () => {};
  server.on('error', (error) => {
    // Before, the promise of listen rejects.
    if (server.listening) log.error('http.server', describeError(error));
  });
  // Node closes connections beyond the limit silently: one warning each time that it is reached.
  const warn = (): void => {
    log.warn('http.connections_full');
    server.once('connection', () => server.once('drop', warn));
  };
  server.once('drop', warn);
  return server;
}
