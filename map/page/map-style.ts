import { computed, signal } from '@preact/signals';
import type { LayerSpecification, StyleSpecification } from 'maplibre-gl';
import type { Bbox } from '../../client/waypoints/index.ts';
import { dayLines } from './day.ts';
import { session } from './service.ts';
import { isDark, period } from './state.ts';
import { streetBox, streetLayers, streetSource } from './street-map.ts';
import drawn from './style.json' with { type: 'json' };

/** From here on coasts and towns are those of the close-ups, once they are loaded. */
export const closeZoom = 6;
/** From here on waypoints come one by one, below as clusters. */
export const waypointZoom = 12;

/** Degrees: even of a single position there is something to draw. */
const spare = 0.001;

/** Whether the coasts of close up are drawn; until then the coarse ones stay. */
export const isCoastLoaded = signal(false);

/** How tracks are drawn: where all days lie one on the other, what was gone often is stronger; beside one day they are background. */
export const trackPaint = computed(() => {
  const { border, track } = drawn.metadata.colours;
  const pair = dayLines.value.length > 0 ? border : track;
  const opacity = period.value === undefined ? 0.4 : 0.6;
  return [pair[isDark.value ? 1 : 0], opacity] as const;
});

/** The colour of a way of moving, on the map and beside it. */
export function modeColour(mode: string): string {
  const { name, ...colours } = drawn.metadata.colours;
  // Sound: a mode without a colour of its own has that of names.
  const pair = (colours as Record<string, readonly string[]>)[mode] ?? name;
  return pair[isDark.value ? 1 : 0] ?? '';
}

/** The address of the tiles of tracks. */
export const trackTiles = computed(() => {
  const { from, to } = period.value ?? {};
  const dates = from === undefined ? '' : `&from=${from}&to=${to}`;
  return `/api/tiles/{z}/{x}/{y}.mvt?layers=tracks,points,routes${dates}`;
});

/**
 * The style of the map as the page is now. There is no `glyphs` address: MapLibre draws the letters with the fonts of the
 * machine.
 */
export function mapStyle(): StyleSpecification {
  const { colours } = drawn.metadata;
  const chosen = Object.entries(colours).map(([name, pair]) => [name, pair[isDark.value ? 1 : 0]]);
  const named: Record<string, unknown> = Object.fromEntries(chosen);
  // What is changed by itself: a style anew costs a tenth of a second.
  [named['lines'], named['opacity']] = trackPaint.peek();
  named['coarse'] = isCoastLoaded.peek() ? closeZoom : 24;
  named['tiles'] = [trackTiles.peek()];
  const fill = (key: string, value: unknown): unknown => {
    if (key === 'text-size') return grown(value);
    return typeof value === 'string' && value.startsWith('@') ? named[value.slice(1)] : value;
  };
  const text = JSON.stringify(drawn);
  // Sound: a test validates it.
  const { sources, layers, ...rest } = JSON.parse(text, fill) as StyleSpecification;
  if (session?.hasBasemap !== true) return { ...rest, sources, layers };
  return {
    ...rest,
    sources: { ...sources, streets: streetSource },
    layers: layers
      .flatMap((layer) => {
        const isName = 'source' in layer && ['names', 'towns'].includes(layer.source);
        return isName ? namedOutside(layer, streetBox.value) : [layer];
      })
      .toSpliced(
        layers.findIndex(({ id }) => id === 'routes'),
        0,
        ...streetLayers(isDark.value),
      ),
  };
}

/** Letters grow with the screen, as those of the page do: a number, or those behind each zoom. */
function grown(size: unknown): unknown {
  const share = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
  const scaled = (part: unknown, at: number): unknown =>
    typeof part === 'number' && at % 2 === 0 ? part * share : part;
  return Array.isArray(size) ? size.map(scaled) : scaled(size, 0);
}

/** Where the street map is it has names of its own; until that is known they may be anywhere. */
function namedOutside(layer: LayerSpecification, box: Bbox | undefined): LayerSpecification[] {
  if (box === undefined || !('filter' in layer)) return [];
  const area = ringOf(box);
  // Sound: each of these layers has a filter of expressions.
  return [{ ...layer, filter: ['all', layer.filter, ['!', ['within', area]]] } as typeof layer];
}

/**
 * What is worth the first look: land, streets and tracks. The rest would keep the one thread that makes tiles; of each of
 * its layers there is one box under the sea. For MapLibre links a shader when something is first drawn with it, and
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
      early: { type: 'geojson', data: earlyBox(bounds) },
      ...Object.fromEntries(Object.entries(sources).filter(([name]) => isFirst(name))),
    },
    layers: [...(early as LayerSpecification[]), ...kept],
  };
}

/** In all of what is looked at; with what the layers read. */
function earlyBox([west, south, east, north]: Bbox): GeoJSON.Feature {
  const geometry = ringOf([west - spare, south - spare, east + spare, north + spare]);
  return { type: 'Feature', properties: { name: '.', count: 2, rank: 0 }, geometry };
}

function ringOf([west, south, east, north]: Bbox): GeoJSON.Polygon {
  const corners = [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ];
  return { type: 'Polygon', coordinates: [corners] };
}
