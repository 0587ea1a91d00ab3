import { notModified } from '../../model/etag.ts';
import { route, type Answer, type Route } from '../../http/route.ts';
import { WaypointError } from '../../model/failure.ts';
import { limits } from '../../model/limits.ts';
import { clustersQuery, clustersSchema } from '../../model/search.ts';
import { clusterJson, type ClusterRequest } from '../../search/clusters.ts';
import { textInSlices, TimeSlices } from '../../search/time-slices.ts';
import { makeEtag } from '../etag.ts';
import type { RouteParts } from './parts.ts';

/** `GET /api/clusters`: waypoints grouped for a map. */
export function clusterRoutes({ store, index, library }: RouteParts): Route[] {
  const takePermit = countPermits(limits.clusterStreams);
  return [
    route({
      method: 'GET',
      path: '/api/clusters',
      summary: 'Groups waypoints into the cells of a pixel grid at a zoom level.',
      query: clustersQuery,
      answers: { 200: clustersSchema, 304: null },
      async handle({ query, ifNoneMatch }): Promise<Answer> {
        await library.indexReady;
        const { zoom = 0, grid = limits.gridDefault, bookmarksOnly = false } = query;
        const request = {
          zoom,
          grid,
          bookmarksOnly,
          bounds: query.bounds ?? false,
          bbox: query.bbox,
        };
        const etag = etagOf(`${index.libraryRevision}-${store.revision()}`, request);
        if (notModified(ifNoneMatch, etag)) return { status: 304, etag };
        return {
          status: 200,
          etag,
          ...(await clusterPieces(clusterJson(index.snapshot(), request), takePermit)),
        };
      },
    }),
  ];
}

/** What a view of a screen takes at most, also when the code is cold; what takes longer is big. */
const smallTurns = 4;

/** What is not whole after a few turns is big, and takes one of the few permits. */
async function clusterPieces(
  steps: Iterator<string> & Iterable<string>,
  takePermit: () => () => void,
): Promise<{ pieces: Iterable<string> | AsyncIterable<string>; close?: () => void }> {
  const turns = new TimeSlices();
  let text = '';
  for (let turn = 1; turn <= smallTurns; turn += 1) {
    while (!turns.isOver()) {
      const step = steps.next();
      if (step.done === true) return { pieces: [text] };
      text += step.value;
    }
    await turns.next();
  }
  const giveBack = takePermit();
  return { pieces: continued(text, steps), close: giveBack };
}

async function* continued(text: string, steps: Iterable<string>): AsyncGenerator<string> {
  yield text;
  yield* textInSlices(steps);
}

/**
 * Counts how many of something may go on at once.
 * @returns what takes one, or throws WaypointError busy; what that returns gives it back.
 */
function countPermits(count: number): () => () => void {
  let free = count;
  return () => {
    if (free === 0) throw new WaypointError('busy');
    free -= 1;
    return () => {
      free += 1;
    };
  };
}

function etagOf(revision: string, request: ClusterRequest): string {
  const { zoom, grid, bookmarksOnly, bounds, bbox = [] } = request;
  return makeEtag(revision, [zoom, grid, bookmarksOnly, bounds, bbox]);
}
