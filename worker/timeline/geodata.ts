import { GeodataLookup } from '../../geodata/lookup.ts';
import { attempt } from '../../model/attempt.ts';
import { closing } from '../../model/closing.ts';
import type { AdminLookup } from '../../model/admin-place.ts';
import type { TimelineDataset } from '../../model/timeline-result.ts';
import type { TimelineTask } from './task.ts';

/** The geodata that names the places of one timeline. */
export interface Geodata {
  readonly lookup: AdminLookup;
  readonly dataset: TimelineDataset;
}

type GeodataTask = Pick<TimelineTask, 'geodataPath' | 'dataset'>;

/** A generation that was opened cannot be read. */
class GeodataFailed extends Error {
  override readonly name = 'GeodataFailed';
}

/**
 * Runs some work with the geodata of a task. Without geodata, or where it cannot be opened or read, the work runs without
 * names: a timeline without them is better than none.
 */
export function withGeodata<T>(task: GeodataTask, work: (geodata?: Geodata) => T): T {
  const opened = open(task);
  if (opened === undefined) return work();
  const { dataset } = opened;
  try {
    using lookup = closing(opened.lookup);
    const guarded: AdminLookup = {
      find: (lat, lon) => reading(() => lookup.find(lat, lon)),
      nearBorder: (lat, lon) => reading(() => lookup.nearBorder(lat, lon)),
    };
    return work({ lookup: guarded, dataset });
  } catch (error) {
    if (error instanceof GeodataFailed) return work();
    throw error;
  }
}

function open({ geodataPath, dataset }: GeodataTask) {
  if (geodataPath === null || dataset === null) return undefined;
  return attempt(() => ({ lookup: new GeodataLookup(geodataPath), dataset }));
}

/** Errors of SQLite among those of the library would have that one set aside. */
function reading<T>(find: () => T): T {
  try {
    return find();
  } catch {
    throw new GeodataFailed();
  }
}
