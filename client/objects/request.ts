import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Readable } from 'node:stream';
import { ObjectClientError } from './object-error.ts';

/** Headers by lower-case name. */
export type RequestHeaders = Readonly<Record<string, string>>;

export interface HttpRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT';
  readonly url: URL;
  readonly headers: RequestHeaders;
  readonly body?: string | Readable;
  readonly signal?: AbortSignal | undefined;
  /** The connection may be silent for this long, ms. */
  readonly stallMs: number;
}

/** An error answer longer than this is not read to its end. */
const textBytes = 262_144;

/**
 * Sends one request and yields the answer's head; nothing is followed, decoded or kept.
 * @throws ObjectClientError unreachable, stalled; the signal's reason
 */
export async function send(wanted: HttpRequest): Promise<IncomingMessage> {
  const { method, url, headers, body, signal, stallMs } = wanted;
  signal?.throwIfAborted();
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    let isStalled = false;
    const req = request(url, { method, headers: { ...headers }, ...(signal && { signal }) });
    req.setTimeout(stallMs, () => {
      isStalled = true;
      req.destroy(stalled());
    });
    req.once('error', (cause) => reject(failureOf(cause, signal, isStalled)));
    // The answer may come, and end the request, before all of the body is sent.
    req.once('response', (answer) => {
      answer.setTimeout(stallMs, () => answer.destroy(stalled()));
      resolve(answer);
    });
    if (body === undefined || typeof body === 'string') {
      req.end(body);
      return;
    }
    body.once('error', (cause) => req.destroy(cause));
    body.pipe(req);
  });
}

function stalled(): ObjectClientError {
  return new ObjectClientError('stalled', 'The server stopped answering.');
}

function failureOf(cause: unknown, signal: AbortSignal | undefined, isStalled: boolean): unknown {
  if (signal?.aborted === true) return signal.reason;
  if (isStalled || cause instanceof ObjectClientError) return stalled();
  return new ObjectClientError('unreachable', 'The server cannot be reached.', { cause });
}

/** Turns what ends a body early into an error of ours. */
export async function* bodyOf(
  answer: IncomingMessage,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const piece of answer) yield piece as Uint8Array;
  } catch (cause) {
    if (signal?.aborted === true) throw signal.reason;
    if (cause instanceof ObjectClientError) throw cause;
    throw new ObjectClientError('stalled', 'The connection ended too early.', { cause });
  }
}

/** Reads a short text answer; more than that is thrown away with its connection. */
export async function readText(answer: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  try {
    for await (const piece of answer) {
      size += (piece as Buffer).length;
      if (size > textBytes) break;
      pieces.push(piece as Buffer);
    }
  } catch {
    // What arrived will do: it is only shown.
  }
  answer.destroy();
  return Buffer.concat(pieces).toString('utf8');
}

/** `Retry-After` in seconds, given as seconds or as a date. */
export function retryAfterOf(answer: IncomingMessage): number | undefined {
  const value = answer.headers['retry-after'];
  if (value === undefined) return undefined;
  if (/^\d{1,9}$/u.test(value)) return Number(value);
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - Date.now()) / 1_000));
}
