import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';

/** Headers by lower-case name. */
export type RequestHeaders = Readonly<Record<string, string>>;

/** How an exchange came to nothing. */
export type TransportFault = 'impossible' | 'unreachable' | 'stalled' | 'cut_off' | 'too_long';

/** Makes the error that a client throws for a fault of the transport. */
export type FailureMaker = (fault: TransportFault, cause?: unknown) => Error;

/** What may end an exchange, and what it is then told with. */
export interface Watch {
  readonly signal?: AbortSignal | undefined;
  readonly fail: FailureMaker;
}

export interface NodeRequest extends Watch {
  readonly method: string;
  readonly url: URL;
  readonly headers: RequestHeaders;
  /** A stream's own failure is thrown as it is. */
  readonly body?: string | Readable | undefined;
  /** The connection may be silent for this long, ms; 0 is without end. */
  readonly silenceMs: number;
  /** False has a connection of its own for this request; absent, connections are kept and used again. */
  readonly agent?: false;
}

class Silence extends Error {}

/**
 * Sends one request and yields the answer's head; nothing is followed, decoded or kept.
 * @throws what `fail` makes of a fault; the signal's reason
 */
export async function openAnswer(request: NodeRequest): Promise<IncomingMessage> {
  const { method, url, headers, body, signal, silenceMs, agent, fail } = request;
  signal?.throwIfAborted();
  // An import of the module would read each of its exports, and with one of them load all of `fetch`.
  const http = process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http');
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const options = { method, headers: { ...headers }, timeout: silenceMs };
  let req: ClientRequest;
  try {
    req = http.request(url, {
      ...options,
      ...(signal && { signal }),
      ...(agent === undefined ? {} : { agent }),
    });
  } catch (cause) {
    if (isStream(body)) body.destroy();
    throw fail('impossible', cause);
  }
  const connection = watchConnection(req, url);
  let answer: IncomingMessage | undefined;
  req.on('timeout', () => (answer ?? req).destroy(new Silence(`silent for ${silenceMs} ms`)));
  req.on('error', (cause) => {
    reject(connection.isMade() ? endedBy(cause, request) : notReached(cause, request));
  });
  // The answer may come, and end the request, before all of the body is sent.
  req.once('response', (response) => resolve((answer = response)));
  if (isStream(body)) sendStream(body, req, reject);
  else req.end(body);
  return promise;
}

function isStream(body: NodeRequest['body']): body is Readable {
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

function notReached(cause: unknown, { signal, fail }: Watch): unknown {
  return signal?.aborted === true ? signal.reason : fail('unreachable', cause);
}

function endedBy(cause: unknown, { signal, fail }: Watch): unknown {
  if (signal?.aborted === true) return signal.reason;
  return fail(cause instanceof Silence ? 'stalled' : 'cut_off', cause);
}

/**
 * Yields the pieces of an answer's body.
 * @throws what `fail` makes of its early end; the signal's reason
 */
export async function* piecesOf(answer: IncomingMessage, watch: Watch): AsyncGenerator<Uint8Array> {
  try {
    for await (const piece of answer) yield piece as Uint8Array;
  } catch (cause) {
    throw endedBy(cause, watch);
  }
}

/**
 * Reads an answer's body as text.
 * @throws what `fail` makes of its early end, and of one that is longer than `maxBytes`; the signal's reason
 */
export async function readText(
  answer: IncomingMessage,
  maxBytes: number,
  watch: Watch,
): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of piecesOf(answer, watch)) {
    bytes += piece.length;
    if (bytes > maxBytes) throw watch.fail('too_long');
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}
