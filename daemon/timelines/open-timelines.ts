import type { Clock, Log } from '../../model/process.ts';
import type { WaypointStore } from '../../storage/store.ts';
import type { Geodata } from '../geodata/geodata.ts';
import type { LibraryWork } from '../import/library-work.ts';
import type { Paths } from '../paths.ts';
import type { Schedule } from '../schedule.ts';
import { TimelineJobs, type TimelineOverrides } from './jobs.ts';
import { WholeTimelines } from './whole-timelines.ts';

interface Parts {
  readonly store: WaypointStore;
  readonly library: LibraryWork;
  readonly geodata: Geodata;
}

interface Options {
  readonly paths: Paths;
  readonly clock: Clock;
  readonly log: Log;
  readonly schedule?: Schedule;
  readonly timelines?: TimelineOverrides;
}

/** Opens the two that read recordings: the jobs of a period, and the whole of all time. */
export function openTimelines(
  { store, library, geodata }: Parts,
  { paths, clock, log, schedule, timelines: overrides }: Options,
) {
  const recorded = {
    libraryPath: paths.libraryDatabase,
    clock,
    log,
    corrections: () => store.corrections.all(),
    libraryReady: () => library.ready,
    geodata: () => geodata.inUse(),
  };
  const isActive = (id: number): boolean => store.imports.find(id)?.state === 'active';
  const revisions = {
    libraryRevision: () => store.libraryFiles.revision(),
    correctionsRevision: () => store.corrections.revision(),
  };
  return {
    timelines: new TimelineJobs({ ...recorded, isActive }, overrides),
    whole: new WholeTimelines({ ...recorded, ...revisions, schedule }),
  };
}
