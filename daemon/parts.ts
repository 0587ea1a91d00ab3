import { join } from 'node:path';
import { WaypointIndex } from '../search/waypoint-index.ts';
import { Strangers } from '../http/strangers.ts';
import { keyOf } from '../model/identity.ts';
import { limits } from '../model/limits.ts';
import type { Clock, Log } from '../model/process.ts';
import type { Settings } from '../model/settings.ts';
import { ReaderPool } from '../storage/reader-pool.ts';
import type { StoreChange, WaypointStore } from '../storage/store.ts';
import { Changes } from './changes/changes.ts';
import { chooseGeocoders } from './geocoders/choose-geocoders.ts';
import { Geodata, type GeodataOverrides } from './geodata/geodata.ts';
import { newToken } from './guard.ts';
import { ImportedFiles } from './import/imported-files.ts';
import { LibraryWork } from './import/library-work.ts';
import { ListSync } from './import/list-sync.ts';
import { ImportRun } from './import/run.ts';
import { Uploads } from './import/uploads.ts';
import { openLocation } from './location/open-location.ts';
import { BookmarksMirror } from './mirror/mirror.ts';
import type { Paths } from './paths.ts';
import { RollingBackups } from './rolling-backups.ts';
import type { Schedule } from './schedule.ts';
import type { OpenedStores } from './stores.ts';
import { TimelineJobs, type TimelineOverrides } from './timelines/jobs.ts';
import { WholeTimelines } from './timelines/whole-timelines.ts';
import { TrackMaps } from './tiles/track-maps.ts';
import { WatchedFolders } from './watch/watched-folders.ts';

export interface DaemonOptions {
  readonly settings: Settings;
  readonly paths: Paths;
  readonly log: Log;
  readonly clock?: Clock;
  /** Whether other programs are to find this daemon: written to the hand-over file after `listen`. */
  readonly handOver: boolean;
  /** Listens here instead of at the configured port; 0 takes any free one. */
  readonly port?: number;
  /** A socket inherited from a service manager, instead of the port. */
  readonly socket?: { readonly fd: number };
  /** Ends a start that waits for its port: it rejects with the reason then. */
  readonly signal?: AbortSignal;
  /** Tests bring their own. */
  readonly schedule?: Schedule;
  /** Accept a new store beside the remains of a lost one (`serve --new-store`). */
  readonly newStore?: boolean;
  /** Tests bring a gpsd on another port. */
  readonly gpsdPort?: number;
  /** Another list of generations (`serve --geodata-manifest`); tests also bring another builtin one. */
  readonly geodata?: GeodataOverrides;
  /** Tests bring smaller bounds and workers of their own. */
  readonly timelines?: TimelineOverrides;
}

export type StartOptions = DaemonOptions & { readonly clock: Clock };

/** The parts of a daemon, from which its routes answer. */
export type DaemonParts = Awaited<ReturnType<typeof buildParts>>;

/** Builds the parts of a daemon; none of them runs yet. */
export async function buildParts(
  { store, isLibraryWhole: wasLibraryWhole }: OpenedStores,
  options: StartOptions,
) {
  const { settings, paths, log, clock, gpsdPort, schedule } = options;
  const index = new WaypointIndex();
  const imported = buildImports(store, index, wasLibraryWhole, options);
  const { library, files } = imported;
  const geodata = new Geodata({ directory: paths.geodata, clock, log }, options.geodata);
  const cachePath = paths.geocodeDatabase;
  const mirror = buildMirror(store, index, library, options);
  const libraryReady = () => library.ready;
  const own = [paths.data, paths.cache, paths.runtime, paths.config];
  return {
    token: newToken(),
    strangers: new Strangers(limits.strangers),
    clock,
    isHistoryKept: settings.history,
    store,
    index,
    readers: new ReaderPool({
      waypointsPath: paths.waypointsDatabase,
      libraryPath: paths.libraryDatabase,
      size: limits.streams,
    }),
    ...imported,
    ...buildTimelines(store, library, geodata, options),
    geodata,
    /** Asked in this order for what local waypoints leave room for. */
    geocoders: await chooseGeocoders(geodata.places, { settings, cachePath, clock, log }),
    maps: new TrackMaps(paths.libraryDatabase, schedule),
    mirror,
    changes: new Changes({ store, libraryReady, undoImports: (change) => files.undo(change) }),
    location: openLocation({ settings, clock, log, gpsdPort }),
    backups: new RollingBackups({ paths, clock, log, schedule }),
    watch: new WatchedFolders({ dirs: settings.watch_dirs, own, library, log, schedule }),
  };
}

/** Builds the bookmarks file; it and the index follow the store from now on. */
function buildMirror(
  store: WaypointStore,
  index: WaypointIndex,
  library: LibraryWork,
  { paths, clock, log }: StartOptions,
): BookmarksMirror {
  const mirror = new BookmarksMirror({
    path: paths.bookmarksFile,
    backupsDirectory: paths.backups,
    waypointsPath: paths.waypointsDatabase,
    store,
    log,
    clock,
    isWatched: true,
    libraryReady: () => library.ready,
  });
  for (const bookmark of store.bookmarks.all()) index.putBookmark(bookmark);
  for (const identity of store.hidden.all()) index.hide(identity);
  store.isLibraryWhole = () => library.isWhole;
  store.onChange = (change) => {
    followChange(store, index, change);
    // The bookmarks file has what was merged from it.
    if (change.kind !== 'merge') mirror.touch();
  };
  return mirror;
}

function followChange(store: WaypointStore, index: WaypointIndex, { rows }: StoreChange): void {
  for (const { of, before, after } of rows) {
    if (of === 'bookmark') {
      if (after === null) index.removeBookmark(before!.id);
      else index.putBookmark(after);
    } else if (of === 'hidden') {
      const key = keyOf((after ?? before)!);
      if (store.hidden.has(key)) index.hide(key);
      else index.unhide(key);
    }
  }
}

/** Builds what writes the library and what has it write. */
function buildImports(
  store: WaypointStore,
  index: WaypointIndex,
  wasLibraryWhole: boolean,
  { paths, clock, log }: StartOptions,
) {
  const importsDirectory = paths.imports;
  const sync = new ListSync(store, clock);
  const library = new LibraryWork({
    libraryPath: paths.libraryDatabase,
    waypointsPath: paths.waypointsDatabase,
    importsDirectory,
    ownFiles: [paths.bookmarksFile, paths.backups],
    wasLibraryWhole,
    list: sync,
    clock,
    log,
    onIndex: (data) => index.replaceLibrary(data),
  });
  const countWaypoints = () => index.count();
  const list = store.imports;
  const directory = join(importsDirectory, '.incoming');
  return {
    library,
    imports: new ImportRun({ library, importsDirectory, clock, log, countWaypoints }),
    files: new ImportedFiles({ library, sync, list, importsDirectory, dataDirectory: paths.data }),
    uploads: new Uploads({ library, directory, countWaypoints }),
  };
}

/** Builds the two that read recordings: the jobs of a period, and the whole of all time. */
function buildTimelines(
  store: WaypointStore,
  library: LibraryWork,
  geodata: Geodata,
  { paths, clock, log, schedule, timelines: overrides }: StartOptions,
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
