import { IncomingMessage, ServerResponse, type Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { FailureName } from '../model/failure.ts';
import { breakRequest } from './body.ts';
import type { HttpLimits } from './http-limits.ts';

export interface ConnectionsOptions {
  /** Answers a request, also one that is broken. */
  readonly handle: (req: IncomingMessage, res: ServerResponse) => unknown;
  readonly limits: HttpLimits;
  readonly isTls: boolean;
}

/** Holds each request by its response (`res.req`). */
interface Connection {
  readonly socket: Socket;
  /** The one being answered. */
  current?: ServerResponse | undefined;
  /** Those sent ahead of that answer (pipelining). */
  readonly waiting: ServerResponse[];
  /** The newest that the parser has made, complete or not. */
  newest?: ServerResponse | undefined;
  /** The parser's refusal: nothing after it on this connection can be read. */
  broken?: FailureName | undefined;
}

/**
 * The open connections of one server. Answers the requests of each connection one after the other, refuses what Node's
 * parser refuses once those before it are answered, and releases all connections at the end.
 */
export class Connections {
  readonly #open = new Map<Duplex, Connection>();
  readonly #options: ConnectionsOptions;
  #isClosing = false;

  constructor(server: Server, options: ConnectionsOptions) {
    this.#options = options;
    // With TLS, requests come on another socket than the one of the connection.
    server.on(options.isTls ? 'secureConnection' : 'connection', (socket) => this.#add(socket));
    // Without a listener for `checkContinue` Node would send `100 Continue` itself; the reader of the body does.
    for (const event of ['request', 'checkContinue', 'checkExpectation']) {
      server.on(event, (_req, res) => this.#onRequest(res));
    }
    server.on('connect', (_req, socket) => this.#onConnectMethod(socket));
    server.on('timeout', (socket) => this.#onTimeout(socket));
    server.on('clientError', (error, socket) => this.#onClientError(error, socket));
  }

  /**
   * Ends each connection after the answer it is waiting for; one without a request gets a moment for it first. Its client
   * has connected, or kept it open, in order to ask, may be doing so right now, and would see nothing but a reset.
   */
  release(): void {
    this.#isClosing = true;
    for (const connection of this.#open.values()) {
      if (connection.current !== undefined) connection.current.shouldKeepAlive = false;
    }
    const endUnasked = (): void => {
      for (const { current, socket } of this.#open.values()) {
        if (current === undefined) socket.destroy();
      }
    };
    // After the sockets had their turn: this thread may have been stuck all the time.
    setTimeout(() => setImmediate(endUnasked), this.#options.limits.partingMs).unref();
  }

  #add(socket: Socket): void {
    this.#open.set(socket, { socket, waiting: [] });
    socket.once('close', () => this.#open.delete(socket));
  }

  #onRequest(res: ServerResponse): void {
    const { socket } = res.req;
    const connection = this.#open.get(socket);
    if (connection === undefined) return;
    const { current, waiting } = connection;
    connection.newest = res;
    if (current === undefined) this.#start(connection, res);
    else if (waiting.length < this.#options.limits.pipelined) waiting.push(res);
    else socket.destroy();
  }

  #start(connection: Connection, res: ServerResponse): void {
    const { broken } = connection;
    connection.current = res;
    if (this.#isClosing) res.shouldKeepAlive = false;
    res.once('close', () => this.#next(connection));
    // The parser gave up in the middle of this request: its body will never be complete.
    if (broken !== undefined && !res.req.complete) breakRequest(res.req, broken);
    this.#options.handle(res.req, res);
  }

  #next(connection: Connection): void {
    const { socket, waiting, broken } = connection;
    connection.current = undefined;
    if (!socket.writable) return;
    const next = waiting.shift();
    if (this.#isClosing) socket.destroySoon();
    else if (next !== undefined) this.#start(connection, next);
    else if (broken !== undefined) this.#refuseUnread(socket, broken);
  }

  #onClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
    const connection = this.#open.get(socket);
    const failure = parserFailure(error.code);
    if (connection === undefined || failure === undefined || !socket.writable) socket.destroy();
    else if (failure === 'timeout') this.#refuseIfStillLate(connection);
    else this.#refuse(connection, failure);
  }

  /**
   * Looks once more after the sockets had their turn: where this thread or the whole machine was stuck for seconds, what
   * seems late may have been waiting in the kernel all the time.
   */
  #refuseIfStillLate(connection: Connection): void {
    const { newest } = connection;
    const wasReadingBody = newest?.req.complete === false;
    setImmediate(() => {
      const hasArrived = wasReadingBody ? newest.req.complete : connection.newest !== newest;
      if (!hasArrived && connection.socket.writable) this.#refuse(connection, 'timeout');
    });
  }

  /** Ends an idle connection, or one whose reader takes nothing; looks once more for the same reason. */
  #onTimeout(socket: Socket): void {
    const connection = this.#open.get(socket);
    const isStuck = (): boolean => connection?.current === undefined || socket.writableLength > 0;
    // Until the first request, Node's time for its head counts; and a handler may take its time.
    if (connection?.newest === undefined || !isStuck()) return;
    const { newest } = connection;
    setImmediate(() => {
      if (connection.newest === newest && isStuck()) socket.destroy();
    });
  }

  #refuse(connection: Connection, failure: FailureName): void {
    // More bytes of what is refused already.
    if (connection.broken !== undefined) return;
    connection.broken = failure;
    const { current, socket } = connection;
    if (current === undefined) this.#refuseUnread(socket, failure);
    else if (!current.req.complete) breakRequest(current.req, failure);
  }

  /** CONNECT asks for a tunnel; Node has taken its parser off the socket. */
  #onConnectMethod(socket: Duplex): void {
    const connection = this.#open.get(socket);
    socket.on('error', () => socket.destroy());
    if (connection === undefined || connection.current !== undefined) socket.destroy();
    else this.#refuse(connection, 'bad_request');
  }

  /** Answers where there is no request object, because the parser could not make one. */
  #refuseUnread(socket: Socket, failure: FailureName): void {
    const req = new IncomingMessage(socket);
    const res = new ServerResponse(req);
    res.assignSocket(socket);
    res.shouldKeepAlive = false;
    res.once('finish', () => {
      // The client may still be sending; a reset now would take the refusal from it.
      socket.end();
      const timer = setTimeout(() => socket.destroy(), this.#options.limits.lingerMs);
      socket.once('close', () => clearTimeout(timer));
    });
    breakRequest(req, failure);
    this.#options.handle(req, res);
  }
}

const parserFailures: Readonly<Record<string, FailureName>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'timeout',
};

/** Answers an error of Node's HTTP parser; undefined for errors of the connection itself. */
function parserFailure(code = ''): FailureName | undefined {
  return parserFailures[code] ?? (code.startsWith('HPE_') ? 'bad_request' : undefined);
}
