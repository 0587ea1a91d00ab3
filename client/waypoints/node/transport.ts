import type { IncomingMessage } from 'node:http';
import { openAnswer, piecesOf, type FailureMaker } from '../../node-request.ts';
import { headersFor, readAnswer, type Access, type Transport } from '../http.ts';
import { cutOffFailure, sendFailure } from '../request-failure.ts';

/** One request to a daemon, its body already text. */
export interface DaemonRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** JSON. */
  readonly body?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Silence that ends the request, ms; 0 is without end. */
  readonly silenceMs: number;
}

/** How programs on Node.js reach a daemon: over node:http, on connections of its own, on this machine only. */
export const nodeTransport: Transport = async (access, { method, path, body }, signal) => {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const request = { method, path, body: text, signal, silenceMs: 0 };
  const answer = await openDaemonAnswer(access, request);
  return readAnswer(answer.statusCode ?? 0, answerPieces(answer, signal));
};

/**
 * Sends a request and yields its answer, of any status, as soon as the head is there.
 * @throws RequestFailure when there is none; the signal's reason
 */
export async function openDaemonAnswer(
  access: Access,
  { method, path, body, signal, silenceMs }: DaemonRequest,
): Promise<IncomingMessage> {
  const url = new URL(access.base + path);
  // A token, and where somebody was, are for the daemon of this machine.
  if (url.hostname !== '127.0.0.1') throw sendFailure(new Error('not an address of this machine'));
  const headers = headersFor(access, body !== undefined);
  if (body !== undefined) headers['content-length'] = String(Buffer.byteLength(body));
  // A connection for every request: a kept one may be closed by the daemon just as it is used again.
  const connection = { agent: false, silenceMs, signal } as const;
  return openAnswer({ method, url, headers, body, ...connection, fail: noAnswer });
}

/** The body of a daemon's answer. @throws RequestFailure when it ends too early; the signal's reason */
export function answerPieces(
  answer: IncomingMessage,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  return piecesOf(answer, { signal, fail: (_, cause) => cutOffFailure(cause) });
}

const noAnswer: FailureMaker = (_, cause) => sendFailure(cause);
