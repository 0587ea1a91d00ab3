import type { Bbox } from '../../model/schema.ts';
import { places } from '../data.ts';
import { repeated } from '../measure/repeated.ts';
import type { Plan } from '../plan.ts';
import { atMost } from '../report/figure.ts';
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
  readonly path: string;
  readonly items: number;
}

const largeStore = 1_000_000;
/** Whole-world answers up to this zoom have a bar: beyond it an answer has as many items as there are waypoints. */
const farOutZoom = 8;
const mostCalls = 2_000;

/** Groups for a map: the world at some zooms, another grid, a fractional zoom, and one screen. */
export const clusters = scenario<View, Prepared>({
  name: 'clusters',
  title: 'GET /api/clusters',
  subjects: viewsOf,
  label: ({ count, zoom, grid, isScreen }, { items }) =>
    `${counted(count, 'waypoints')}, ${isScreen === true ? 'one screen at ' : ''}zoom ${zoom}, grid ${grid}: ${counted(items, 'items')}`,
  prepare: async (session, { count, zoom, grid, isScreen }) => {
    const daemon = await session.filledDaemon(count);
    const box = isScreen === true ? `&bbox=${screen(zoom).join(',')}` : '';
    const path = `/api/clusters?zoom=${zoom}&grid=${grid}${box}`;
    const { body } = await daemon.get(path, { keepBody: true });
    return { daemon, path, items: (JSON.parse(body) as unknown[]).length };
  },
  run: async ({ plan: { enoughCpuMs } }, { daemon, path }) => {
    const cpuMs = (): number | undefined => daemon.cpuMs();
    const own = await repeated({ cpuMs, call: () => daemon.get(path), enoughCpuMs, mostCalls });
    return { cpu: own.cpuMs };
  },
  figures: ({ count, zoom, isScreen }) => [
    {
      what: 'CPU of a request',
      unit: 'ms',
      of: 'cpu',
      bar: zoom <= farOutZoom || isScreen === true ? barOf(count, isScreen) : undefined,
    },
  ],
});

function barOf(count: number, isScreen = false) {
  if (count === largeStore) return atMost(60);
  return atMost(isScreen ? 3 : 10);
}

function viewsOf({ sizes }: Plan): View[] {
  return sizes.flatMap((count) => [
    ...[0, 3, 6, 6.5, 12].map((zoom) => ({ count, zoom, grid: 60 })),
    { count, zoom: 6, grid: 100 },
    ...[4, 13].map((zoom) => ({ count, zoom, grid: 60, isScreen: true })),
  ]);
}

/** A window of 1,920 × 1,080 pixels around the first waypoint, which is in a large town. */
function screen(zoom: number): Bbox {
  const [first] = [...places({ seed, count: 1 })];
  const { lat, lon } = first!;
  const degrees = 360 / (256 * 2 ** zoom);
  const [halfWidth, halfHeight] = [960 * degrees, 540 * degrees * 0.7];
  const [west, south, east, north] = [
    lon - halfWidth,
    lat - halfHeight,
    lon + halfWidth,
    lat + halfHeight,
  ];
  return [Math.max(west, -180), Math.max(south, -90), Math.min(east, 180), Math.min(north, 90)];
}
