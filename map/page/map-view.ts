import { effect } from '@preact/signals';
import {
  Map as MapLibre,
  type GeoJSONSource,
  type MapMouseEvent,
  type PaddingOptions,
  type VectorTileSource,
} from 'maplibre-gl';
import type { Bbox } from '../../client/waypoints/index.ts';
import { offerStreetMap } from './street-map.ts';
import { isLost, revision, service, session } from './service.ts';
import { find } from './places.ts';
import * as state from './state.ts';
import { dayLines, marks } from './day.ts';
import * as style from './map-style.ts';

const mostFitZoom = 15;
const clickable = ['waypoints', 'clusters', 'tracks', 'points'];
/** In pixels round a click: a line is thin. */
const reach = 6;
/** So long the map waits for where everything is, ms; a daemon that reads its library says it later. */
const mostWaitMs = 700;
/** So long it waits for the first tracks before it draws the rest, ms. */
const mostAloneMs = 2_000;
const world = [-150, -50, 170, 70] as const;
const stillMs = matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : 180;

/** Draws the map into an element, where something is, and keeps it true to the state of the page. */
export async function startMap(container: HTMLElement): Promise<MapLibre> {
  if (session?.hasBasemap === true) offerStreetMap(session.headers);
  const everywhere: Promise<Bbox | undefined> = service.getTileJson().then(
    ({ bounds }) => bounds as unknown as Bbox,
    () => undefined,
  );
  const bbox = await Promise.race([everywhere, pause(mostWaitMs)]);
  const bounds = boundsOf(bbox ?? world);
  const map = new MapLibre({
    container,
    style: style.firstOf(style.mapStyle(), bounds),
    validateStyle: false,
    bounds,
    fitBoundsOptions: { padding: roomRound(container), maxZoom: mostFitZoom },
    maxZoom: 19,
    attributionControl: false,
    dragRotate: false,
    touchPitch: false,
    maxTileCacheSize: 200,
    fadeDuration: 0,
    ...(session && { transformRequest: session.transformRequest }),
  });
  map.touchZoomRotate.disableRotation();
  map.keyboard.disableRotation();
  map.on('moveend', () => tellView(map));
  map.on('load', () => tellView(map));
  map.on('error', ({ error }) => {
    // The page itself says that the daemon refuses or is away.
    if (!('status' in error)) reportError(error);
  });
  map.on('click', (event) => click(map, event));
  map.on('mousemove', (event) => {
    const isOver = state.draft.peek() !== undefined || hits(map, event).length > 0;
    map.getCanvas().style.cursor = isOver ? 'pointer' : '';
  });
  const complete = (): void => {
    if (isLost.value) return;
    follow(map);
    map.on('zoomend', loadCloseUps);
    loadCloseUps({ target: map });
  };
  const alone = map.once('style.load').then(() => pause(mostAloneMs));
  void Promise.race([map.once('idle'), alone]).then(complete);
  if (bbox === undefined) {
    void everywhere.then((found) => {
      if (found !== undefined) state.target.value ??= { bbox: found };
    });
  }
  return map;
}

function pause(ms: number): Promise<undefined> {
  return new Promise((next) => setTimeout(next, ms));
}

/** Loads coasts, borders and towns that are only seen close up, once; until then the coarse ones stay. */
function loadCloseUps({ target: map }: { readonly target: MapLibre }): void {
  if (map.getZoom() < style.closeZoom) return;
  map.off('zoomend', loadCloseUps);
  for (const name of ['coast', 'frontiers', 'towns']) {
    void map.getSource<GeoJSONSource>(name)?.setData(`/basemap/${name}.geojson`);
  }
  // When all of it is drawn.
  map.once('idle', () => {
    style.isCoastLoaded.value = true;
    for (const layer of ['land', 'borders']) map.setLayerZoomRange(layer, 0, style.closeZoom);
  });
}

/** Keeps the map true to the state. */
function follow(map: MapLibre): void {
  effect(() => {
    // Only what is new is added, and only colours change: the sources keep what they hold.
    map.setStyle(style.mapStyle(), {
      validate: false,
      transformStyle: (now, next) => ({ ...next, sources: { ...next.sources, ...now?.sources } }),
    });
  });
  effect(() => {
    const source = map.getSource<VectorTileSource>('tracks');
    const address = style.trackTiles.value;
    if (source?.tiles[0] !== address) source?.setTiles([address]);
  });
  effect(() => {
    if (revision.value > 0) ['tracks', 'places'].forEach((source) => map.refreshTiles(source));
  });
  effect(() => {
    const [colour, opacity] = style.trackPaint.value;
    map.setPaintProperty('tracks', 'line-color', colour);
    map.setPaintProperty('tracks', 'line-opacity', opacity);
  });
  effect(() => setData(map, 'day', { type: 'FeatureCollection', features: dayLines.value }));
  effect(() => setData(map, 'marks', marks.value));
  effect(() => {
    const target = state.target.value;
    if (target !== undefined) go(map, target);
  });
}

function setData(map: MapLibre, source: string, data: GeoJSON.GeoJSON): void {
  void map.getSource<GeoJSONSource>(source)?.setData(data);
}

/** The part of the map that the panel and the bar do not cover: they grow with the letters. */
function roomRound({ clientHeight, clientWidth }: HTMLElement): PaddingOptions {
  const isOpen = state.isPanelOpen.peek();
  const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
  return state.narrow.matches
    ? { top: 80, left: 24, right: 24, bottom: isOpen ? clientHeight * 0.5 + 90 : 170 }
    : {
        top: 3.75 * rem,
        left: isOpen ? Math.min(28.75 * rem, clientWidth / 2) : 3.75 * rem,
        right: 5 * rem,
        bottom: 8.75 * rem,
      };
}

/** A box across the antimeridian goes on to the east. */
function boundsOf([west, south, east, north]: Bbox): [number, number, number, number] {
  return [west, south, east < west ? east + 360 : east, north];
}

function go(map: MapLibre, target: state.Target): void {
  const padding = roomRound(map.getContainer());
  if ('bbox' in target) {
    const box = boundsOf(target.bbox);
    map.fitBounds(box, { padding, maxZoom: mostFitZoom, duration: stillMs });
    return;
  }
  const zoom = Math.max(target.zoom, Math.min(map.getZoom(), 17));
  map.easeTo({ center: [target.lon, target.lat], zoom, padding, duration: stillMs });
  // Otherwise every later move would be beside the middle.
  map.once('moveend', () => map.setPadding({ top: 0, left: 0, right: 0, bottom: 0 }));
}

function tellView(map: MapLibre): void {
  const bounds = map.getBounds();
  const [southWest, northEast] = [bounds.getSouthWest(), bounds.getNorthEast()];
  const isWorld = northEast.lng - southWest.lng >= 360;
  const [west, east] = isWorld ? [-180, 180] : [southWest.wrap().lng, northEast.wrap().lng];
  const [south, north] = [Math.max(-90, southWest.lat), Math.min(90, northEast.lat)];
  const { lat, lng: lon } = map.getCenter().wrap();
  state.view.value = { bbox: [west, south, east, north], lat, lon, zoom: map.getZoom() };
}

function hits(map: MapLibre, { point: { x, y } }: MapMouseEvent) {
  const layers = clickable.filter((layer) => map.getLayer(layer) !== undefined);
  if (layers.length === 0) return [];
  const found = map.queryRenderedFeatures(
    [
      [x - reach, y - reach],
      [x + reach, y + reach],
    ],
    { layers },
  );
  return found.toSorted((a, b) => layers.indexOf(a.layer.id) - layers.indexOf(b.layer.id));
}

function click(map: MapLibre, event: MapMouseEvent): void {
  const { lat, lng } = event.lngLat.wrap();
  const draft = state.draft.peek();
  if (draft !== undefined) {
    state.draft.value = { ...draft, lat, lon: lng };
    return;
  }
  const [hit] = hits(map, event);
  if (hit === undefined) return;
  const { properties, layer } = hit;
  if (layer.id === 'clusters') {
    const zoom = Math.min(map.getZoom() + 2.5, style.waypointZoom + 1);
    map.easeTo({ center: event.lngLat, zoom, duration: stillMs });
  } else if (layer.id === 'waypoints') {
    const { name, lat: north, lon: east } = properties;
    const place = { name: String(name), lat: Number(north), lon: Number(east) };
    void find(place).then((found) => found && state.showPlace(found));
  } else if (typeof properties['day'] === 'string') {
    state.showDay(properties['day']);
  }
}
