import { Random } from '../random.ts';
import type { Fix, Span } from './recorder.ts';

const minuteMs = 60_000;
const freezeShare = 0.4;

/**
 * Repeats the last fix for 5–12 minutes on two of five ways, as receivers do that have lost the sky in a tunnel, an
 * underground train or a shopping centre: what follows is a jump.
 */
export function freeze(fixes: readonly Fix[], stays: readonly Span[], seed: number): Fix[] {
  const random = new Random(seed);
  const frozen: Span[] = [];
  for (let i = 1; i < stays.length; i += 1) {
    const [from, to] = [stays[i - 1]!.endMs + minuteMs, stays[i]!.startMs - minuteMs];
    const lengthMs = random.between(5, 12) * minuteMs;
    const isFrozen = random.unit() < freezeShare && to - from > lengthMs;
    const startMs = from + random.unit() * (to - from - lengthMs);
    if (isFrozen) frozen.push({ startMs, endMs: startMs + lengthMs });
  }
  let next = 0;
  let last: Fix | undefined;
  return fixes.map((fix) => {
    while (next < frozen.length && frozen[next]!.endMs <= fix.timeMs) next += 1;
    const isFrozen = last !== undefined && (frozen[next]?.startMs ?? Infinity) <= fix.timeMs;
    if (!isFrozen) last = fix;
    return { ...last!, timeMs: fix.timeMs };
  });
}
