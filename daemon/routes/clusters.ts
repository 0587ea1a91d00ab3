import { route, type Answer, type Route } from '../../http/route.ts';
import { notModified } from '../../model/etag.ts';
import { WaypointError } from '../../model/failure.ts';
import { limits } from '../../model/limits.ts';
import { clustersQuery, clustersSchema, type ClusterItem } from '../../model/search.ts';
import { findClusters } from '../../search/clusters.ts';
import { makeEtag } from '../etag.ts';
import type { DaemonParts } from '../parts.ts';

/** Answers of more items are sent in pieces, a few at once. */
const fewItems = 5_000;
const pieceItems = 500;

/** `GET /api/clusters`: waypoints grouped for a map. */
export function clusterRoutes({ store, index, library }: DaemonParts): Route[] {
  let streams = 0;
  return [
    route({
      method: 'GET',
      path: '/api/clusters',
      summary: 'Groups waypoints into the cells of a pixel grid at a zoom level.',
      query: clustersQuery,
      answers: { 200: clustersSchema, 304: null },
      async handle({ query, ifNoneMatch }): Promise<Answer> {
        await library.indexReady;
        const { zoom = 0, grid = limits.gridDefault, bookmarksOnly = false, bbox } = query;
        const { bounds = false } = query;
        const asked = [zoom, grid, bookmarksOnly, bounds, bbox ?? []];
        const etag = makeEtag(`${index.libraryRevision}-${store.revision()}`, asked);
        if (notModified(ifNoneMatch, etag)) return { status: 304, etag };
        const request = { zoom, grid, bookmarksOnly, bounds, bbox };
        const { count, items } = findClusters(index.snapshot(), request);
        if (count <= fewItems) return { status: 200, etag, json: [...items] };
        if (streams === limits.clusterStreams) throw new WaypointError('busy');
        streams += 1;
        const close = () => void (streams -= 1);
        return { status: 200, etag, pieces: jsonPieces(items), close };
      },
    }),
  ];
}

function* jsonPieces(items: Iterable<ClusterItem>): Generator<string> {
  let separator = '[';
  let piece: ClusterItem[] = [];
  for (const item of items) {
    piece.push(item);
    if (piece.length < pieceItems) continue;
    yield separator + JSON.stringify(piece).slice(1, -1);
    separator = ',';
    piece = [];
  }
  yield `${piece.length === 0 ? '' : separator + JSON.stringify(piece).slice(1, -1)}]`;
}
