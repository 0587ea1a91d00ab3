import { request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Readable } from 'node:stream';
import { ObjectClientError } from './object-error.ts';

/** Headers by lower-case name. */
export type RequestHeaders = Readonly<Record<string, string>>;

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly url: URL;
  readonly headers: RequestHeaders;
  /** A stream's own failure is thrown as it is. */
  readonly body?: string | Readable;
  readonly signal?: AbortSignal | undefined;
  /** The connection may be silent for this long, ms. */
  readonly stallMs: number;
}

/** Longest answer of the API, and longest page of a proxy that is looked at. */
const textBytes = 262_144;

/**
 * Sends one request and yields the answer's head; nothing is followed, decoded or kept.
 * @throws ObjectClientError unreachable, stalled, protocol; the signal's reason
 */
export async function send(wanted: HttpRequest): Promise<IncomingMessage> {
  const { method, url, headers, body, signal, stallMs } = wanted;
  signal?.throwIfAborted();
  const open = url.protocol === 'https:' ? httpsRequest : httpRequest;
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const options = { method, headers: { ...headers }, timeout: stallMs };
  let req: ClientRequest;
  try {
    req = open(url, { ...options, ...(signal && { signal }) });
  } catch (cause) {
    if (isStream(body)) body.destroy();
    // Header names and values come from links.
    throw new ObjectClientError('protocol', 'The server asked for an impossible request.', {
      cause,
    });
  }
  const connection = watchConnection(req, url);
  let answer: IncomingMessage | undefined;
  req.on('timeout', () => (answer ?? req).destroy(stalled()));
  req.on('error', (cause) => reject(failureOf(cause, signal, connection.isMade())));
  // The answer may come, and end the request, before all of the body is sent.
  req.once('response', (response) => resolve((answer = response)));
  if (isStream(body)) sendStream(body, req, reject);
  else req.end(body);
  return promise;
}

function isStream(body: string | Readable | undefined): body is Readable {
  return body !== undefined && typeof body !== 'string';
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

/** Whether the server was reached decides if trying again makes sense. */
function watchConnection(req: ClientRequest, url: URL): { isMade: () => boolean } {
  let isMade = false;
  req.once('socket', (socket) => {
    isMade = req.reusedSocket;
    if (isMade) return;
    const made = url.protocol === 'https:' ? 'secureConnect' : 'connect';
    socket.once(made, () => (isMade = true));
  });
  return { isMade: () => isMade };
}

function stalled(): ObjectClientError {
  return new ObjectClientError('stalled', 'The server stopped answering.');
}

function failureOf(cause: unknown, signal: AbortSignal | undefined, isReached: boolean): unknown {
  if (signal?.aborted === true) return signal.reason;
  if (isReached) return cause instanceof ObjectClientError ? cause : cutOff(cause);
  const code = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : '';
  return new ObjectClientError('unreachable', `The server cannot be reached${code}.`, { cause });
}

function cutOff(cause: unknown): ObjectClientError {
  return new ObjectClientError('stalled', 'The connection ended too early.', { cause });
}

/** Yields a body; what ends it early is an error of ours. @throws ObjectClientError stalled; the signal's reason */
export async function* bodyOf(
  answer: IncomingMessage,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const piece of answer) yield piece as Uint8Array;
  } catch (cause) {
    if (signal?.aborted === true) throw signal.reason;
    throw cause instanceof ObjectClientError ? cause : cutOff(cause);
  }
}

/**
 * Reads a short text.
 * @throws ObjectClientError stalled; protocol when it is too long; the signal's reason
 */
export async function readText(
  answer: IncomingMessage,
  signal: AbortSignal | undefined,
): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of bodyOf(answer, signal)) {
    size += piece.length;
    if (size > textBytes) throw new ObjectClientError('protocol', 'The answer is too long.');
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

/** Reads what a refusal says; nothing where that cannot be read, because its status says enough. */
export async function readRefusal(
  answer: IncomingMessage,
  signal: AbortSignal | undefined,
): Promise<string> {
  try {
    return await readText(answer, signal);
  } catch {
    signal?.throwIfAborted();
    return '';
  }
}

/** @throws ObjectClientError protocol for bytes in disguise, which were not asked for. */
export function refuseCoding(answer: IncomingMessage): void {
  const coding = answer.headers['content-encoding'] ?? 'identity';
  if (coding.toLowerCase() === 'identity') return;
  answer.destroy();
  throw new ObjectClientError('protocol', 'The server sent the content in another coding.');
}

/** `Retry-After` in seconds, given as seconds or as a date. */
export function retryAfterOf(answer: IncomingMessage): number | undefined {
  const value = answer.headers['retry-after'];
  if (value === undefined) return undefined;
  if (/^\d{1,9}$/u.test(value)) return Number(value);
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - Date.now()) / 1_000));
}
