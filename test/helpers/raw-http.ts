import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** One answer as it came over the wire. */
export interface RawAnswer {
  readonly status: number;
  /** By lower-case name; repeated ones joined with `, `. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
  /** False when the connection ended before the answer did. */
  readonly isWhole: boolean;
}

/** A connection that sends exactly what a test says, and reads the answers one after the other. */
export class RawConnection {
  readonly socket: Socket;
  /** Below TLS. */
  readonly #raw: Socket;
  #received = Buffer.alloc(0);
  #isEnded = false;
  #wake: () => void = () => {};

  private constructor(socket: Socket, raw = socket) {
    this.socket = socket;
    this.#raw = raw;
    socket.on('data', (chunk) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      this.#wake();
    });
    for (const event of ['end', 'close', 'error'] as const) {
      socket.on(event, () => {
        this.#isEnded = true;
        this.#wake();
      });
    }
  }

  /** Connects, and sends the given texts or bytes at once. */
  static async open(port: number, ...parts: (string | Uint8Array)[]): Promise<RawConnection> {
    const socket = connect(port, '127.0.0.1');
    const connection = new RawConnection(socket);
    await once(socket, 'connect');
    connection.send(...parts);
    return connection;
  }

  /** As `open`, with TLS, whoever the server is. */
  static async openTls(port: number, ...parts: (string | Uint8Array)[]): Promise<RawConnection> {
    const raw = connect(port, '127.0.0.1');
    const socket = connectTls({ socket: raw, rejectUnauthorized: false });
    const connection = new RawConnection(socket, raw);
    await once(socket, 'secureConnect');
    connection.send(...parts);
    return connection;
  }

  send(...parts: (string | Uint8Array)[]): void {
    for (const part of parts) this.socket.write(part);
  }

  /** Ends the connection as a client does that has died. */
  reset(): void {
    this.#raw.on('error', () => undefined).resetAndDestroy();
  }

  /** Resolves when the server has ended the connection, or it broke. */
  async ended(): Promise<void> {
    await this.#until(() => this.#isEnded);
  }

  /** Reads until what was received contains the text. */
  async received(text: string): Promise<void> {
    await this.#until(() => this.#received.includes(text));
  }

  /** Takes the next answer, whole or cut; undefined when the connection ended without one. */
  async answer(): Promise<RawAnswer | undefined> {
    await this.#until(() => this.#received.includes('\r\n\r\n'));
    const headEnd = this.#received.indexOf('\r\n\r\n');
    if (headEnd === -1) return undefined;
    const [statusLine = '', ...lines] = this.#take(headEnd + 4)
      .toString('latin1')
      .trimEnd()
      .split('\r\n');
    const status = Number(statusLine.split(' ')[1]);
    const headers = headerMap(lines);
    if (status < 200 || status === 204 || status === 304) {
      return { status, headers, body: '', isWhole: true };
    }
    const body = await this.#body(headers);
    return { status, headers, ...body };
  }

  async #body(
    headers: ReadonlyMap<string, string>,
  ): Promise<{ readonly body: string; readonly isWhole: boolean }> {
    const length = headers.get('content-length');
    if (length !== undefined) {
      await this.#until(() => this.#received.length >= Number(length));
      const isWhole = this.#received.length >= Number(length);
      return { body: this.#take(Number(length)).toString(), isWhole };
    }
    if (headers.get('transfer-encoding') !== 'chunked') {
      await this.ended();
      return { body: this.#take(this.#received.length).toString(), isWhole: false };
    }
    const chunks: Buffer[] = [];
    for (;;) {
      await this.#until(() => this.#received.includes('\r\n'));
      const lineEnd = this.#received.indexOf('\r\n');
      if (lineEnd === -1) break;
      const size = Number.parseInt(this.#received.subarray(0, lineEnd).toString('latin1'), 16);
      const whole = lineEnd + 2 + size + 2;
      await this.#until(() => this.#received.length >= whole);
      if (this.#received.length < whole) break;
      chunks.push(this.#take(whole).subarray(lineEnd + 2, whole - 2));
      if (size === 0) return { body: Buffer.concat(chunks).toString(), isWhole: true };
    }
    return { body: Buffer.concat(chunks).toString(), isWhole: false };
  }

  #take(length: number): Buffer {
    const taken = this.#received.subarray(0, length);
    this.#received = this.#received.subarray(length);
    return taken;
  }

  async #until(isDone: () => boolean): Promise<void> {
    while (!isDone() && !this.#isEnded) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

function headerMap(lines: readonly string[]): Map<string, string> {
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    const earlier = headers.get(name);
    headers.set(name, earlier === undefined ? value : `${earlier}, ${value}`);
  }
  return headers;
}

/** The text of a request. Host is added unless given; `Content-Length` for a body unless given or chunked. */
export function rawRequest(requestLine: string, headers: readonly string[] = [], body = '') {
  const names = headers.map((header) => header.split(':')[0]?.toLowerCase());
  const lines = [`${requestLine} HTTP/1.1`];
  if (!names.includes('host')) lines.push('Host: localhost');
  lines.push(...headers);
  const isFramed = names.includes('content-length') || names.includes('transfer-encoding');
  if (body !== '' && !isFramed) lines.push(`Content-Length: ${Buffer.byteLength(body)}`);
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}
