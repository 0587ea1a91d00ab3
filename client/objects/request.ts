import type { IncomingMessage } from 'node:http';
import {
  openAnswer,
  piecesOf,
  readText as readWithin,
  type FailureMaker,
  type NodeRequest,
  type TransportFault,
} from '../node-request.ts';
import { ObjectClientError, type ObjectFailure } from './object-error.ts';

export type { RequestHeaders } from '../node-request.ts';

/** Longest answer of the API, and longest page of a proxy that is looked at. */
const textBytes = 262_144;

const faults: Readonly<Record<TransportFault, readonly [failure: ObjectFailure, text: string]>> = {
  // Header names and values come from links.
  impossible: ['protocol', 'The server asked for an impossible request.'],
  unreachable: ['unreachable', 'The server cannot be reached.'],
  stalled: ['stalled', 'The server stopped answering.'],
  cut_off: ['stalled', 'The connection ended too early.'],
  too_long: ['protocol', 'The answer is too long.'],
};

const fail: FailureMaker = (fault, cause) => {
  const [failure, text] = faults[fault];
  const code = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : '';
  const message = fault === 'unreachable' ? text.replace(/\.$/u, `${code}.`) : text;
  return new ObjectClientError(failure, message, { cause });
};

/**
 * Sends one request and yields the answer's head.
 * @throws ObjectClientError unreachable, stalled, protocol; the signal's reason
 */
export function send(request: Omit<NodeRequest, 'fail'>): Promise<IncomingMessage> {
  return openAnswer({ ...request, fail });
}

/** Yields a body; what ends it early is an error of ours. @throws ObjectClientError stalled; the signal's reason */
export function bodyOf(
  answer: IncomingMessage,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  return piecesOf(answer, { signal, fail });
}

/**
 * Reads a short text.
 * @throws ObjectClientError stalled; protocol when it is too long; the signal's reason
 */
export function readText(
  answer: IncomingMessage,
  signal: AbortSignal | undefined,
): Promise<string> {
  return readWithin(answer, textBytes, { signal, fail });
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
