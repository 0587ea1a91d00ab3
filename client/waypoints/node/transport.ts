import {
  isStream,
  openAnswer,
  type NodeAnswer,
  type NodeRequest,
  type TransportFault,
} from '../../node-request.ts';
import {
  changeHeader,
  headersFor,
  readAnswer,
  withChange,
  type Access,
  type Transport,
} from '../http.ts';
import { cutOffFailure, RequestFailure, sendFailure } from '../request-failure.ts';
import { agentOfOneConnection, ConnectionGone, requireProof } from './proof.ts';

/** One request to a daemon, its body already text. */
export interface DaemonRequest extends Pick<NodeRequest, 'method' | 'signal' | 'silenceMs'> {
  /** Path and query. */
  readonly path: string;
  /** JSON, or bytes of any type. */
  readonly body?: NodeRequest['body'];
  /** Beside those that every request has. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

const notModified = 304;

/** A daemon of this machine: its address is always loopback, a token is never sent anywhere else. */
export interface Endpoint {
  readonly port: number;
  readonly token: string;
  /** As of the hand-over file. */
  readonly proof?: 1 | undefined;
}

/** An endpoint as requests want it. */
export function accessTo({ port, token, proof }: Endpoint): Access {
  return { base: `http://127.0.0.1:${port}`, token, proves: proof === 1 };
}

/** How programs on Node.js reach a daemon: over node:http, on connections of its own, on this machine only. */
export const nodeTransport: Transport = async (access, request, signal) => {
  const { method, path, body: value, content, asBytes } = request;
  const body = content ?? (value === undefined ? undefined : JSON.stringify(value));
  const answer = await askDaemon(access, { method, path, body, signal, silenceMs: 0 });
  const { status, headers } = answer;
  return withChange(await readAnswer(status, answer.pieces(), asBytes), headers[changeHeader]);
};

/**
 * Sends a request and yields its answer, of any status, as soon as the head is there.
 * @throws RequestFailure without an answer, or when it ends too early; the signal's reason
 */
export async function askDaemon(access: Access, request: DaemonRequest): Promise<NodeAnswer> {
  const { path, body } = request;
  const url = new URL(access.base + path);
  // A token, and where its user was, are for the daemon of this machine.
  if (url.hostname !== '127.0.0.1') throw sendFailure(new Error('not an address of this machine'));
  const isJson = typeof body === 'string';
  const length = isJson ? { 'content-length': String(Buffer.byteLength(body)) } : {};
  const own = headersFor(access, isJson);
  const headers = { ...request.headers, ...own, ...length };
  let isAnswered = false;
  const fail = (_: TransportFault, cause: unknown): RequestFailure =>
    isAnswered ? cutOffFailure(cause) : sendFailure(cause);
  const answer = await openProven(access, { ...request, url, headers, fail });
  isAnswered = true;
  const isRedirect = answer.status >= 300 && answer.status < 400 && answer.status !== notModified;
  if (!isRedirect) return answer;
  answer.close();
  throw sendFailure(new Error('unexpected redirect'));
}

/** Connections that the daemon ended, because of too many without a token, before anything was sent on them. */
const maxTries = 4;

/**
 * Sends a request over a connection of its own: a kept one may be closed by the daemon just as it is used again. Where a
 * proof was promised, the very socket that the request goes over has given it before.
 */
async function openProven(access: Access, request: NodeRequest): Promise<NodeAnswer> {
  if (access.proves !== true) return openAnswer({ ...request, agent: false });
  const headers = { ...request.headers, connection: 'close' };
  for (let tries = 1; ; tries += 1) {
    const agent = agentOfOneConnection();
    let isProven = false;
    try {
      await requireProof(access.token, { ...request, agent });
      isProven = true;
      return await openAnswer({ ...request, headers, agent });
    } catch (error) {
      agent.destroy();
      if (tries === maxTries || !(error instanceof RequestFailure)) throw error;
      // A stream that was begun cannot be sent once more.
      const isGone = error.cause instanceof ConnectionGone && !isStream(request.body);
      const isUnsent = isProven ? isGone : error.code === 'reset';
      if (!isUnsent) throw error;
    }
  }
}
