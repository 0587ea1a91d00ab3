import { setTimeout as delay } from 'node:timers/promises';
import { ObjectClientError } from './object-error.ts';

export interface RetryOptions {
  /** Pauses before each further try of what may succeed then, ms. */
  readonly pausesMs?: readonly number[];
  /** A server that asks to wait longer than this has refused, ms. */
  readonly longestWaitMs?: number;
  /** Waits; rejects with the signal's reason. */
  readonly wait?: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
}

const serverFaults = new Set([500, 502, 503, 504]);

/** Decides about another try and its delay: after a server's fault, too many requests, or a broken connection. */
export class Retries {
  readonly #pausesMs: readonly number[];
  readonly #longestWaitMs: number;
  readonly wait: NonNullable<RetryOptions['wait']>;

  constructor(options: RetryOptions) {
    this.#pausesMs = options.pausesMs ?? [1_000, 2_000, 4_000, 8_000];
    this.#longestWaitMs = options.longestWaitMs ?? 60_000;
    this.wait = options.wait ?? pause;
  }

  /** Tries until it succeeds, or had better not be tried again. */
  async trying<T>(signal: AbortSignal | undefined, attempt: () => Promise<T>): Promise<T> {
    for (let tries = 0; ; tries += 1) {
      try {
        return await attempt();
      } catch (error) {
        const pauseMs = this.pauseAfter(error, tries);
        if (pauseMs === undefined) throw error;
        await this.wait(pauseMs, signal);
      }
    }
  }

  /**
   * How long to wait before trying again; undefined for what is not tried again.
   * @param tries that failed before this one
   * @param wasReached a server that answered before may come back; one that never did is not waited for.
   */
  pauseAfter(error: unknown, tries: number, wasReached = tries > 0): number | undefined {
    const pauseMs = this.#pausesMs[tries];
    if (!(error instanceof ObjectClientError) || pauseMs === undefined) return undefined;
    if (!isPassing(error, wasReached)) return undefined;
    const waitMs = error.retryAfter === undefined ? pauseMs : error.retryAfter * 1_000;
    return waitMs > this.#longestWaitMs ? undefined : waitMs;
  }
}

function isPassing({ failure, status = 0 }: ObjectClientError, wasReached: boolean): boolean {
  if (failure === 'unreachable') return wasReached;
  if (failure === 'http') return status === 429 || serverFaults.has(status);
  return failure === 'stalled';
}

async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await delay(ms, undefined, signal && { signal });
  } catch {
    signal?.throwIfAborted();
  }
}
