import type { StoreMeta } from './meta.ts';

const key = 'retention_time';
/** Most that the clock may advance at once: a false jump must not use up the thirty days. */
const longestStepMs = 7 * 86_400_000;
/** Nothing is written for less. */
const shortestStepMs = 60_000;

/**
 * The time by which what is kept for a while grows old, ms since 1970. It follows the clock, but a clock that jumps (a
 * flat battery, a wrong zone, a computer without one) must not end in a moment what was to be kept for thirty days: it
 * never goes back, at most a week forward at once, and catches up at twice the pace of the clock.
 */
export function retentionTime(meta: Pick<StoreMeta, 'get' | 'set'>, clockMs: number): number {
  const stored = meta.get(key);
  const [before = clockMs, seen = clockMs] = (stored ?? '').split(' ').flatMap(numbers);
  const step = Math.min(Math.max(2 * (clockMs - seen), 0), longestStepMs);
  const now = Math.max(before, Math.min(clockMs, before + step));
  if (stored === undefined || Math.abs(clockMs - seen) >= shortestStepMs)
    meta.set(key, `${now} ${clockMs}`);
  return now;
}

function numbers(text: string): number[] {
  const number = Number(text);
  return text === '' || !Number.isSafeInteger(number) ? [] : [number];
}
