import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { Agent } from 'node:http';
import { errorCode } from '../../../model/error-code.ts';
import { parseJson } from '../../../model/parse-json.ts';
import { healthSchema } from '../../../model/process.ts';
import { openAnswer, type NodeRequest } from '../../node-request.ts';
import { RequestFailure } from '../request-failure.ts';

/** The proof for a nonce, which only the daemon with this token at this port of 127.0.0.1 can make. */
export function proofOf(token: string, port: number, nonce: string): string {
  return signed(token, `waypointd 1 127.0.0.1:${port} ${nonce}`);
}

/** Characters of a nonce of ours that are random; those behind them show that its maker knows the token. */
const randomLength = 20;

/** Makes a nonce that also tells the daemon, and only it, that the owner asks: such a connection need not make room. */
export function newNonce(token: string, port: number): string {
  return completed(token, port, randomBytes(15).toString('base64url'));
}

/** Whether a nonce was made with this token, for a daemon at this port. */
export function isOwnersNonce(token: string, port: number, nonce: string): boolean {
  return isSame(nonce, completed(token, port, nonce.slice(0, randomLength)));
}

function completed(token: string, port: number, random: string): string {
  return random + signed(token, `waypointd client 127.0.0.1:${port} ${random}`);
}

function signed(token: string, text: string): string {
  return createHmac('sha256', token).update(text).digest('base64url');
}

/** The connection was over before anything was sent on it but the question for the proof. */
export class ConnectionGone extends Error {
  readonly code = 'ECONNREFUSED';
}

/** Makes an agent of exactly one connection: its second request goes over the socket of its first, or fails. */
export function agentOfOneConnection(): Agent {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const connect = agent.createConnection.bind(agent);
  let isMade = false;
  agent.createConnection = (options, callback) => {
    if (!isMade) {
      isMade = true;
      return connect(options, callback);
    }
    callback?.(new ConnectionGone('the connection is gone'), undefined as never);
    return undefined;
  };
  return agent;
}

/** The proof has half of this. */
const maxAnswerBytes = 128;

/**
 * Asks at the other end of a connection for the proof that it knows the token; nothing else of the request is sent.
 * @throws RequestFailure `impostor`; what `fail` makes of a connection that ends; the signal's reason
 */
export async function requireProof(token: string, request: NodeRequest): Promise<void> {
  const port = Number(request.url.port || 80);
  const nonce = newNonce(token, port);
  const url = new URL(`/healthz?nonce=${nonce}`, request.url);
  const { silenceMs, signal, agent, fail } = request;
  const question = { method: 'GET', url, headers: {}, silenceMs, signal, agent };
  const answer = await openAnswer({
    ...question,
    fail(fault, cause) {
      const isNoHttp = errorCode(cause)?.startsWith('HPE_') === true;
      return fault === 'too_long' || isNoHttp ? impostor() : fail(fault, cause);
    },
  });
  const text = await answer.text(maxAnswerBytes);
  const { data } = healthSchema.safeParse(parseJson(text));
  const expected = proofOf(token, port, nonce);
  if (answer.status !== 200 || !isSame(data?.proof ?? '', expected)) throw impostor();
}

function isSame(one: string, other: string): boolean {
  const [given, expected] = [Buffer.from(one), Buffer.from(other)];
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function impostor(): RequestFailure {
  const message = "Another program answers on the daemon's port";
  return new RequestFailure(message, {
    code: 'impostor',
    sentence: `${message}. Nothing was sent to it. Start the daemon again; where its port stays taken, choose another with --port.`,
  });
}
