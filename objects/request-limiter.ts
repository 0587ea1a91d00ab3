import { WaypointError } from '../model/failure.ts';
import type { Clock } from '../model/process.ts';
import { forgetOldest } from './forget-oldest.ts';
import { spread } from './retry-after.ts';

const minuteMs = 60_000;
const watched = 10_000;

/** Lets each client make so many requests a minute, in bursts if it likes. */
export class RequestLimiter {
  readonly #perMinute: number;
  readonly #clock: Clock;
  readonly #buckets = new Map<string, { left: number; at: number }>();

  /** @param perMinute 0 for no limit. */
  constructor(perMinute: number, clock: Clock) {
    this.#perMinute = perMinute;
    this.#clock = clock;
  }

  /** @throws WaypointError busy, with the time until the next one is let through. */
  take(client: string): void {
    if (this.#perMinute === 0) return;
    const now = this.#clock.monotonic();
    const bucket = this.#buckets.get(client) ?? { left: this.#perMinute, at: now };
    const earned = ((now - bucket.at) / minuteMs) * this.#perMinute;
    const left = Math.min(this.#perMinute, bucket.left + earned);
    if (left < 1) {
      const waitMs = ((1 - left) / this.#perMinute) * minuteMs;
      throw new WaypointError('busy', { retryAfterSeconds: spread(Math.ceil(waitMs / 1_000)) });
    }
    this.#buckets.delete(client);
    this.#buckets.set(client, { left: left - 1, at: now });
    forgetOldest(this.#buckets, watched);
  }
}
