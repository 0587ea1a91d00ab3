import {
  clusterByMap,
  type ClusterMapRequest,
  type PlaceColumns,
} from '../baselines/cluster-map.ts';
import { places } from '../data.ts';
import type { Bbox } from '../../model/schema.ts';
import { ownCpuMs } from '../measure/process-cost.ts';
import { repeated } from '../measure/repeated.ts';
import type { Plan } from '../plan.ts';
import { atMost, timesAtLeast } from '../report/figure.ts';
import { counted, scenario } from '../scenario.ts';
import { seed } from '../session.ts';
import type { ServerProcess } from '../subjects/server-process.ts';

interface View {
  readonly count: number;
  readonly zoom: number;
  readonly grid: number;
  /** One screen instead of the world. */
  readonly isScreen?: boolean;
}

interface Prepared {
  readonly daemon: ServerProcess;
  readonly columns: PlaceColumns;
  readonly request: ClusterMapRequest;
  readonly path: string;
  readonly items: number;
}

/** Answers of up to so many items have a bar on their time. */
const fewItems = 25_000;
/** Ten times faster than the Map is asked for at this size and to this zoom: elsewhere HTTP alone costs more than grouping. */
const largeStore = 1_000_000;
const farOutZoom = 6;
const mostCalls = 2_000;

/** Groups for a map: the world at some zooms, another grid, a fractional zoom, and one screen. */
export const clusters = scenario<View, Prepared>({
  name: 'clusters',
  title: 'GET /api/clusters',
  subjects: viewsOf,
  label: ({ count, zoom, grid, isScreen }, { items }) =>
    `${counted(count, 'waypoints')}, ${isScreen === true ? 'one screen at ' : ''}zoom ${zoom}, grid ${grid}: ${counted(items, 'items')}`,
  prepare: async (session, { count, zoom, grid, isScreen }) => {
    const columns = columnsOf(count);
    const bbox = isScreen === true ? screen(columns, zoom) : undefined;
    const request = { zoom, grid, bbox };
    const daemon = await session.filledDaemon(count);
    const box = bbox === undefined ? '' : `&bbox=${bbox.join(',')}`;
    const path = `/api/clusters?zoom=${zoom}&grid=${grid}${box}`;
    // A fast wrong answer is no answer: daemon and yardstick must agree on the number of items.
    const { items } = clusterByMap(columns, request);
    const { body } = await daemon.get(path, { keepBody: true });
    if ((JSON.parse(body) as unknown[]).length !== items) throw new Error(`${path}: not ${items}`);
    return { daemon, columns, request, path, items };
  },
  run: async ({ plan: { enoughCpuMs } }, { daemon, columns, request, path }) => {
    const cpuMs = (): number | undefined => daemon.cpuMs();
    const own = await repeated({ cpuMs, call: () => daemon.get(path), enoughCpuMs, mostCalls });
    const call = (): unknown => Buffer.from(clusterByMap(columns, request).json);
    const map = await repeated({ cpuMs: ownCpuMs, call, enoughCpuMs, mostCalls });
    return { cpu: own.cpuMs, wall: own.wallMs, map: map.cpuMs };
  },
  figures: ({ count, zoom, grid, isScreen }, { items }) => [
    {
      what: 'CPU of a request',
      unit: 'ms',
      of: 'cpu',
      against: ['Map with string keys', 'map', 'gain'],
      bar:
        isScreen !== true && grid === 60 && zoom <= farOutZoom && count === largeStore
          ? timesAtLeast(10)
          : undefined,
    },
    {
      what: 'a request, wall',
      unit: 'ms',
      of: 'wall',
      bar: items <= fewItems ? atMost(grid === 60 && Number.isInteger(zoom) ? 20 : 80) : undefined,
    },
  ],
});

function viewsOf({ sizes }: Plan): View[] {
  return sizes.flatMap((count) => [
    ...[0, 3, 6, 6.5, 12].map((zoom) => ({ count, zoom, grid: 60 })),
    { count, zoom: 6, grid: 100 },
    ...[4, 13].map((zoom) => ({ count, zoom, grid: 60, isScreen: true })),
  ]);
}

/** What a window of 1,920 × 1,080 pixels shows around the first waypoint, which is in a large town. */
function screen({ lat, lon }: PlaceColumns, zoom: number): Bbox {
  const degrees = 360 / (256 * 2 ** zoom);
  const [halfWidth, halfHeight] = [960 * degrees, 540 * degrees * 0.7];
  const [west, south] = [lon[0]! - halfWidth, lat[0]! - halfHeight];
  const [east, north] = [lon[0]! + halfWidth, lat[0]! + halfHeight];
  return [Math.max(west, -180), Math.max(south, -90), Math.min(east, 180), Math.min(north, 90)];
}

function columnsOf(count: number): PlaceColumns {
  const all = [...places({ seed, count })];
  return {
    names: all.map(({ name }) => name),
    lat: Float64Array.from(all, ({ lat }) => lat),
    lon: Float64Array.from(all, ({ lon }) => lon),
  };
}
