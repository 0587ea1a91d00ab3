import { route, type Route } from '../../http/route.ts';
import type { Clock } from '../../model/process.ts';
import { statusSchema, type DaemonStatus } from '../../model/status.ts';
import { formatTime } from '../../model/time.ts';
import type { LibraryWork } from '../import/library-work.ts';
import type { WaypointIndex } from '../../search/waypoint-index.ts';
import type { LibraryTotals } from '../../storage/library/totals.ts';
import type { WaypointStore } from '../../storage/store.ts';
import type { BookmarksMirror } from '../mirror/mirror.ts';
import type { TimelineJobs } from '../timelines/jobs.ts';
import type { WatchedFolders } from '../watch/watched-folders.ts';

export interface StatusParts {
  readonly clock: Clock;
  readonly index: WaypointIndex;
  readonly library: LibraryWork;
  readonly timelines: TimelineJobs;
  readonly mirror: Pick<BookmarksMirror, 'deletionsWaiting'>;
  readonly store: Pick<WaypointStore, 'libraryTotals'>;
  readonly watch: Pick<WatchedFolders, 'status'>;
}

/** `GET /api/status`: how the daemon is. It answers at once, whatever is going on. */
export function statusRoutes(parts: StatusParts): Route[] {
  const startedAt = parts.clock.monotonic();
  return [
    route({
      method: 'GET',
      path: '/api/status',
      summary: 'Tells how the daemon is: since when it runs, what it holds and what it works on.',
      answers: { 200: statusSchema },
      handle: () => ({ status: 200, json: readStatus(parts, startedAt) }),
    }),
  ];
}

function readStatus(
  { clock, index, library: work, timelines, mirror, store, watch }: StatusParts,
  startedAt: number,
): DaemonStatus {
  const library = work.status();
  const deletions = mirror.deletionsWaiting;
  const watched = watch.status();
  return {
    uptime_seconds: Math.floor((clock.monotonic() - startedAt) / 1000),
    library,
    ...(library.state === 'reading'
      ? {}
      : { waypoints: index.count(), imported: importedOf(store.libraryTotals()) }),
    bookmarks: index.countBookmarks(),
    ...(deletions === undefined ? {} : { bookmarks_file: { deletions_waiting: deletions } }),
    timelines: timelines.counts(),
    ...(watched.length > 0 ? { watch: watched } : {}),
  };
}

function importedOf(totals: LibraryTotals): DaemonStatus['imported'] {
  const { files, tracks, routes, trackPoints, observations, firstMs, lastMs } = totals;
  return {
    files,
    tracks,
    routes,
    track_points: trackPoints,
    observations,
    ...(firstMs === null ? {} : { first_time: formatTime(firstMs) }),
    ...(lastMs === null ? {} : { last_time: formatTime(lastMs) }),
  };
}
