import { GeoJSONVT } from '@maplibre/geojson-vt';
import { fromGeojsonVt } from '@maplibre/vt-pbf';
import { tileBuffer } from '../../worker/tiles/tile-grid.ts';
import { tileExtent } from '../../worker/tiles/write-mvt.ts';
import type { Block } from '../timelines/long-recording.ts';

const dayMs = 86_400_000;
const maxZoom = 16;
const unitsPerDegree = 1e7;

/**
 * Cuts vector tiles out of the same days with geojson-vt, which holds all points in memory.
 * @returns what makes one; the first one of a place costs more than those after it.
 */
export function geojsonTiles(
  blocks: Iterable<Block>,
): (z: number, x: number, y: number) => Uint8Array {
  const features = [...blocks].flatMap((block) => [...daysOf(block)]);
  const index = new GeoJSONVT(
    { type: 'FeatureCollection', features },
    { maxZoom, extent: tileExtent, buffer: tileBuffer },
  );
  return (z, x, y) => {
    const tile = index.getTile(z, x, y);
    return tile === null
      ? new Uint8Array(0)
      : fromGeojsonVt({ tracks: tile }, { version: 2, extent: tileExtent });
  };
}

function* daysOf({ timeMs, latE7, lonE7 }: Block) {
  for (let from = 0; from < timeMs.length;) {
    const day = Math.floor(timeMs[from]! / dayMs);
    const coordinates: [number, number][] = [];
    for (; from < timeMs.length && Math.floor(timeMs[from]! / dayMs) === day; from += 1)
      coordinates.push([lonE7[from]! / unitsPerDegree, latE7[from]! / unitsPerDegree]);
    const geometry = { type: 'LineString' as const, coordinates };
    yield { type: 'Feature' as const, geometry, properties: { day } };
  }
}
