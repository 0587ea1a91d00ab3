import type { TileJson, TrackDays, TrackPoints, Tracks } from '../../../model/tracks.ts';
import { operation } from '../operation.ts';
import type {
  TileAddress,
  TileParams,
  TrackPeriod,
  TrackPointsParams,
  TracksParams,
} from '../types.ts';

/** A vector tile of tracks, routes and waypoints; without bytes where there is nothing to draw. */
export function getTile(tile: TileAddress, params: TileParams = {}) {
  const { z, x, y } = tile;
  return operation<Uint8Array>()({
    call: `GET /api/tiles/${z}/${x}/${y}.mvt`,
    query: params,
    asBytes: true,
    read: (value) => (value instanceof Uint8Array ? value : undefined),
    succeeded: (bytes) => [['tileFetched', bytes, tile]],
    failed: (message) => ['tileFetchFailed', tile, message],
  });
}

/** TileJSON: the layers and the bounds of the tiles. */
export function getTileJson(params: TileParams = {}) {
  return operation<TileJson>()({
    call: 'GET /api/tiles.json',
    query: params,
    succeeded: (description) => [['tileJsonFetched', description]],
    failed: (message) => ['tileJsonFetchFailed', message],
  });
}

/** Thinned lines of tracks and routes as GeoJSON. */
export function getTracks(params: TracksParams = {}) {
  return operation<Tracks>()({
    call: 'GET /api/tracks',
    query: params,
    succeeded: (tracks) => [['tracksFetched', tracks, params]],
    failed: (message) => ['tracksFetchFailed', message, params],
  });
}

/** The UTC days that have points of tracks. */
export function getTrackDays(period: TrackPeriod = {}) {
  return operation<TrackDays>()({
    call: 'GET /api/tracks/days',
    query: period,
    succeeded: (days) => [['trackDaysFetched', days, period]],
    failed: (message) => ['trackDaysFetchFailed', message, period],
  });
}

/** Points of tracks by time, with elevation, of at most a week; thinned where there are too many. */
export function getTrackPoints(params: TrackPointsParams) {
  return operation<TrackPoints>()({
    call: 'GET /api/tracks/points',
    query: params,
    succeeded: (points) => [['trackPointsFetched', points, params]],
    failed: (message) => ['trackPointsFetchFailed', message, params],
  });
}
