import { effect, signal } from '@preact/signals';
import type { TrackDays } from '../../client/waypoints/index.ts';
import { away, revision, service } from './service.ts';
import { period, target, view, type Period } from './state.ts';
import { boxOf } from './track-points.ts';

/** At which a track is a few points. */
const coarseZoom = 3;

/** The days of the whole archive that something was recorded on, ascending, and how much. */
export type Archive = TrackDays['days'];

/** Undefined until the daemon has said. */
export const archive = signal<Archive>();

/** Keeps the archive true to what is stored. */
export function followArchive(): void {
  effect(() => {
    void revision.value;
    if (away.value !== undefined) return;
    service.getTrackDays().then(
      ({ days }) => (archive.value = days),
      () => undefined,
    );
  });
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
  ) as [lon: number, lat: number][];
  return boxOf(positions);
}
