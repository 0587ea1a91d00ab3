import type { Clock } from '../../model/process.ts';
import { ServerFailed } from './server-failed.ts';

const failuresInARow = 3;
const pauseMs = 60_000;
/** After a refusal that does not say how long to wait. */
const refusedPauseMs = 15 * 60_000;
/** A server may ask for any time; after a day it is asked again. */
const longestPauseMs = 24 * 3_600_000;

/** Leaves a server alone that fails or that wants to be left alone. */
export class CircuitBreaker {
  readonly #clock: Clock;
  #failures = 0;
  #openUntil = -Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether the server must not be asked now. */
  get isOpen(): boolean {
    return this.#clock.monotonic() < this.#openUntil;
  }

  succeeded(): void {
    this.#failures = 0;
  }

  /** @returns for how long the server is left alone from now, ms; 0 for not at all. */
  failed(error: unknown): number {
    this.#failures += 1;
    const pause = this.#pauseAfter(error);
    if (pause > 0) this.#openUntil = this.#clock.monotonic() + pause;
    return pause;
  }

  #pauseAfter(error: unknown): number {
    // After a pause one more failure is enough for the next one.
    const pause = this.#failures >= failuresInARow ? pauseMs : 0;
    if (!(error instanceof ServerFailed) || !(error.status === 429 || error.status === 403))
      return pause;
    const asked = Math.min(error.retryAfterMs ?? refusedPauseMs, longestPauseMs);
    return Math.max(asked, pause);
  }
}
