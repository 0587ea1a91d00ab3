import { effect, signal, untracked } from '@preact/signals';
import {
  Map as MapLibre,
  type GeoJSONSource,
  type MapMouseEvent,
  type PaddingOptions,
  type VectorTileSource,
} from 'maplibre-gl';
import { closeZoom } from './base-layers.ts';
import { offerStreetMap } from './street-map.ts';
import { isLost, revision, service, session } from './service.ts';
import { chosenPlace } from './places.ts';
import * as state from './state.ts';
import { dayLines, marks } from './day.ts';
import { paletteOf } from './palette.ts';
import {
  firstOf,
  mapStyle,
  type Look,
  tileAddress,
  tileSources,
  waypointZoom,
} from './map-style.ts';

/** Beside the panel and the bar, what the map moves to must not be hidden. */
const narrow = matchMedia('(max-width: 719px)');
const isCoastLoaded = signal(false);
const mostFitZoom = 15;
const clickable = ['waypoints', 'clusters', 'tracks', 'points'];
/** In pixels round a click: a line is thin. */
const reach = 6;
/** So long the map waits for where everything is, ms; a daemon that reads its library says it later. */
const mostWaitMs = 700;
/** So long it waits for the first tracks before it draws the rest, ms. */
const mostAloneMs = 2_000;
const world = [-150, -50, 170, 70] as const;
const stillMs = matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : 700;

/** Draws the map into an element, where something is, and keeps it true to the state of the page. */
export async function startMap(container: HTMLElement): Promise<MapLibre> {
  if (session?.hasBasemap === true) offerStreetMap(session.headers);
  const everywhere = whereAllIs();
  const late = new Promise<undefined>((next) => setTimeout(() => next(undefined), mostWaitMs));
  const bbox = await Promise.race([everywhere, late]);
  const bounds = boundsOf(bbox ?? world);
  const map = new MapLibre({
    container,
    style: firstOf(mapStyle(lookOf(state.isDark.peek())), bounds),
    validateStyle: false,
    bounds,
    fitBoundsOptions: { padding: roomRound(container), maxZoom: mostFitZoom },
    maxZoom: 19,
    attributionControl: false,
    dragRotate: false,
    pitchWithRotate: false,
    touchPitch: false,
    maxTileCacheSize: 200,
    fadeDuration: 0,
    locale: { 'Map.Title': 'Map' },
    ...(session && { transformRequest: session.transformRequest }),
  });
  map.touchZoomRotate.disableRotation();
  map.keyboard.disableRotation();
  map.on('moveend', () => tellView(map));
  map.on('load', () => tellView(map));
  map.on('click', (event) => click(map, event));
  map.on('mousemove', (event) => {
    const isOver = state.draft.peek() !== undefined || hits(map, event).length > 0;
    map.getCanvas().style.cursor = isOver ? 'pointer' : '';
  });
  const complete = (): void => {
    clearTimeout(timer);
    map.off('idle', complete);
    if (isLost.value) return;
    // Only what is new is added.
    map.setStyle(mapStyle(lookOf(state.isDark.peek())), { validate: false });
    follow(map);
    map.on('zoomend', loadCloseUps);
    loadCloseUps({ target: map });
  };
  let timer: ReturnType<typeof setTimeout> | undefined;
  map.once('style.load', () => (timer = setTimeout(complete, mostAloneMs)));
  map.on('idle', complete);
  map.on('remove', () => clearTimeout(timer));
  if (bbox === undefined) {
    void everywhere.then((found) => {
      if (found !== undefined) state.target.value ??= { bbox: found };
    });
  }
  return map;
}

type Box = readonly [west: number, south: number, east: number, north: number];

async function whereAllIs(): Promise<Box | undefined> {
  const answer = await service.getTileJson().catch(() => undefined);
  return answer?.bounds as Box | undefined;
}

/** Loads coasts and towns that are only seen close up, once; until then the coarse ones stay. */
function loadCloseUps({ target: map }: { readonly target: MapLibre }): void {
  if (map.getZoom() < closeZoom) return;
  map.off('zoomend', loadCloseUps);
  for (const name of ['coast', 'towns']) {
    void map.getSource<GeoJSONSource>(name)?.setData(`${location.origin}/basemap/${name}.geojson`);
  }
  // When all of it is drawn.
  map.once('idle', () => (isCoastLoaded.value = true));
}

function lookOf(isDark: boolean): Look {
  const hasStreets = session?.hasBasemap === true;
  return { origin: location.origin, isDark, hasStreets, tracks: trackQuery() };
}

/** The query of the tiles of tracks. */
function trackQuery(): string {
  const { from, to } = state.period.value ?? {};
  const dates = from === undefined ? '' : `&from=${from}&to=${to}`;
  return `layers=tracks,points,routes${dates}`;
}

/** Keeps the map true to the state. */
function follow(map: MapLibre): void {
  onChange(trackQuery, (tracks) => {
    map.getSource<VectorTileSource>('tracks')?.setTiles([tileAddress(location.origin, tracks)]);
  });
  onChange(
    () => revision.value,
    () => tileSources.forEach((source) => map.refreshTiles(source)),
  );
  onChange(
    () => state.isDark.value,
    (isDark) => {
      // Only the colours change: the sources keep what they hold.
      map.setStyle(mapStyle(lookOf(isDark)), {
        transformStyle: (now, next) => ({ ...next, sources: now?.sources ?? next.sources }),
      });
    },
  );
  effect(() => {
    void state.isDark.value;
    if (isCoastLoaded.value) map.setLayerZoomRange('land', 0, closeZoom);
  });
  effect(() => setData(map, 'day', { type: 'MultiLineString', coordinates: dayLines.value }));
  effect(() => setData(map, 'marks', marks.value));
  effect(() => {
    const target = state.target.value;
    if (target !== undefined) go(map, target);
  });
  effect(() => {
    // Where all days lie one on the other, what was gone often is stronger; beside one day they are background.
    const isBackground = dayLines.value.length > 0;
    const { track, border } = paletteOf(state.isDark.value);
    map.setPaintProperty('tracks', 'line-color', isBackground ? border : track);
    map.setPaintProperty('tracks', 'line-opacity', state.period.value === undefined ? 0.4 : 0.6);
  });
}

/** Calls back whenever what is read is another than it was. */
function onChange<T>(read: () => T, act: (now: T) => void): void {
  let before = untracked(read);
  effect(() => {
    const now = read();
    if (now === before) return;
    before = now;
    untracked(() => act(now));
  });
}

function setData(map: MapLibre, source: string, data: GeoJSON.GeoJSON): void {
  void map.getSource<GeoJSONSource>(source)?.setData(data);
}

/** What the panel and the bar leave free. */
function roomRound({ clientHeight, clientWidth }: HTMLElement): PaddingOptions {
  const isOpen = state.isPanelOpen.peek();
  return narrow.matches
    ? { top: 80, left: 24, right: 24, bottom: isOpen ? clientHeight * 0.5 + 90 : 150 }
    : { top: 60, left: isOpen ? Math.min(460, clientWidth / 2) : 60, right: 80, bottom: 140 };
}

/** A box across the antimeridian goes on to the east. */
function boundsOf([west, south, east, north]: Box): [number, number, number, number] {
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
    const zoom = Math.min(map.getZoom() + 2.5, waypointZoom + 1);
    map.easeTo({ center: event.lngLat, zoom, duration: stillMs });
  } else if (layer.id === 'waypoints') {
    const { name, lat: north, lon: east } = properties;
    void chosenPlace(String(name), Number(north), Number(east));
  } else if (typeof properties['day'] === 'string') {
    state.showDay(properties['day']);
  }
}
