import { route, type Route } from '../../http/route.ts';
import { statusSchema, type DaemonStatus } from '../../model/status.ts';
import { formatTime } from '../../model/time.ts';
import type { LibraryTotals } from '../../storage/library/totals.ts';
import type { DaemonParts } from '../parts.ts';

/** `GET /api/status`: how the daemon is. It answers at once, whatever is going on. */
export function statusRoutes(parts: DaemonParts): Route[] {
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
  { clock, index, library: work, timelines, mirror, store, watch }: DaemonParts,
  startedAt: number,
): DaemonStatus {
  const library = work.status();
  const watched = watch.status();
  return {
    uptime_seconds: Math.floor((clock.monotonic() - startedAt) / 1000),
    library,
    ...(library.state === 'reading'
      ? {}
      : { waypoints: index.count(), imported: importedOf(store.libraryTotals()) }),
    bookmarks: index.countBookmarks(),
    ...bookmarksFileOf(mirror),
    timelines: timelines.counts(),
    ...(watched.length > 0 ? { watch: watched } : {}),
  };
}

function bookmarksFileOf({ deletionsWaiting, lastMerge, problem }: DaemonParts['mirror']) {
  if ((deletionsWaiting ?? lastMerge ?? problem) === undefined) return {};
  const { at = 0, refused: _refused, ...merge } = lastMerge ?? {};
  return {
    bookmarks_file: {
      ...(deletionsWaiting === undefined ? {} : { deletions_waiting: deletionsWaiting }),
      ...(problem === undefined ? {} : { problem }),
      ...(lastMerge === undefined ? {} : { last_merge: { ...merge, at: formatTime(at) } }),
    },
  } as Pick<DaemonStatus, 'bookmarks_file'>;
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
