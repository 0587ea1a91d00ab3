import {
  openAnswer,
  type NodeAnswer,
  type NodeRequest,
  type TransportFault,
} from '../../node-request.ts';
import { headersFor, readAnswer, type Access, type Transport } from '../http.ts';
import { cutOffFailure, sendFailure, type RequestFailure } from '../request-failure.ts';

/** One request to a daemon, its body already text. */
export interface DaemonRequest extends Pick<NodeRequest, 'method' | 'signal' | 'silenceMs'> {
  /** Path and query. */
  readonly path: string;
  /** JSON. */
  readonly body?: string | undefined;
}

/** How programs on Node.js reach a daemon: over node:http, on connections of its own, on this machine only. */
export const nodeTransport: Transport = async (access, { method, path, body }, signal) => {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const answer = await askDaemon(access, { method, path, body: text, signal, silenceMs: 0 });
  return readAnswer(answer.status, answer.pieces());
};

/**
 * Sends a request and yields its answer, of any status, as soon as the head is there.
 * @throws RequestFailure when there is none, or when it ends too early; the signal's reason
 */
export async function askDaemon(access: Access, request: DaemonRequest): Promise<NodeAnswer> {
  const { path, body } = request;
  const url = new URL(access.base + path);
  // A token, and where its user was, are for the daemon of this machine.
  if (url.hostname !== '127.0.0.1') throw sendFailure(new Error('not an address of this machine'));
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const headers = { ...headersFor(access, body !== undefined), ...length };
  let isAnswered = false;
  const fail = (_: TransportFault, cause: unknown): RequestFailure =>
    isAnswered ? cutOffFailure(cause) : sendFailure(cause);
  // A connection for every request: a kept one may be closed by the daemon just as it is used again.
  const answer = await openAnswer({ ...request, url, headers, agent: false, fail });
  isAnswered = true;
  if (answer.status < 300 || answer.status >= 400) return answer;
  answer.close();
  throw sendFailure(new Error('unexpected redirect'));
}
