import { limits } from '../model/limits.ts';

/** What one HTTP server allows itself; times in ms, sizes in bytes. A timeout of 0 means none. */
export interface HttpLimits {
  /** All request headers must have arrived this long after the first moment of waiting for them. */
  readonly headersTimeoutMs: number;
  /** The whole request must have arrived; how long the answer takes does not matter. */
  readonly requestTimeoutMs: number;
  /** How often the two timeouts above are looked at. */
  readonly connectionSweepMs: number;
  readonly keepAliveTimeoutMs: number;
  readonly connections: number;
  /** Requests that wait behind an unanswered one on the same connection; one more ends the connection. */
  readonly pipelined: number;
  readonly bodyBytes: number;
  /** A JSON body must have arrived this long after its head; 0 where `requestTimeoutMs` sees to it. */
  readonly jsonBodyMs: number;
  /** A body that a handler reads itself may pause for this long. */
  readonly idleBodyMs: number;
  /** An answer whose reader takes nothing for this long is ended. */
  readonly drainTimeoutMs: number;
  /**
   * After a refusal the rest of the body is thrown away for this long, then the connection ends. Ending it at once would
   * make the kernel reset it, and many clients then never see the refusal.
   */
  readonly lingerMs: number;
  /** When the server closes, a connection without a request may still make one for this long. */
  readonly partingMs: number;
  /** Most that is thrown away meanwhile. */
  readonly lingerBytes: number;
}

export const defaultHttpLimits: HttpLimits = {
  headersTimeoutMs: limits.headersTimeoutMs,
  requestTimeoutMs: limits.requestTimeoutMs,
  connectionSweepMs: limits.connectionSweepMs,
  keepAliveTimeoutMs: 5_000,
  connections: limits.connections,
  pipelined: 32,
  bodyBytes: limits.bodyBytes,
  jsonBodyMs: 0,
  idleBodyMs: 60_000,
  drainTimeoutMs: limits.drainTimeoutMs,
  lingerMs: 1_000,
  partingMs: 100,
  lingerBytes: 8 * limits.bodyBytes,
};
