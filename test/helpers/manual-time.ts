import type { Schedule } from '../../daemon/schedule.ts';
import type { Clock } from '../../model/process.ts';

/** Time that stands still until a test moves it. */
export interface ManualTime {
  readonly clock: Clock;
  readonly schedule: Schedule;
  /** Lets time pass, and what is due within it happen in order. */
  readonly advance: (ms: number) => void;
  /** Timers that wait. */
  readonly waiting: () => number;
  /** In how many ms each of them is due. */
  readonly due: () => number[];
  /** Drops the timers, as the end of a process does. */
  readonly forget: () => void;
}

/** The wall clock starts at 2024-06-01T12:00:00Z, the monotonic one at 0. */
export function manualTime(): ManualTime {
  const epoch = Date.UTC(2024, 5, 1, 12);
  let elapsed = 0;
  const timers = new Set<{ readonly at: number; readonly run: () => void }>();
  return {
    clock: { now: () => epoch + elapsed, monotonic: () => elapsed },
    schedule(run, delayMs) {
      const timer = { at: elapsed + delayMs, run };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    advance(ms) {
      const end = elapsed + ms;
      for (;;) {
        const [next] = [...timers].filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at);
        if (next === undefined) break;
        elapsed = next.at;
        timers.delete(next);
        next.run();
      }
      elapsed = end;
    },
    waiting: () => timers.size,
    due: () => [...timers].map(({ at }) => at - elapsed),
    forget: () => timers.clear(),
  };
}
