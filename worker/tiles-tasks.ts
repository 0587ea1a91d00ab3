import { isDamage } from '../storage/database.ts';
import { DayBlobCorrupt } from '../storage/day-blob.ts';
import { markLibraryDamaged } from '../storage/library/prepare.ts';
import { TrackReader } from '../storage/library/track-reader.ts';
import { runTask } from './run-task.ts';
import { SharedCounters } from './shared-counters.ts';
import { makeTile as runTile } from './tiles/make-tile.ts';
import type { TileOutcome, TileTask, TrackTask } from './tiles/task.ts';

export type { TileOutcome, TileTask, TrackTask } from './tiles/task.ts';

/** The tasks of the thread that reads tracks for maps; input and output are plain data or shared memory. */
export function makeTile(task: TileTask): TileOutcome {
  return withTracks(task, (reader, look) => runTile(task, reader, look));
}

class Cancelled extends Error {}

/** Kept for the next task: opening one takes longer than most tiles. It goes with the thread. */
let opened: TrackReader | undefined;

function withTracks<T>(
  task: TrackTask,
  work: (reader: TrackReader, look: () => void) => T,
): T | undefined {
  const flag = new SharedCounters([], task.control);
  const look = (): void => {
    if (flag.isCancelled) throw new Cancelled();
  };
  return runTask(
    'tiles',
    () => {
      try {
        look();
        const reader = (opened ??= new TrackReader(task.waypointsPath, task.libraryPath));
        return reader.snapshot(() => work(reader, look));
      } catch (error) {
        if (error instanceof Cancelled) return undefined;
        throw error;
      }
    },
    (error) => {
      if (isDamage(error) || error instanceof DayBlobCorrupt) markLibraryDamaged(task.libraryPath);
    },
  );
}
