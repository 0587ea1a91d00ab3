import { limits } from '../model/limits.ts';

/** Default limits of an HTTP server; times in ms, sizes in bytes. A timeout of 0 means none. */
export const defaultHttpLimits = {
  /** All request headers must have arrived this long after the first moment of waiting for them. */
  headersTimeoutMs: limits.headersTimeoutMs,
  /** The whole request must have arrived; how long the answer takes does not matter. */
  requestTimeoutMs: limits.requestTimeoutMs,
  /** How often the two timeouts above are looked at. */
  connectionSweepMs: limits.connectionSweepMs,
  keepAliveTimeoutMs: 5_000,
  connections: limits.connections,
  /** Requests that wait behind an unanswered one on the same connection; one more ends the connection. */
  pipelined: 32,
  bodyBytes: limits.bodyBytes,
  /** A JSON body must have arrived this long after its head; 0 where `requestTimeoutMs` sees to it. */
  jsonBodyMs: 0,
  /** Least progress of a body that a handler reads itself, in bytes for each period: 1 KiB a second. */
  slowBodyMs: 30_000,
  slowBodyBytes: 30 * 1_024,
  /** An answer whose reader takes nothing for this long is ended. */
  drainTimeoutMs: limits.drainTimeoutMs,
  /**
   * After a refusal the rest of the body is thrown away for this long, then the connection ends. Ending it at once would
   * make the kernel reset it, and many clients then never see the refusal.
   */
  lingerMs: 1_000,
  /** Most that is thrown away meanwhile. */
  lingerBytes: 8 * limits.bodyBytes,
  /** When the server closes, a connection without a request may still make one for this long. */
  partingMs: 100,
};

export type HttpLimits = Readonly<Record<keyof typeof defaultHttpLimits, number>>;
