import type { TileJson, TrackDays, TrackPoints, Tracks } from '../../../model/tracks.ts';
import { asRecord, type Operation } from '../operation.ts';
import type {
  TileAddress,
  TileParams,
  TrackPeriod,
  TrackPointsParams,
  TracksParams,
} from '../types.ts';

/** `getTile(tile, params)`; without bytes where there is nothing to draw. */
export function loadTile(tile: TileAddress, params: TileParams = {}): Operation<Uint8Array> {
  const { z, x, y } = tile;
  return {
    call: `GET /api/tiles/${z}/${x}/${y}.mvt`,
    query: queryOf(params),
    asBytes: true,
    read: (value) => (value instanceof Uint8Array ? value : undefined),
    succeeded: (bytes) => [['tileFetched', bytes, tile]],
    failed: (message) => ['tileFetchFailed', tile, message],
  };
}

/** `getTileJson(params)` */
export function loadTileJson(params: TileParams = {}): Operation<TileJson> {
  return {
    call: 'GET /api/tiles.json',
    query: queryOf(params),
    read: asRecord<TileJson>,
    succeeded: (description) => [['tileJsonFetched', description]],
    failed: (message) => ['tileJsonFetchFailed', message],
  };
}

function queryOf({ from, to, layers }: TileParams) {
  return { from, to, layers: layers?.join(',') };
}

/** `getTracks(params)` */
export function loadTracks(params: TracksParams = {}): Operation<Tracks> {
  const { from, to, bbox, zoom, limit } = params;
  return {
    call: 'GET /api/tracks',
    query: { from, to, bbox: bbox?.join(','), zoom, limit },
    read: asRecord<Tracks>,
    succeeded: (tracks) => [['tracksFetched', tracks, params]],
    failed: (message) => ['tracksFetchFailed', message, params],
  };
}

/** `getTrackDays(period)` */
export function loadTrackDays(period: TrackPeriod = {}): Operation<TrackDays> {
  const { from, to } = period;
  return {
    call: 'GET /api/tracks/days',
    query: { from, to },
    read: asRecord<TrackDays>,
    succeeded: (days) => [['trackDaysFetched', days, period]],
    failed: (message) => ['trackDaysFetchFailed', message, period],
  };
}

/** `getTrackPoints(params)` */
export function loadTrackPoints(params: TrackPointsParams): Operation<TrackPoints> {
  const { from, to, import: importId, limit } = params;
  return {
    call: 'GET /api/tracks/points',
    query: { from, to, import: importId, limit },
    read: asRecord<TrackPoints>,
    succeeded: (points) => [['trackPointsFetched', points, params]],
    failed: (message) => ['trackPointsFetchFailed', message, params],
  };
}
