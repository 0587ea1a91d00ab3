import { computed, signal } from '@preact/signals';
import type { LayerSpecification, SourceSpecification, StyleSpecification } from 'maplibre-gl';
import type { Bbox } from '../../client/waypoints/index.ts';
import { baseLayers, baseNames } from './base-layers.ts';
import { placeLayers, trackLayers } from './data-layers.ts';
import { dayLines } from './day.ts';
import { session } from './service.ts';
import { isDark, period } from './state.ts';
import { streetLayers, streetSource } from './street-map.ts';
import { paletteOf } from './palette.ts';

/** The most detailed zoom of the built-in base map, which is drawn at 1:50,000,000. */
const baseMaxZoom = 7;
/** That of its coasts, which are more exact. */
const closeMaxZoom = 11;
/** From here on waypoints come one by one, below as clusters; tiles end at the other one. */
export const waypointZoom = 12;
const tileMaxZoom = 16;

/** Degrees: even of a single position there is something to draw. */
const spare = 0.001;

const empty: GeoJSON.FeatureCollection = { type: 'FeatureCollection', features: [] };

/** Sources that hold the user's tiles. */
export const tileSources = ['tracks', 'places'] as const;

/** Whether the coasts of close up are drawn; until then the coarse ones stay. */
export const isCoastLoaded = signal(false);

/** The address of the tiles of tracks. Whole, as all here: they are asked for in a thread, where others mean nothing. */
export const trackTiles = computed(() => {
  const { from, to } = period.value ?? {};
  const dates = from === undefined ? '' : `&from=${from}&to=${to}`;
  return tileAddress(`tracks,points,routes${dates}`);
});

function tileAddress(layers: string): string {
  return `${location.origin}/api/tiles/{z}/{x}/{y}.mvt?layers=${layers}`;
}

/** Where the built-in base map is. */
export function baseAddress(name: string): string {
  return `${location.origin}/basemap/${name}.geojson`;
}

/**
 * The style of the map. There is no `glyphs` address: MapLibre draws the letters with the fonts of the machine.
 */
export function mapStyle(): StyleSpecification {
  const hasStreets = session?.hasBasemap === true;
  const base = (name: string): SourceSpecification => ({
    type: 'geojson',
    data: baseAddress(name),
    maxzoom: baseMaxZoom,
  });
  const tiles = (address: string): SourceSpecification => ({
    type: 'vector',
    tiles: [address],
    maxzoom: tileMaxZoom,
  });
  const colour = paletteOf(isDark.value);
  return {
    version: 8,
    sources: {
      land: base('land'),
      water: base('water'),
      borders: base('borders'),
      names: base('names'),
      coast: { type: 'geojson', data: empty, maxzoom: closeMaxZoom },
      towns: { type: 'geojson', data: empty },
      tracks: tiles(trackTiles.value),
      places: tiles(tileAddress('waypoints')),
      day: { type: 'geojson', data: empty },
      marks: { type: 'geojson', data: empty },
      ...(hasStreets && { streets: streetSource }),
    },
    layers: [
      ...baseLayers(colour, isCoastLoaded.value),
      ...(hasStreets ? streetLayers(isDark.value) : []),
      ...trackLayers(colour, dayLines.value.length > 0, period.value === undefined),
      ...(hasStreets ? [] : baseNames(colour)),
      ...placeLayers(colour),
    ],
  };
}

/**
 * What is worth the first look: land, streets and tracks. The rest would keep the one thread that makes tiles; of each of
 * its layers there is one triangle under the sea. For MapLibre links a shader when something is first drawn with it, and
 * waits until all that was asked for before is drawn: little now, much once the map moves.
 */
export function firstOf(
  { sources, layers, ...rest }: StyleSpecification,
  bounds: Bbox,
): StyleSpecification {
  const isFirst = (source: string): boolean => ['land', 'streets', 'tracks'].includes(source);
  const kept = layers.filter((layer) => !('source' in layer) || isFirst(layer.source));
  const early = layers
    .filter((layer) => !kept.includes(layer))
    .map((layer) => ({
      ...layer,
      id: `early ${layer.id}`,
      source: 'early',
      'source-layer': '',
      filter: true,
    }));
  return {
    ...rest,
    sources: {
      early: { type: 'geojson', data: triangle(bounds) },
      ...Object.fromEntries(Object.entries(sources).filter(([name]) => isFirst(name))),
    },
    layers: [...(early as LayerSpecification[]), ...kept],
  };
}

/** In all of what is looked at; with what the layers read. */
function triangle([west, south, east, north]: Bbox): GeoJSON.Feature {
  const ring = [
    [west - spare, south - spare],
    [east + spare, south - spare],
    [east + spare, north + spare],
    [west - spare, south - spare],
  ];
  const properties = { name: '.', count: 2 };
  return { type: 'Feature', properties, geometry: { type: 'Polygon', coordinates: [ring] } };
}
