import type { LayerSpecification, SymbolLayerSpecification } from 'maplibre-gl';
import { scaled, type Palette } from './palette.ts';

/** Land, water and borders. */
export function baseLayers(colour: Palette): LayerSpecification[] {
  const isLake = ['==', ['geometry-type'], 'Polygon'] as never;
  return [
    { id: 'sea', type: 'background', paint: { 'background-color': colour.sea } },
    { id: 'land', type: 'fill', source: 'land', paint: { 'fill-color': colour.land } },
    { id: 'coast', type: 'fill', source: 'coast', paint: { 'fill-color': colour.land } },
    {
      id: 'lakes',
      type: 'fill',
      source: 'water',
      filter: isLake,
      paint: { 'fill-color': colour.sea },
    },
    {
      id: 'rivers',
      type: 'line',
      source: 'water',
      minzoom: 3,
      filter: ['all', ['!', isLake], ['<=', ['get', 'rank'], ['+', ['zoom'], 1]]] as never,
      paint: { 'line-color': colour.sea, 'line-width': scaled(3, 0.6, 10, 3) },
    },
    {
      id: 'borders',
      type: 'line',
      source: 'borders',
      paint: {
        'line-color': colour.border,
        'line-width': scaled(2, 0.5, 8, 1.6),
        'line-dasharray': [3, 2],
      },
    },
  ];
}

/** From here on coasts and towns are those of the close-ups, once they are loaded. */
export const closeZoom = 6;

function towns(
  colour: Palette,
  halo: object,
): Pick<SymbolLayerSpecification, 'type' | 'layout' | 'paint'> {
  return {
    type: 'symbol',
    layout: {
      'text-field': ['get', 'name'],
      'text-font': ['Sans'],
      'text-size': scaled(3, 10.5, 10, 14),
      'text-max-width': 8,
      'symbol-sort-key': ['get', 'rank'],
    },
    paint: { 'text-color': colour.town, ...halo },
  };
}

/** Names of countries and towns; each has a rank, so that they are not all there at once. */
export function baseNames(colour: Palette): LayerSpecification[] {
  const halo = { 'text-halo-color': colour.halo, 'text-halo-width': 1.4 };
  const isCountry = ['==', ['get', 'kind'], 'country'];
  return [
    {
      ...towns(colour, halo),
      id: 'cities',
      source: 'names',
      minzoom: 3,
      maxzoom: closeZoom,
      filter: ['all', ['!', isCountry], ['<=', ['get', 'rank'], ['+', ['zoom'], 1]]] as never,
    },
    {
      ...towns(colour, halo),
      id: 'towns',
      source: 'towns',
      filter: ['<=', ['get', 'rank'], ['zoom']],
    },
    {
      id: 'countries',
      type: 'symbol',
      source: 'names',
      maxzoom: 8,
      filter: ['all', isCountry, ['<=', ['get', 'rank'], ['+', ['zoom'], 1]]] as never,
      layout: {
        'text-field': ['get', 'name'],
        'text-font': ['Sans Bold'],
        'text-size': scaled(1, 10, 6, 16),
        'text-letter-spacing': 0.06,
        'text-max-width': 7,
        'symbol-sort-key': ['get', 'rank'],
      },
      paint: { 'text-color': colour.name, ...halo },
    },
  ];
}
