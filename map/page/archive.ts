import { effect, signal } from '@preact/signals';
import { away, revision, service } from './service.ts';
import { period, target, view, type Period } from './state.ts';
import { boxOf, unwrapped } from './track-points.ts';
import { dayNumber } from './words.ts';

/** At which a track is a few points. */
const coarseZoom = 3;

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

/** Has the map go to the tracks of a period, once it is chosen, where it shows none of them. */
export function followPeriod(): void {
  effect(() => {
    const chosen = period.value;
    if (chosen === undefined) return;
    const abort = new AbortController();
    void boxOfUnseen(chosen)
      .catch(() => undefined)
      .then((bbox) => {
        if (bbox !== undefined && !abort.signal.aborted) target.value = { bbox };
      });
    return () => abort.abort();
  });
}

async function boxOfUnseen(chosen: Period): Promise<ReturnType<typeof boxOf>> {
  const bbox = view.peek()?.bbox;
  const inView = await service.getTracks({ ...chosen, bbox, limit: 1 });
  if (inView.features.length > 0) return undefined;
  const { features } = await service.getTracks({ ...chosen, zoom: coarseZoom });
  // Sound: a list of positions, or one.
  const positions = features.flatMap(({ geometry: { type, coordinates } }) =>
    type === 'Point' ? [coordinates] : coordinates,
  ) as number[][];
  const [lons, lats] = [0, 1].map((axis) => positions.map((one) => one[axis] ?? 0));
  return boxOf({ lons: unwrapped(lons ?? []), lats: lats ?? [] });
}

/** The day with something that is nearest to a day. */
export function nearest({ numbers }: Archive, number: number): number {
  return numbers.reduce(
    (best, other) => (Math.abs(other - number) < Math.abs(best - number) ? other : best),
    numbers[0] ?? number,
  );
}
