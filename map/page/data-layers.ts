import type { LayerSpecification } from 'maplibre-gl';
import { scaled, type Palette } from './palette.ts';

/** Routes, tracks, and those of the day that is shown. */
export function trackLayers(colour: Palette): LayerSpecification[] {
  const round = { 'line-cap': 'round', 'line-join': 'round' } as const;
  return [
    {
      id: 'routes',
      type: 'line',
      source: 'tracks',
      'source-layer': 'routes',
      layout: round,
      paint: {
        'line-color': colour.route,
        'line-width': scaled(4, 1, 14, 2.5),
        'line-dasharray': [2, 2],
      },
    },
    {
      id: 'tracks',
      type: 'line',
      source: 'tracks',
      'source-layer': 'tracks',
      paint: {
        'line-color': colour.track,
        'line-width': scaled(2, 1.2, 15, 2.6),
      },
    },
    {
      id: 'points',
      type: 'circle',
      source: 'tracks',
      'source-layer': 'points',
      paint: {
        'circle-color': colour.track,
        'circle-radius': scaled(2, 1.4, 14, 3),
        'circle-opacity': 0.8,
      },
    },
    {
      id: 'day-casing',
      type: 'line',
      source: 'day',
      layout: round,
      paint: { 'line-color': colour.casing, 'line-width': scaled(4, 4, 14, 8) },
    },
    {
      id: 'day',
      type: 'line',
      source: 'day',
      layout: round,
      paint: { 'line-color': colour.day, 'line-width': scaled(4, 2, 14, 4.5) },
    },
  ];
}

/** Waypoints, clusters of them, and the stays of the day that is shown. */
export function placeLayers(colour: Palette): LayerSpecification[] {
  return [...clusterLayers(colour), ...waypointLayers(colour), marks(colour)];
}

const ofWaypoints = { source: 'places', 'source-layer': 'waypoints' } as const;
const isCluster = ['has', 'count'] as never;

function clusterLayers(colour: Palette): LayerSpecification[] {
  return [
    {
      id: 'clusters',
      type: 'circle',
      ...ofWaypoints,
      filter: isCluster,
      paint: {
        'circle-color': colour.waypoint,
        'circle-opacity': 0.85,
        'circle-stroke-color': colour.casing,
        'circle-stroke-width': 1.5,
        'circle-radius': ['interpolate', ['linear'], ['ln', ['get', 'count']], 0.7, 8, 10, 20],
      },
    },
    {
      id: 'cluster-counts',
      type: 'symbol',
      ...ofWaypoints,
      filter: isCluster,
      layout: {
        'text-field': ['number-format', ['get', 'count'], {}],
        'text-font': ['Sans Bold'],
        'text-size': 10.5,
        'text-allow-overlap': true,
      },
      paint: { 'text-color': colour.casing },
    },
  ];
}

function waypointLayers(colour: Palette): LayerSpecification[] {
  const shade = ['case', ['to-boolean', ['get', 'bookmark']], colour.bookmark, colour.waypoint];
  return [
    {
      id: 'waypoints',
      type: 'circle',
      ...ofWaypoints,
      filter: ['!', isCluster],
      paint: {
        'circle-color': shade as never,
        'circle-radius': scaled(4, 4.5, 14, 7),
        'circle-stroke-color': colour.casing,
        'circle-stroke-width': 2,
      },
    },
    {
      id: 'waypoint-names',
      type: 'symbol',
      ...ofWaypoints,
      filter: ['!', isCluster],
      layout: {
        'text-field': ['get', 'name'],
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
  ];
}

function marks(colour: Palette): LayerSpecification {
  return {
    id: 'marks',
    type: 'circle',
    source: 'marks',
    paint: {
      'circle-color': ['match', ['get', 'kind'], 'stay', colour.casing, colour.day],
      'circle-radius': ['match', ['get', 'kind'], 'stay', 6, 8],
      'circle-stroke-color': ['match', ['get', 'kind'], 'stay', colour.day, colour.casing],
      'circle-stroke-width': 3,
    },
  };
}
