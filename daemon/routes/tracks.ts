import { route, type Answer, type Route, type RouteRequest } from '../../http/route.ts';
import { notModified } from '../../model/etag.ts';
import { limits } from '../../model/limits.ts';
import {
  trackDaysQuery,
  trackDaysSchema,
  trackPointsQuery,
  trackPointsSchema,
  tracksQuery,
  tracksSchema,
} from '../../model/tracks.ts';
import { makeEtag } from '../etag.ts';
import type { DaemonParts } from '../parts.ts';

/** Where a list of tracks is thinned for, unless it says otherwise: a city fills the screen. */
const defaultZoom = 10;

/** `/api/tracks`: what was recorded, as lines, as days and as points. */
export function trackRoutes(parts: DaemonParts): Route[] {
  const { maps } = parts;
  return [
    route({
      method: 'GET',
      path: '/api/tracks',
      summary: 'Lists thinned lines of tracks and routes as GeoJSON.',
      query: tracksQuery,
      answers: { 200: tracksSchema, 304: null },
      handle: (request) =>
        answer(request, 'application/geo+json', (signal) => {
          const { from, to, bbox, zoom = defaultZoom, limit = limits.tracksMax } = request.query;
          const task = { fromMs: from, toMs: to, bbox, zoom, limit };
          return maps.run('listTracks', task, signal);
        }),
    }),
    route({
      method: 'GET',
      path: '/api/tracks/days',
      summary: 'Lists the UTC days that have points of tracks.',
      query: trackDaysQuery,
      answers: { 200: trackDaysSchema, 304: null },
      handle: (request) =>
        answer(request, 'application/json', (signal) => {
          const { from, to } = request.query;
          const task = { fromMs: from, toMs: to, limit: limits.trackDaysMax };
          return maps.run('listDays', task, signal);
        }),
    }),
    route({
      method: 'GET',
      path: '/api/tracks/points',
      summary: 'Lists points of tracks of at most a week, thinned, with time and elevation.',
      query: trackPointsQuery,
      answers: { 200: trackPointsSchema, 304: null },
      handle: (request) =>
        answer(request, 'application/json', (signal) => {
          const { from, to, import: importId, limit = limits.trackPointsMax } = request.query;
          return maps.run('listPoints', { fromMs: from, toMs: to, importId, limit }, signal);
        }),
    }),
  ];

  async function answer(
    request: RouteRequest,
    contentType: string,
    read: (signal: AbortSignal) => Promise<Uint8Array>,
  ): Promise<Answer> {
    const etag = makeEtag(parts.store.libraryFiles.revision(), [contentType, request.query]);
    if (notModified(request.ifNoneMatch, etag)) return { status: 304, etag };
    return { status: 200, etag, contentType, pieces: [await read(request.signal)] };
  }
}
