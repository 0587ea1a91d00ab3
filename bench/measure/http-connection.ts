import { connect, type Socket } from 'node:net';

/** One answer; times in ms from the moment the request was written. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly bodyBytes: number;
  /** Empty unless it was asked for. */
  readonly body: string;
  /** When the first byte of the body came, or of the answer if there is no body. */
  readonly firstByteMs: number;
  readonly totalMs: number;
}

interface Pending {
  readonly started: number;
  readonly keepBody: boolean;
  readonly resolve: (answer: HttpAnswer) => void;
  readonly reject: (error: Error) => void;
  head: Head | undefined;
  firstByteMs: number;
  bodyBytes: number;
  parts: Buffer[];
  /** The last bytes seen, for the end of a chunked body. */
  tail: Buffer;
}

interface Head {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  /** Undefined for a chunked body. */
  readonly length: number | undefined;
}

const headEnd = Buffer.from('\r\n\r\n');
/** JSON has no bare line end of this form inside, so that it can only be the last chunk. */
const lastChunk = Buffer.from('\r\n0\r\n\r\n');
const nothing = Buffer.alloc(0);
/** Servers end connections that were idle for some seconds, perhaps at the very moment of the next request. */
const freshMs = 2_000;

/**
 * One kept-alive connection that has one request at a time. Written on bare sockets: Node's own client costs several
 * times what a small answer costs the server, and would be what is measured.
 */
export class HttpConnection {
  readonly #socket: Socket;
  #pending: Pending | undefined;
  #received: Buffer = nothing;
  #usedAt = performance.now();

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (data: Buffer) => this.#receive(data));
    socket.on('error', (error) => this.#fail(error));
    socket.on('close', () => this.#fail(new Error('the connection was closed')));
  }

  static open(port: number): Promise<HttpConnection> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1');
      socket.once('error', reject);
      socket.once('connect', () => {
        socket.off('error', reject);
        resolve(new HttpConnection(socket));
      });
    });
  }

  /** Whether it can be used again: open, and not idle for so long that the server may be ending it. */
  get isFresh(): boolean {
    return !this.#socket.destroyed && performance.now() - this.#usedAt < freshMs;
  }

  /** Sends a request made by {@link requestBytes}. */
  send(request: Buffer, keepBody = false): Promise<HttpAnswer> {
    return new Promise((resolve, reject) => {
      if (this.#socket.destroyed) return reject(new Error('the connection was closed'));
      this.#pending = {
        started: performance.now(),
        keepBody,
        resolve,
        reject,
        head: undefined,
        firstByteMs: 0,
        bodyBytes: 0,
        parts: [],
        tail: nothing,
      };
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#pending = undefined;
    this.#socket.destroy();
  }

  #receive(data: Buffer): void {
    const pending = this.#pending;
    if (pending === undefined) return;
    let body = data;
    if (pending.head === undefined) {
      this.#received = Buffer.concat([this.#received, data]);
      const end = this.#received.indexOf(headEnd);
      if (end === -1) return;
      pending.head = parseHead(this.#received.toString('latin1', 0, end));
      body = this.#received.subarray(end + headEnd.length);
      this.#received = nothing;
    }
    takeBody(pending, body);
    if (isWhole(pending, pending.head)) this.#finish(pending, pending.head);
  }

  #finish(pending: Pending, { status, headers, length }: Head): void {
    this.#pending = undefined;
    this.#usedAt = performance.now();
    const totalMs = performance.now() - pending.started;
    const raw = Buffer.concat(pending.parts).toString();
    pending.resolve({
      status,
      headers,
      bodyBytes: pending.bodyBytes,
      body: length === undefined ? withoutChunks(raw) : raw,
      firstByteMs: pending.firstByteMs === 0 ? totalMs : pending.firstByteMs,
      totalMs,
    });
  }

  #fail(error: Error): void {
    this.#pending?.reject(error);
    this.#pending = undefined;
  }
}

/** Writes the bytes of a request once, to be sent many times. `body` is sent as JSON. */
export function requestBytes(options: {
  readonly method?: string;
  readonly path: string;
  readonly port: number;
  readonly token: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}): Buffer {
  const { method = 'GET', path, port, token, headers = {}, body } = options;
  const text = body === undefined ? '' : JSON.stringify(body);
  const all: Record<string, string> = {
    host: `127.0.0.1:${port}`,
    authorization: `Bearer ${token}`,
    ...(body === undefined
      ? {}
      : {
          'content-type': 'application/json',
          'content-length': String(Buffer.byteLength(text)),
        }),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${text}`);
}

function parseHead(text: string): Head {
  const [first = '', ...lines] = text.split('\r\n');
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const status = Number(first.split(' ')[1]);
  const isChunked = headers.get('transfer-encoding') === 'chunked';
  const hasBody = status !== 204 && status !== 304;
  const length = hasBody ? Number(headers.get('content-length') ?? 0) : 0;
  return { status, headers, length: hasBody && isChunked ? undefined : length };
}

function takeBody(pending: Pending, body: Buffer): void {
  if (body.length === 0) return;
  if (pending.bodyBytes === 0) pending.firstByteMs = performance.now() - pending.started;
  pending.bodyBytes += body.length;
  if (pending.keepBody) pending.parts.push(body);
  pending.tail = Buffer.concat([pending.tail, body.subarray(-lastChunk.length)]).subarray(
    -lastChunk.length,
  );
}

function isWhole({ bodyBytes, tail }: Pending, { length }: Head): boolean {
  if (length !== undefined) return bodyBytes >= length;
  // An empty chunked body is nothing but its last chunk.
  return tail.equals(lastChunk) || (bodyBytes === 5 && tail.equals(lastChunk.subarray(2)));
}

/** Takes the sizes between the pieces out again; sound for JSON alone, see lastChunk. */
function withoutChunks(raw: string): string {
  return raw.replace(/^[0-9a-f]+\r\n/, '').replaceAll(/\r\n[0-9a-f]+\r\n(?:\r\n$)?/g, '');
}
