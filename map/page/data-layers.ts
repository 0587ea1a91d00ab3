import type {
  CircleLayerSpecification,
  LayerSpecification,
  LineLayerSpecification,
} from 'maplibre-gl';
import { scaled, type Palette } from './palette.ts';

/** A line with round corners. */
function line(id: string, source: object, paint: LineLayerSpecification['paint'] & {}) {
  const layout = { 'line-cap': 'round', 'line-join': 'round' } as const;
  return { id, type: 'line', ...source, layout, paint } as LineLayerSpecification;
}

function circle(id: string, source: object, paint: CircleLayerSpecification['paint'] & {}) {
  return { id, type: 'circle', ...source, paint } as CircleLayerSpecification;
}

/**
 * Routes, tracks, and those of the day that is shown. Where all days lie one on the other, what was gone often is
 * stronger; beside one day they are background.
 */
export function trackLayers(
  colour: Palette,
  isBackground: boolean,
  isEverything: boolean,
): LayerSpecification[] {
  const tile = (name: string): object => ({ source: 'tracks', 'source-layer': name });
  return [
    line('routes', tile('routes'), {
      'line-color': colour.route,
      'line-width': scaled(4, 1, 14, 2.5),
      'line-dasharray': [2, 2],
    }),
    {
      ...line('tracks', tile('tracks'), {
        'line-color': isBackground ? colour.border : colour.track,
        'line-opacity': isEverything ? 0.4 : 0.6,
        'line-width': scaled(2, 1.8, 15, 2.6),
      }),
      // Round corners would be most of the work.
      layout: {},
    },
    circle('points', tile('points'), {
      'circle-color': colour.track,
      // A year at home is one point on a map of the world.
      'circle-radius': scaled(2, 2.5, 14, 3),
      'circle-opacity': 0.8,
    }),
    line('day-casing', ofDay, {
      'line-color': colour.casing,
      'line-width': scaled(4, 4, 14, 8),
    }),
    line('day', ofDay, { 'line-color': colour.day, 'line-width': scaled(4, 2, 14, 4.5) }),
  ];
}

const ofDay = { source: 'day' };
const ofMarks = { source: 'marks' };
const places = { source: 'places', 'source-layer': 'waypoints' };
/** Of longer names only the begin stands on the map, letters. */
const mostLetters = 40;
const isCluster = ['has', 'count'];

/** Waypoints, clusters of them, and the stays of the day that is shown. */
export function placeLayers(colour: Palette): LayerSpecification[] {
  const clusters = { ...places, filter: isCluster as never };
  const singles = { ...places, filter: ['!', isCluster] as never };
  const name = ['to-string', ['get', 'name']];
  const isLong = ['>', ['length', name], mostLetters];
  const begin = ['concat', ['slice', name, 0, mostLetters], '…'];
  const isBookmark = ['to-boolean', ['get', 'bookmark']];
  return [
    circle('clusters', clusters, {
      'circle-color': colour.waypoint,
      'circle-opacity': 0.85,
      'circle-stroke-color': colour.casing,
      'circle-stroke-width': 1.5,
      'circle-radius': ['interpolate', ['linear'], ['ln', ['get', 'count']], 0.7, 8, 10, 20],
    }),
    {
      id: 'cluster-counts',
      type: 'symbol',
      ...clusters,
      layout: {
        'text-field': ['number-format', ['get', 'count'], {}],
        'text-font': ['Sans Bold'],
        'text-size': 10.5,
        'text-allow-overlap': true,
      },
      paint: { 'text-color': colour.casing },
    },
    circle('waypoints', singles, {
      'circle-color': ['case', isBookmark, colour.bookmark, colour.waypoint] as never,
      'circle-radius': scaled(4, 4.5, 14, 7),
      'circle-stroke-color': colour.casing,
      'circle-stroke-width': 2,
    }),
    {
      id: 'waypoint-names',
      type: 'symbol',
      ...singles,
      layout: {
        'text-field': ['case', isLong, begin, name] as never,
        'text-font': ['Sans'],
        'text-size': 12,
        'text-anchor': 'top',
        'text-offset': [0, 0.7],
        'text-max-width': 9,
      },
      paint: {
        'text-color': colour.text,
        'text-halo-color': colour.halo,
        'text-halo-width': 1.6,
      },
    },
    marks(colour),
  ];
}

function marks({ casing, day, bookmark }: Palette): LayerSpecification {
  const ofKind = (stay: unknown, now: unknown, place: unknown): never =>
    ['match', ['get', 'kind'], 'stay', stay, 'now', now, place] as never;
  return circle('marks', ofMarks, {
    'circle-color': ofKind(casing, day, bookmark),
    'circle-opacity': ofKind(1, 1, 0.2),
    'circle-radius': ofKind(6, 8, 11),
    'circle-stroke-color': ofKind(day, casing, bookmark),
    'circle-stroke-width': 3,
  });
}
