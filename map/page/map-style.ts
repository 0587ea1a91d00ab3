import type { LayerSpecification, StyleSpecification } from 'maplibre-gl';
import { baseLayers, baseNames } from './base-layers.ts';
import { placeLayers, trackLayers } from './data-layers.ts';
import { streetLayers, streetSources } from './street-map.ts';
import { paletteOf, type Palette } from './palette.ts';

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

/** What a style is made for. */
export interface Look {
  /** Of this page: tiles are asked for in a thread, where relative addresses mean nothing. */
  readonly origin: string;
  readonly isDark: boolean;
  /** Whether the user has a street map. */
  readonly hasStreets: boolean;
  /** The query of the tiles of tracks. */
  readonly tracks: string;
}

/**
 * The style of the map. There is no `glyphs` address: MapLibre draws the letters with the fonts of the machine.
 */
export function mapStyle({ origin, isDark, hasStreets, tracks }: Look): StyleSpecification {
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
      ...(hasStreets && streetSources()),
    },
    layers: layersOf(paletteOf(isDark), hasStreets ? streetLayers(isDark) : undefined),
  };
}

/** West, south, east, north; east of 180 behind the antimeridian. */
type Bounds = readonly [number, number, number, number];

/**
 * What is worth the first look: land, streets and tracks. The rest would keep the one thread that makes tiles; of each of
 * its layers there is one triangle under the sea. For MapLibre links a shader when something is first drawn with it, and
 * waits until all that was asked for before is drawn: little now, much once the map moves.
 */
export function firstOf(
  { sources, layers, ...rest }: StyleSpecification,
  bounds: Bounds,
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
function triangle([west, south, east, north]: Bounds): GeoJSON.Feature {
  const ring = [
    [west - spare, south - spare],
    [east + spare, south - spare],
    [east + spare, north + spare],
    [west - spare, south - spare],
  ];
  const properties = { name: '.', count: 2 };
  return { type: 'Feature', properties, geometry: { type: 'Polygon', coordinates: [ring] } };
}

export function tileAddress(origin: string, query: string): string {
  return `${origin}/api/tiles/{z}/{x}/{y}.mvt?${query}`;
}

function layersOf(colour: Palette, streets?: LayerSpecification[]): LayerSpecification[] {
  return [
    ...baseLayers(colour),
    ...(streets ?? []),
    ...trackLayers(colour),
    ...(streets === undefined ? baseNames(colour) : []),
    ...placeLayers(colour),
  ];
}
