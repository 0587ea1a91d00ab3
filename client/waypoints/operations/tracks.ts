import type { TileJson } from '../../../model/tracks.ts';
import { asRecord, type Operation } from '../operation.ts';
import type { TileAddress, TileParams } from '../types.ts';

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
