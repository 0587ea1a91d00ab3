import { notModified } from '../../model/etag.ts';
import { route, type Answer, type Route } from '../../http/route.ts';
import { waypointsQuery, waypointsSchema, type WaypointsQuery } from '../../model/waypoint.ts';
import type { ReadSnapshot } from '../../storage/reader-pool.ts';
import { waypointListPieces } from '../../storage/waypoint-list.ts';
import { makeEtag } from '../etag.ts';
import type { DaemonParts } from '../parts.ts';

/**
 * `GET /api/waypoints`: bookmarks, then imported waypoints, streamed from one snapshot of both databases. While a lost
 * library is read again it waits: half a list, or an export of one, would look like a whole one.
 */
export function waypointRoutes({ store, readers, library }: DaemonParts): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/waypoints',
      summary: 'Lists all waypoints, bookmarks first.',
      query: waypointsQuery,
      answers: { 200: waypointsSchema, 304: null },
      async handle({ query, ifNoneMatch }): Promise<Answer> {
        if (query.bookmarksOnly !== true) await library.ready;
        const current = etagOf(store.revision(), query);
        if (notModified(ifNoneMatch, current)) return { status: 304, etag: current };
        return streamList(readers.acquire(), query);
      },
    }),
  ];
}

function streamList(snapshot: ReadSnapshot, query: WaypointsQuery): Answer {
  try {
    return {
      status: 200,
      // The snapshot's own revision: a change may have come since the one compared above.
      etag: etagOf(snapshot.revision(), query),
      contentType: query.format === 'geojson' ? 'application/geo+json' : 'application/json',
      pieces: waypointListPieces(snapshot.db, query),
      close: () => snapshot.release(),
    };
  } catch (error) {
    snapshot.release();
    throw error;
  }
}

function etagOf(revision: string, query: WaypointsQuery): string {
  const { emoji = false, bookmarksOnly = false, bbox = [], tag = '', format = 'json' } = query;
  return makeEtag(revision, [emoji, bookmarksOnly, bbox, tag, format]);
}
