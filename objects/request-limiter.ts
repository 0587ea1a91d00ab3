import { WaypointError } from '../model/failure.ts';
import type { Clock } from '../model/process.ts';
import { Expiring } from './expiring.ts';

const minuteMs = 60_000;
const watched = 10_000;

/** Lets each client make so many requests a minute, in bursts if it likes. */
export class RequestLimiter {
  readonly #perMinute: number;
  readonly #clock: Clock;
  /** None for those that may make a whole minute's: after a minute all may. */
  readonly #buckets: Expiring<{ readonly left: number; readonly at: number }>;

  /** @param perMinute 0 for no limit. */
  constructor(perMinute: number, clock: Clock) {
    this.#perMinute = perMinute;
    this.#clock = clock;
    this.#buckets = new Expiring(clock, minuteMs, watched);
  }

  /** @throws WaypointError busy, with the time until the next one is let through. */
  take(client: string): void {
    if (this.#perMinute === 0) return;
    const now = this.#clock.monotonic();
    const bucket = this.#buckets.get(client)?.value ?? { left: this.#perMinute, at: now };
    const earned = ((now - bucket.at) / minuteMs) * this.#perMinute;
    const left = Math.min(this.#perMinute, bucket.left + earned);
    if (left < 1) {
      const waitMs = ((1 - left) / this.#perMinute) * minuteMs;
      throw new WaypointError('busy', { retryAfterSeconds: spread(Math.ceil(waitMs / 1_000)) });
    }
    this.#buckets.set(client, { left: left - 1, at: now });
  }
}

/** Those that wait for less than this are spread over so many seconds all the same. */
const leastSpread = 4;

/** Seconds after which a client may come back, and up to half as many more: all that are refused now would be back at once. */
export function spread(seconds: number): number {
  return seconds + Math.floor(Math.random() * (Math.max(leastSpread, seconds / 2) + 1));
}
