import type { Route } from '../../http/route.ts';
import type { Clock } from '../../model/process.ts';
import type { ReaderPool } from '../../storage/reader-pool.ts';
import type { WaypointStore } from '../../storage/store.ts';
import type { Changes } from '../changes/changes.ts';
import type { Geodata } from '../geodata/geodata.ts';
import type { ImportedFiles } from '../import/imported-files.ts';
import type { LibraryWork } from '../import/library-work.ts';
import type { ImportRun } from '../import/run.ts';
import type { Uploads } from '../import/uploads.ts';
import type { LatestFix } from '../location/open-location.ts';
import { revisionKey } from '../import/ledger-sync.ts';
import type { TrackMaps } from '../tiles/track-maps.ts';
import type { TimelineJobs } from '../timelines/jobs.ts';
import type { Geocoder } from '../geocoders/geocoder.ts';
import type { WaypointIndex } from '../../search/waypoint-index.ts';
import { programVersion, versionInfo } from '../version-info.ts';
import type { Strangers } from '../../http/strangers.ts';
import type { BookmarksMirror } from '../mirror/mirror.ts';
import type { Waypoints } from '../waypoints.ts';
import type { WatchedFolders } from '../watch/watched-folders.ts';
import { bookmarkRoutes } from './bookmarks.ts';
import { changeRoutes } from './changes.ts';
import { clusterRoutes } from './clusters.ts';
import { exportRoutes } from './export.ts';
import { geodataRoutes } from './geodata.ts';
import { healthRoute } from './health.ts';
import { hiddenRoutes } from './hidden.ts';
import { historyRoutes } from './history.ts';
import { importRoutes } from './import.ts';
import { importedFileRoutes } from './imported-files.ts';
import { locationRoutes } from './location.ts';
import { openApiRoute } from './openapi.ts';
import { statusRoutes } from './status.ts';
import { suggestRoutes } from './suggest.ts';
import { tagRoutes } from './tags.ts';
import { tileRoutes } from './tiles.ts';
import { timelineRoutes } from './timelines.ts';
import { trackRoutes } from './tracks.ts';
import { versionRoutes } from './version.ts';
import { waypointRoutes } from './waypoints.ts';

/** What `GET /api/version` lists: the parts of the API that this version has. */
const features = [
  'bookmarks',
  'changes',
  'clusters',
  'export',
  'geodata',
  'geojson',
  'hidden',
  'history',
  'import',
  'imports',
  'location',
  'suggest',
  'tags',
  'tiles',
  'timelines',
  'tracks',
];

/** A user interface can tell that what is typed leaves the machine. */
function featuresWith(geocoders: readonly Geocoder[]): string[] {
  const isOnline = geocoders.some((geocoder) => geocoder.isOnline === true);
  return isOnline ? [...features, 'online-geocoding'] : features;
}

/** The parts that routes answer from. */
export interface RouteParts {
  readonly token: string;
  readonly strangers: Strangers;
  readonly store: WaypointStore;
  readonly readers: ReaderPool;
  readonly waypoints: Waypoints;
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
  readonly latestFix: LatestFix;
  readonly clock: Clock;
  readonly isHistoryKept: boolean;
}

/** Every route of the daemon, one file a resource. */
export function apiRoutes(parts: RouteParts): Route[] {
  const { store, index, library, imports, waypoints, geocoders } = parts;
  const indexReady = (): Promise<void> => library.indexReady;
  const libraryReady = (): Promise<void> => library.ready;
  // Tracks name their imports, which the list of imports learns after the library.
  const tracksRevision = (): string =>
    `${store.libraryFiles.revision()}-${store.meta.get(revisionKey)}`;
  const routes = [
    healthRoute(parts.token, parts.strangers),
    ...bookmarkRoutes(waypoints, parts.mirror),
    ...changeRoutes(parts.changes),
    ...clusterRoutes({ store, index, indexReady }),
    ...exportRoutes({ ...parts, libraryReady }),
    ...geodataRoutes(parts.geodata),
    ...hiddenRoutes(waypoints, store, libraryReady),
    ...historyRoutes(store, parts.isHistoryKept),
    ...importRoutes(imports),
    ...importedFileRoutes(store.imports, parts.files, parts.uploads, () => library.listed),
    ...locationRoutes(parts.latestFix),
    ...statusRoutes(parts),
    ...suggestRoutes({ store, index, indexReady, libraryReady, geocoders }),
    ...tagRoutes(waypoints, store, libraryReady),
    ...tileRoutes({ store, index, indexReady, maps: parts.maps, tracksRevision }),
    ...timelineRoutes(parts.timelines),
    ...trackRoutes(parts.maps, tracksRevision),
    ...versionRoutes(() => versionInfo(store.sqliteVersion, featuresWith(geocoders))),
    ...waypointRoutes(store, parts.readers, libraryReady),
  ];
  return [...routes.map(afterLongChanges), openApiRoute(routes, programVersion())];

  function afterLongChanges(route: Route): Route {
    if (route.method === 'GET') return route;
    return {
      ...route,
      async handle(request) {
        await waypoints.settled();
        return route.handle(request);
      },
    };
  }
}
