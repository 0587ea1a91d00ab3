import { Agent, request as ask, type IncomingHttpHeaders } from 'node:http';

/** One answer; times in ms from the moment the request was made. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bodyBytes: number;
  /** Empty unless it was asked for. */
  readonly body: string;
  /** When the first byte of the body came, or of the answer if there is no body. */
  readonly firstByteMs: number;
  readonly totalMs: number;
}

/** A request that is sent many times. */
export interface HttpRequest {
  readonly port: number;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Makes a request. `body` is sent as JSON. */
export function requestOf(options: {
  readonly method?: string;
  readonly path: string;
  readonly port: number;
  readonly token: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}): HttpRequest {
  const { method = 'GET', path, port, token, headers = {}, body } = options;
  const text = body === undefined ? '' : JSON.stringify(body);
  const length = String(Buffer.byteLength(text));
  const ofBody = { 'content-type': 'application/json', 'content-length': length };
  const own = { authorization: `Bearer ${token}`, ...(body !== undefined && ofBody) };
  return { port, method, path, headers: { ...own, ...headers }, body: text };
}

/** Kept-alive connections to one server, one unless it is given more. */
export class HttpConnection {
  readonly #agent: Agent;

  constructor(maxSockets = 1) {
    this.#agent = new Agent({ keepAlive: true, maxSockets });
  }

  send(request: HttpRequest, keepBody = false): Promise<HttpAnswer> {
    const { port, method, path, headers, body: text } = request;
    const started = performance.now();
    return new Promise((resolve, reject) => {
      const outgoing = ask({ host: '127.0.0.1', port, method, path, headers, agent: this.#agent });
      outgoing.on('response', (answer) => {
        const parts: Buffer[] = [];
        let [bodyBytes, firstByteMs] = [0, 0];
        answer.on('data', (part: Buffer) => {
          if (bodyBytes === 0) firstByteMs = performance.now() - started;
          bodyBytes += part.length;
          if (keepBody) parts.push(part);
        });
        answer.on('error', reject);
        answer.on('end', () => {
          const totalMs = performance.now() - started;
          const body = Buffer.concat(parts).toString();
          const { statusCode: status = 0, headers: head } = answer;
          if (bodyBytes === 0) firstByteMs = totalMs;
          resolve({ status, headers: head, bodyBytes, body, firstByteMs, totalMs });
        });
      });
      outgoing.on('error', (error) => {
        // A server may end a connection that was idle at the very moment of the next request.
        if (outgoing.reusedSocket && method === 'GET') resolve(this.send(request, keepBody));
        else reject(error);
      });
      outgoing.end(text);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
