import { limits } from '../../model/limits.ts';
import type { Clock, LocationFix } from '../../model/process.ts';

/** A fix, and when it came. */
export interface KnownFix {
  readonly fix: LocationFix;
  /** How old it was by its own time stamp, ms; 0 for a stamp in the future. */
  readonly ageAtArrivalMs: number;
  readonly arrivedAt: { readonly now: number; readonly monotonic: number };
}

/** Two fixes that are this far apart in time, ms, are of the same moment: the more accurate one counts. */
const sameMomentMs = 10_000;

/** Notes a fix that has just come. */
export function noteFix(fix: LocationFix, clock: Clock): KnownFix {
  const now = clock.now();
  return {
    fix,
    ageAtArrivalMs: Math.max(0, now - Date.parse(fix.timestamp)),
    arrivedAt: { now, monotonic: clock.monotonic() },
  };
}

/**
 * Tells how old a fix is, ms. The time since it came is the longer of what two clocks say: the monotonic one stands still
 * while the machine sleeps, and the wall clock may be set back. A receiver whose clock is ahead does not make a fix old.
 */
function ageOf({ ageAtArrivalMs, arrivedAt }: KnownFix, clock: Clock): number {
  const passed = [clock.now() - arrivedAt.now, clock.monotonic() - arrivedAt.monotonic];
  return ageAtArrivalMs + Math.max(0, ...passed);
}

/** Chooses the best of the fixes that are at most limits.locationMaxAgeMs old. */
export function bestFix(known: Iterable<KnownFix>, clock: Clock): LocationFix | undefined {
  const fresh = [...known]
    .map((entry) => ({ fix: entry.fix, age: ageOf(entry, clock) }))
    .filter(({ age }) => age <= limits.locationMaxAgeMs);
  const newest = Math.min(...fresh.map(({ age }) => age));
  const [best] = fresh
    .filter(({ age }) => age - newest <= sameMomentMs)
    .toSorted((a, b) => accuracyOf(a.fix) - accuracyOf(b.fix) || a.age - b.age);
  return best?.fix;
}

/** A fix that does not say how accurate it is comes last; but infinities have no difference. */
function accuracyOf({ accuracy_m = Number.MAX_VALUE }: LocationFix): number {
  return accuracy_m;
}
