import { TrackReader } from '../storage/library/track-reader.ts';
import { runLibraryTask } from './run-task.ts';
import { SharedCounters } from './shared-counters.ts';
import { makeTile as runTile } from './tiles/make-tile.ts';
import { listDays as runDays, listPoints as runPoints } from './tiles/list-points.ts';
import { listTracks as runTracks } from './tiles/list-tracks.ts';
import type {
  DayListTask,
  PointListTask,
  TileOutcome,
  TileTask,
  TrackListTask,
  TrackTask,
} from './tiles/task.ts';

export type { TileOutcome, TileTask, TrackTask } from './tiles/task.ts';

/** The tasks of the thread that reads tracks for maps; input and output are plain data or shared memory. */
export function makeTile(task: TileTask): TileOutcome {
  return withTracks(task, (reader, look) => runTile(task, reader, look));
}

/** The answer of `GET /api/tracks`. */
export function listTracks(task: TrackListTask): TileOutcome {
  return withTracks(task, (reader, look) => encoder.encode(runTracks(task, reader, look)));
}

/** The answer of `GET /api/tracks/days`. */
export function listDays(task: DayListTask): TileOutcome {
  return withTracks(task, (reader) => encoder.encode(runDays(task, reader)));
}

/** The answer of `GET /api/tracks/points`. */
export function listPoints(task: PointListTask): TileOutcome {
  return withTracks(task, (reader, look) => encoder.encode(runPoints(task, reader, look)));
}

/** Encodes here: the main thread has no time for megabytes. */
const encoder = new TextEncoder();

class Cancelled extends Error {}

/** Kept as long as the thread: opening one costs more than most tiles. */
let opened: TrackReader | undefined;

function withTracks<T>(
  task: TrackTask,
  work: (reader: TrackReader, look: () => void) => T,
): T | undefined {
  const flag = new SharedCounters([], task.control);
  const look = (): void => {
    if (flag.isCancelled) throw new Cancelled();
  };
  return runLibraryTask('tiles', task.libraryPath, () => {
    try {
      look();
      const reader = (opened ??= new TrackReader(task.libraryPath));
      return reader.snapshot(() => work(reader, look));
    } catch (error) {
      if (error instanceof Cancelled) return undefined;
      throw error;
    }
  });
}
