import { effect, signal } from '@preact/signals';
import type { Waypoint } from '../../client/waypoints/index.ts';
import { keepLoaded, type Loaded } from './loaded.ts';
import { revision, service } from './service.ts';
import { draft, selected, tab, view } from './state.ts';

/** Waypoints that a view lists, and the number of those that are too dense, or too many, to be listed. */
export const inView = signal<Loaded<Awaited<ReturnType<typeof load>>>>({ state: 'none' });

const mostListed = 100;
const gridPixels = 24;
const settleMs = 150;
const reachDegrees = 0.01;

/** Keeps the list true to what the map shows, while it is shown. */
export function followView(): void {
  keepLoaded(inView, () => {
    const shown = view.value;
    if (shown === undefined || tab.value !== 'places') return undefined;
    return async (abort) => {
      await new Promise((next) => setTimeout(next, settleMs));
      abort.throwIfAborted();
      return load(shown);
    };
  });
  for (const gone of ['waypointDeleted', 'waypointHidden'] as const)
    service.subscribe(gone, () => (selected.value = undefined));
  effect(() => {
    // Something may have changed the waypoint that is shown.
    if (revision.value === 0) return;
    const shown = selected.peek();
    if (shown === undefined || draft.peek() !== undefined) return;
    void find(shown).then((found) => {
      // Another one of its name is not the one that is gone.
      const isThere = found?.lat === shown.lat && found.lon === shown.lon;
      if (selected.peek() === shown) selected.value = isThere ? found : undefined;
    });
  });
}

async function load({ bbox, zoom }: NonNullable<typeof view.value>) {
  const items = await service.getClusters(zoom, gridPixels, false, bbox);
  const all = items.reduce((sum, item) => sum + (item.type === 'cluster' ? item.count : 1), 0);
  const waypoints = items
    .filter((item) => item.type === 'waypoint')
    .toSorted((a, b) => Number(b.bookmark) - Number(a.bookmark) || a.name.localeCompare(b.name))
    .slice(0, mostListed);
  return { waypoints, others: all - waypoints.length };
}

/** All that is known of the waypoint of a name that is nearest to a place. */
export async function find({ name, lat, lon }: Waypoint): Promise<Waypoint | undefined> {
  const near = await around(lat, lon).catch(() => []);
  const off = (waypoint: Waypoint): number => Math.hypot(waypoint.lat - lat, waypoint.lon - lon);
  return near.filter((other) => other.name === name).toSorted((a, b) => off(a) - off(b))[0];
}

function around(lat: number, lon: number): Promise<Waypoint[]> {
  const [west, south] = [Math.max(-180, lon - reachDegrees), Math.max(-90, lat - reachDegrees)];
  const [east, north] = [Math.min(180, lon + reachDegrees), Math.min(90, lat + reachDegrees)];
  return service.getWaypoints({ bbox: [west, south, east, north] });
}
