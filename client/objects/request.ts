import { errorCode } from '../../model/error-code.ts';
import {
  isCoded,
  openAnswer,
  type NodeAnswer,
  type NodeRequest,
  type TransportFault,
} from '../node-request.ts';
import { ObjectClientError, type ObjectFailure } from './object-error.ts';

export type { RequestHeaders } from '../node-request.ts';

/** Longest answer of the API, and longest page of a proxy that is looked at. */
export const textBytes = 262_144;

const faults: Readonly<Record<TransportFault, readonly [failure: ObjectFailure, text: string]>> = {
  // Header names and values come from links.
  impossible: ['protocol', 'The server asked for an impossible request'],
  unreachable: ['unreachable', 'The server cannot be reached'],
  stalled: ['stalled', 'The server stopped answering'],
  cut_off: ['stalled', 'The connection ended too early'],
  too_long: ['protocol', 'The answer is too long'],
};

/**
 * Sends one request and yields the answer's head. What ends its body early is an ObjectClientError, too.
 * @throws ObjectClientError unreachable, stalled, protocol; the signal's reason
 */
export function send(request: Omit<NodeRequest, 'fail'>): Promise<NodeAnswer> {
  return openAnswer({ ...request, fail });
}

function fail(fault: TransportFault, cause?: unknown): ObjectClientError {
  const [failure, text] = faults[fault];
  const code = fault === 'unreachable' ? errorCode(cause) : undefined;
  const message = code === undefined ? `${text}.` : `${text} (${code}).`;
  return new ObjectClientError(failure, message, { cause });
}

/** @throws ObjectClientError protocol for bytes in disguise, which were not asked for. */
export function refuseCoding(answer: NodeAnswer): void {
  if (!isCoded(answer)) return;
  answer.close();
  throw new ObjectClientError('protocol', 'The server sent the content in another coding.');
}
