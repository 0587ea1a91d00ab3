import { WaypointError } from '../model/failure.ts';
import type { Clock } from '../model/process.ts';
import { expiring } from './expiring.ts';

const minuteMs = 60_000;
const watched = 10_000;

/**
 * Lets each client make so many requests a minute, in bursts if it likes.
 * @param perMinute 0 for no limit.
 * @returns a function that throws WaypointError busy, with the time until the next one is let through.
 */
export function requestLimiter(perMinute: number, clock: Clock): (client: string) => void {
  if (perMinute === 0) return () => {};
  // None for those that may make a whole minute's: after a minute all may.
  const buckets = expiring<{ readonly left: number; readonly at: number }>(
    clock,
    minuteMs,
    watched,
  );
  return (client) => {
    const now = clock.monotonic();
    const bucket = buckets.get(client)?.value ?? { left: perMinute, at: now };
    const left = Math.min(perMinute, bucket.left + ((now - bucket.at) / minuteMs) * perMinute);
    if (left < 1) {
      const waitMs = ((1 - left) / perMinute) * minuteMs;
      throw new WaypointError('busy', { retryAfterSeconds: spread(Math.ceil(waitMs / 1_000)) });
    }
    buckets.set(client, { left: left - 1, at: now });
  };
}

/** Those that wait for less than this are spread over so many seconds all the same. */
const leastSpread = 4;

/** Seconds after which a client may come back, and up to half as many more: all that are refused now would be back at once. */
export function spread(seconds: number): number {
  return seconds + Math.floor(Math.random() * (Math.max(leastSpread, seconds / 2) + 1));
}
