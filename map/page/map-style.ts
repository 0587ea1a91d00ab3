import type { LayerSpecification, StyleSpecification } from 'maplibre-gl';
import { baseLayers, baseNames } from './base-layers.ts';
import { placeLayers, trackLayers } from './data-layers.ts';
import { paletteOf, type Palette } from './palette.ts';

/** The most detailed zoom of the built-in base map, which is drawn at 1:50,000,000. */
const baseMaxZoom = 7;
/** That of its coasts, which are more exact. */
const closeMaxZoom = 11;
/** From here on waypoints come one by one, below as clusters; tiles end at the other one. */
export const waypointZoom = 12;
const tileMaxZoom = 16;

const empty: GeoJSON.FeatureCollection = { type: 'FeatureCollection', features: [] };

/** Sources that hold the user's tiles. */
export const tileSources = ['tracks', 'places'] as const;

/**
 * The style of the map. There is no `glyphs` address: MapLibre draws the letters with the fonts of the machine.
 * @param origin of this page: tiles are asked for in a thread, where relative addresses mean nothing.
 */
export function mapStyle(origin: string, isDark: boolean, tracks: string): StyleSpecification {
  const base = (name: string): StyleSpecification['sources'][string] => ({
    type: 'geojson',
    data: `${origin}/basemap/${name}.geojson`,
    maxzoom: baseMaxZoom,
  });
  const tiles = (query: string): StyleSpecification['sources'][string] => ({
    type: 'vector',
    tiles: [tileAddress(origin, query)],
    maxzoom: tileMaxZoom,
  });
  return {
    version: 8,
    sources: {
      land: base('land'),
      water: base('water'),
      borders: base('borders'),
      names: base('names'),
      coast: { type: 'geojson', data: empty, maxzoom: closeMaxZoom },
      towns: { type: 'geojson', data: empty },
      tracks: tiles(tracks),
      places: tiles('layers=waypoints'),
      day: { type: 'geojson', data: empty },
      marks: { type: 'geojson', data: empty },
    },
    layers: layers(paletteOf(isDark)),
  };
}

export function tileAddress(origin: string, query: string): string {
  return `${origin}/api/tiles/{z}/{x}/{y}.mvt?${query}`;
}

function layers(colour: Palette): LayerSpecification[] {
  return [
    ...baseLayers(colour),
    ...trackLayers(colour),
    ...baseNames(colour),
    ...placeLayers(colour),
  ];
}
