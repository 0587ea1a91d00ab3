import { route, type Answer, type Route } from '../../http/route.ts';
import type { Context } from '../../http/context.ts';
import { notModified } from '../../model/etag.ts';
import { limits } from '../../model/limits.ts';
import {
  tileJsonSchema,
  tileLayers,
  tileMediaType,
  tileParams,
  tileQuery,
  tileSchema,
  type TileJson,
  type TileQuery,
} from '../../model/tracks.ts';
import type { LibraryTotals } from '../../storage/library/totals.ts';
import { makeEtag } from '../etag.ts';
import { tilePlaces } from '../tiles/tile-places.ts';
import type { DaemonParts } from '../parts.ts';

/** From this zoom on a tile shows every fix, where it is asked for points. */
const everyPointZoom = 14;

/** `/api/tiles`: tracks, routes and waypoints as vector tiles for map programs. */
export function tileRoutes(parts: DaemonParts): Route[] {
  const { store, index, library, maps } = parts;
  return [
    route({
      method: 'GET',
      path: '/api/tiles.json',
      summary: 'Describes the vector tiles as TileJSON.',
      query: tileQuery,
      answers: { 200: tileJsonSchema },
      handle: ({ ctx }) => ({ status: 200, json: tileJson(ctx, store.libraryTotals()) }),
    }),
    route({
      method: 'GET',
      path: '/api/tiles/{z}/{x}/{y}.mvt',
      summary: 'Draws tracks, single fixes, routes and waypoints as a Mapbox vector tile.',
      params: tileParams,
      query: tileQuery,
      answers: { 200: tileSchema, 204: null, 304: null },
      async handle(request): Promise<Answer> {
        const { params: tile, query, ctx } = request;
        const { layers = tileLayers } = query;
        const hasWaypoints = layers.includes('waypoints');
        if (hasWaypoints) await library.indexReady;
        const gzip = ctx.acceptsEncodings('gzip', 'identity') === 'gzip';
        const waypoints = hasWaypoints ? `${index.libraryRevision}-${store.revision()}` : '';
        const etag = makeEtag(`${store.libraryFiles.revision()}-${waypoints}`, [tile, query, gzip]);
        if (notModified(request.ifNoneMatch, etag)) return { status: 304, etag };
        const { signal } = request;
        const places = hasWaypoints ? await tilePlaces(store, index.snapshot(), tile) : [];
        const task = { ...taskOf(query, tile.z), tile, places, gzip };
        const bytes = await maps.run('makeTile', task, signal);
        const headers = { Vary: 'Accept-Encoding' };
        if (bytes.length === 0) return { status: 204, etag, headers };
        return {
          status: 200,
          etag,
          contentType: tileMediaType,
          headers: {
            ...headers,
            'Content-Length': String(bytes.length),
            ...(gzip && { 'Content-Encoding': 'gzip' }),
          },
          pieces: [bytes],
        };
      },
    }),
  ];
}

function taskOf({ from, to, layers }: TileQuery, zoom: number) {
  return {
    fromMs: from,
    toMs: to,
    layers: layers ?? tileLayers,
    everyPoint: zoom >= everyPointZoom && layers?.includes('points') === true,
  };
}

const world = [-180, -90, 180, 90];
const dayFields = { day: 'String', import: 'Number', n: 'Number' };

function tileJson(ctx: Context, { south, west, north, east }: LibraryTotals): TileJson {
  const bounds = [west, south, east, north].filter((edge) => edge !== null);
  return {
    tilejson: '3.0.0',
    name: 'waypointd',
    // The query goes on to each tile.
    tiles: [
      `http://${ctx.get('X-Forwarded-Host') || ctx.host}/api/tiles/{z}/{x}/{y}.mvt${ctx.search}`,
    ],
    minzoom: 0,
    maxzoom: limits.tileZoomMax,
    bounds: bounds.length === world.length ? bounds : world,
    vector_layers: [
      { id: 'tracks', description: 'Lines of tracks by UTC day.', fields: dayFields },
      { id: 'points', description: 'Fixes that are no line.', fields: dayFields },
      {
        id: 'routes',
        description: 'Planned routes.',
        fields: { import: 'Number', n: 'Number', name: 'String' },
      },
      {
        id: 'waypoints',
        description: 'Waypoints and clusters of them.',
        fields: {
          name: 'String',
          lat: 'Number',
          lon: 'Number',
          tags: 'String',
          bookmark: 'Boolean',
          count: 'Number',
        },
      },
    ],
  };
}
