import type { LayerSpecification, SymbolLayerSpecification } from 'maplibre-gl';
import { scaled, type Palette } from './palette.ts';

/** From here on coasts and towns are those of the close-ups, once they are loaded. */
export const closeZoom = 6;

/** Each thing has a rank, so that they are not all there at once. */
const isDue = ['<=', ['get', 'rank'], ['+', ['zoom'], 1]];

/** Land, water and borders. */
export function baseLayers(colour: Palette, isCoastLoaded: boolean): LayerSpecification[] {
  const isLake = ['==', ['geometry-type'], 'Polygon'] as never;
  const [land, sea] = [{ 'fill-color': colour.land }, { 'fill-color': colour.sea }];
  const maxzoom = isCoastLoaded ? closeZoom : 24;
  return [
    { id: 'sea', type: 'background', paint: { 'background-color': colour.sea } },
    { id: 'land', type: 'fill', source: 'land', maxzoom, paint: land },
    { id: 'coast', type: 'fill', source: 'coast', paint: land },
    { id: 'lakes', type: 'fill', source: 'water', filter: isLake, paint: sea },
    {
      id: 'rivers',
      type: 'line',
      source: 'water',
      minzoom: 3,
      filter: ['all', ['!', isLake], isDue] as never,
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

/** Names of countries and towns. */
export function baseNames(colour: Palette): LayerSpecification[] {
  const isCountry = ['==', ['get', 'kind'], 'country'];
  const halo = { 'text-halo-color': colour.halo, 'text-halo-width': 1.4 };
  const name = { 'text-field': ['get', 'name'], 'symbol-sort-key': ['get', 'rank'] } as object;
  const town: Pick<SymbolLayerSpecification, 'type' | 'layout' | 'paint'> = {
    type: 'symbol',
    layout: {
      ...name,
      'text-font': ['Sans'],
      'text-size': scaled(3, 10.5, 10, 14),
      'text-max-width': 8,
    },
    paint: { 'text-color': colour.town, ...halo },
  };
  return [
    {
      ...town,
      id: 'cities',
      source: 'names',
      minzoom: 3,
      maxzoom: closeZoom,
      filter: ['all', ['!', isCountry], isDue] as never,
    },
    { ...town, id: 'towns', source: 'towns', filter: ['<=', ['get', 'rank'], ['zoom']] },
    {
      id: 'countries',
      type: 'symbol',
      source: 'names',
      maxzoom: 8,
      filter: ['all', isCountry, isDue] as never,
      layout: {
        ...name,
        'text-font': ['Sans Bold'],
        'text-size': scaled(1, 10, 6, 16),
        'text-letter-spacing': 0.06,
        'text-max-width': 7,
      },
      paint: { 'text-color': colour.name, ...halo },
    },
  ];
}
