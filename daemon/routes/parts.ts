import type { Strangers } from '../../http/strangers.ts';
import type { Clock } from '../../model/process.ts';
import type { WaypointIndex } from '../../search/waypoint-index.ts';
import type { ReaderPool } from '../../storage/reader-pool.ts';
import type { WaypointStore } from '../../storage/store.ts';
import type { Changes } from '../changes/changes.ts';
import type { Geocoder } from '../geocoders/geocoder.ts';
import type { Geodata } from '../geodata/geodata.ts';
import type { ImportedFiles } from '../import/imported-files.ts';
import type { LibraryWork } from '../import/library-work.ts';
import type { ImportRun } from '../import/run.ts';
import type { Uploads } from '../import/uploads.ts';
import type { LocationReader } from '../location/open-location.ts';
import type { BookmarksMirror } from '../mirror/mirror.ts';
import type { TrackMaps } from '../tiles/track-maps.ts';
import type { TimelineJobs } from '../timelines/jobs.ts';
import type { WholeTimelines } from '../timelines/whole-timelines.ts';
import type { WatchedFolders } from '../watch/watched-folders.ts';

/** The parts of a daemon that its routes answer from. */
export interface RouteParts {
  readonly token: string;
  readonly strangers: Strangers;
  readonly store: WaypointStore;
  readonly readers: ReaderPool;
  readonly mirror: BookmarksMirror;
  readonly watch: WatchedFolders;
  readonly changes: Changes;
  readonly index: WaypointIndex;
  readonly library: LibraryWork;
  readonly imports: ImportRun;
  readonly files: ImportedFiles;
  readonly uploads: Uploads;
  readonly geodata: Geodata;
  /** Asked in this order for what local waypoints leave room for. */
  readonly geocoders: readonly Geocoder[];
  readonly maps: TrackMaps;
  readonly timelines: TimelineJobs;
  readonly whole: WholeTimelines;
  readonly location: LocationReader;
  readonly clock: Clock;
  readonly isHistoryKept: boolean;
}
