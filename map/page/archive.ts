import { effect, signal } from '@preact/signals';
import { away, revision, service } from './service.ts';
import { dayNumber } from './words.ts';

/** The days of the whole archive that something was recorded on, and how much. */
export interface Archive {
  /** Days since 1970, ascending. */
  readonly numbers: readonly number[];
  /** Recorded points of each. */
  readonly counts: readonly number[];
}

/** Undefined until the daemon has said. */
export const archive = signal<Archive>();

/** Keeps the archive true to what is stored. */
export function followArchive(): void {
  effect(() => {
    void revision.value;
    if (away.value === undefined) void load();
  });
}

async function load(): Promise<void> {
  const answer = await service.getTrackDays().catch(() => undefined);
  if (answer === undefined) return;
  const { days } = answer;
  archive.value = {
    numbers: days.map(({ day }) => dayNumber(day)),
    counts: days.map(({ points }) => points),
  };
}

/** The day with something that is nearest to a day. */
export function nearest({ numbers }: Archive, number: number): number {
  return numbers.reduce(
    (best, other) => (Math.abs(other - number) < Math.abs(best - number) ? other : best),
    numbers[0] ?? number,
  );
}
