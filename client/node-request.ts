import {
  request as requestHttp,
  type Agent,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Readable } from 'node:stream';

/** Headers by lower-case name. */
export type RequestHeaders = Readonly<Record<string, string>>;

/** How an exchange came to nothing. */
export type TransportFault = 'impossible' | 'unreachable' | 'stalled' | 'cut_off' | 'too_long';

/** The signal that ends an exchange, and the client's errors. */
interface Watch {
  readonly signal?: AbortSignal | undefined;
  readonly fail: (fault: TransportFault, cause?: unknown) => Error;
}

export interface NodeRequest extends Watch {
  readonly method: string;
  readonly url: URL;
  readonly headers: RequestHeaders;
  /** A stream's own failure is thrown as it is. */
  readonly body?: string | Uint8Array | Readable | undefined;
  /** The connection may be silent for this long, ms; 0 is without end. */
  readonly silenceMs: number;
  /** The same between the last byte of a stream that was sent and the answer; `silenceMs` by default. */
  readonly answerMs?: number | undefined;
  /** False has a connection of its own for this request; absent, connections are kept and used again. */
  readonly agent?: false | Agent | undefined;
}

class Silence extends Error {}

/**
 * Sends one request and yields the answer as soon as its head is there; nothing is followed, decoded or kept.
 * @throws what `fail` makes of a fault; the signal's reason
 */
export async function openAnswer(request: NodeRequest): Promise<NodeAnswer> {
  request.signal?.throwIfAborted();
  return new Promise((resolve, reject) => exchange(request, resolve, reject));
}

function exchange(
  request: NodeRequest,
  resolve: (answer: NodeAnswer) => void,
  reject: (cause: unknown) => void,
): void {
  const { url, headers, body, signal, silenceMs, answerMs = silenceMs, fail } = request;
  const send = url.protocol === 'https:' ? requestHttps : requestHttp;
  let req: ClientRequest;
  try {
    req = send(url, {
      method: request.method,
      headers: { ...headers },
      timeout: silenceMs,
      ...(signal && { signal }),
      agent: request.agent,
    });
  } catch (cause) {
    if (isStream(body)) body.destroy();
    throw fail('impossible', cause);
  }
  // Whether the server was reached decides if trying again makes sense.
  let isReached = false;
  req.once('socket', (socket) => {
    isReached = req.reusedSocket;
    socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', () => (isReached = true));
  });
  let message: IncomingMessage | undefined;
  req.on('timeout', () => (message ?? req).destroy(new Silence('silent for too long')));
  req.on('error', (cause) => reject(endedBy(cause, request, isReached)));
  // The answer may come, and end the request, before all of the body is sent.
  req.once('response', (response) => resolve(new NodeAnswer((message = response), request)));
  if (isStream(body)) {
    req.once('finish', () => message ?? req.socket?.setTimeout(answerMs));
    req.once('response', ({ socket }) => socket.setTimeout(silenceMs));
    sendStream(body, req, reject);
  } else {
    req.end(body);
  }
}

/** The head of an answer, and its body as it comes. */
export class NodeAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The address that was asked for. */
  readonly url: URL;
  readonly #message: IncomingMessage;
  readonly #watch: Watch;

  constructor(message: IncomingMessage, request: NodeRequest) {
    this.url = request.url;
    this.status = message.statusCode ?? 0;
    this.headers = message.headers;
    this.#message = message;
    this.#watch = request;
  }

  /**
   * Yields the body; one that is not read to its end is not sent to its end.
   * @throws what `fail` makes of an early end; the signal's reason
   */
  async *pieces(): AsyncGenerator<Uint8Array> {
    try {
      for await (const piece of this.#message) yield piece as Uint8Array;
    } catch (cause) {
      throw endedBy(cause, this.#watch);
    }
    if (!this.#message.complete) throw this.#watch.fail('cut_off');
  }

  /**
   * Reads the body as text.
   * @throws what `fail` makes of an early end or of more bytes; the signal's reason
   */
  async text(maxBytes: number): Promise<string> {
    const pieces: Uint8Array[] = [];
    let bytes = 0;
    for await (const piece of this.pieces()) {
      bytes += piece.length;
      if (bytes > maxBytes) throw this.#watch.fail('too_long');
      pieces.push(piece);
    }
    return Buffer.concat(pieces).toString('utf8');
  }

  /** From here on silence may be the reader's own. */
  allowSilence(): void {
    this.#message.socket.setTimeout(0);
  }

  /** Ends the connection, whatever is still to come. */
  close(): void {
    this.#message.destroy();
  }
}

/** `Retry-After` in ms from now, given as seconds or as a date; undefined where it is neither. */
export function retryAfterMs({ headers }: NodeAnswer, now = Date.now()): number | undefined {
  const value = headers['retry-after']?.trim() ?? '';
  if (/^\d{1,9}$/u.test(value)) return Number(value) * 1_000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

/** Whether the body comes in disguise, which was not asked for: a packed one may be a thousand times its size. */
export function isCoded({ headers }: NodeAnswer): boolean {
  return (headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity';
}

/** Whether a body can be sent once only. */
export function isStream(body: NodeRequest['body']): body is Readable {
  return body !== undefined && typeof body !== 'string' && !(body instanceof Uint8Array);
}

function sendStream(body: Readable, req: ClientRequest, reject: (cause: unknown) => void): void {
  body.once('error', (cause) => {
    reject(cause);
    req.destroy();
  });
  req.once('response', (answer) => {
    // The server has made up its mind before it had all: the rest would go on for hours for nothing.
    answer.once('end', () => {
      if (!req.writableFinished) req.destroy();
    });
  });
  req.once('close', () => body.destroy());
  body.pipe(req);
}

function endedBy(cause: unknown, { signal, fail }: Watch, isReached = true): unknown {
  if (signal?.aborted === true) return signal.reason;
  if (!isReached) return fail('unreachable', cause);
  return fail(cause instanceof Silence ? 'stalled' : 'cut_off', cause);
}
