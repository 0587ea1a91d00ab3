import {
  clusterByMap,
  type ClusterMapRequest,
  type PlaceColumns,
} from '../baselines/cluster-map.ts';
import { places } from '../data.ts';
import type { Bbox } from '../../model/schema.ts';
import { ownCpuMs } from '../measure/process-cost.ts';
import { repeated, type CallCost } from '../measure/repeated.ts';
import { median, medianOf } from '../measure/statistics.ts';
import { ownSeries } from '../report/charts.ts';
import type { Bar, Figure } from '../report/figure.ts';
import type { Goal } from '../report/goals.ts';
import { seed, type Scenario, type Session } from '../session.ts';
import type { ServerProcess } from '../subjects/server-process.ts';

interface View extends ClusterMapRequest {
  readonly title: string;
  /** Answers of up to {@link fewItems} items must not take longer. */
  readonly atMostMs: number;
  /** Zooms at which a map with string keys must be beaten ten times at the largest size. */
  readonly isFarOut: boolean;
  /** The goal that the time is about. */
  readonly goal: Goal;
  readonly isPlotted?: boolean;
}

const name = 'clusters';
const fewItems = 25_000;
/** Ten times faster than the Map is asked for at this size: below, HTTP alone costs more than grouping. */
const largeStore = 1_000_000;
const mostCalls = 2_000;
const mapSeries = 'Map with string keys';

/** Groups for a map: the world at three zooms, other grids, a fractional zoom, and one screen. */
export const clusters: Scenario = {
  name,
  title: 'GET /api/clusters',
  async *run(session) {
    for (const count of session.plan.sizes) yield* ofSize(session, count);
  },
};

async function* ofSize(session: Session, count: number): AsyncGenerator<Figure> {
  const columns = columnsOf(count);
  const daemon = await session.daemon(await session.filled(count));
  for (const view of viewsOf(columns)) {
    yield* await ofView(session, { count, columns, daemon, view });
  }
  await session.stop(daemon);
}

interface Task {
  readonly count: number;
  readonly columns: PlaceColumns;
  readonly daemon: ServerProcess;
  readonly view: View;
}

async function ofView(session: Session, { count, columns, daemon, view }: Task): Promise<Figure[]> {
  const { plan } = session;
  const path = pathOf(view);
  const items = await checkedItems(daemon, path, clusterByMap(columns, view).items);
  const own: CallCost[] = [];
  const map: CallCost[] = [];
  const { enoughCpuMs } = plan;
  for (let round = 0; round < plan.rounds; round += 1) {
    const cpuMs = (): number | undefined => daemon.cpuMs();
    own.push(await repeated({ cpuMs, call: () => daemon.get(path), enoughCpuMs, mostCalls }));
    const call = (): unknown => Buffer.from(clusterByMap(columns, view).json);
    map.push(await repeated({ cpuMs: ownCpuMs, call, enoughCpuMs, mostCalls }));
  }
  const subject = `${count.toLocaleString('en')} waypoints, ${view.title}: ${items.toLocaleString('en')} items`;
  const line = { scenario: name, subject, unit: 'ms' as const };
  const ownMs = medianOf(own.map(({ cpuMs }) => cpuMs));
  const mapMs = medianOf(map.map(({ cpuMs }) => cpuMs));
  if (view.isPlotted === true) {
    session.plot('clusters', ownSeries, count, ownMs);
    session.plot('clusters', mapSeries, count, mapMs);
  }
  return [
    {
      ...line,
      what: 'CPU of a request',
      value: ownMs,
      baseline: { name: mapSeries, value: mapMs, ratio: 'gain' },
      bar: view.isFarOut && count === largeStore ? { of: 'ratio', atLeast: 10 } : undefined,
      goal: 'clusterGain',
    },
    {
      ...line,
      what: 'a request, wall',
      value: median(own.map(({ wallMs }) => wallMs)),
      bar: plan.isQuick ? undefined : timeBar(items, view),
      goal: view.goal,
    },
  ];
}

function timeBar(items: number, { atMostMs }: View): Bar | undefined {
  return items <= fewItems ? { of: 'figure', atMost: atMostMs } : undefined;
}

/** A fast wrong answer is no answer: daemon and yardstick must agree on the number of items. */
async function checkedItems(
  daemon: ServerProcess,
  path: string,
  expected: number,
): Promise<number> {
  const { body } = await daemon.get(path, { keepBody: true });
  const items: unknown = JSON.parse(body);
  if (!Array.isArray(items) || items.length !== expected) {
    throw new Error(`${path}: not the ${expected} items of the reference`);
  }
  return expected;
}

function viewsOf(columns: PlaceColumns): View[] {
  const far = { grid: 60, isFarOut: true, atMostMs: 20, goal: 'clusterTime' as const };
  const other = { isFarOut: false, atMostMs: 80, goal: 'clusterOther' as const };
  return [
    { ...far, zoom: 0, title: 'zoom 0' },
    { ...far, zoom: 3, title: 'zoom 3' },
    { ...far, zoom: 6, title: 'zoom 6', isPlotted: true },
    { ...far, zoom: 12, isFarOut: false, title: 'zoom 12' },
    { ...other, zoom: 6, grid: 100, title: 'zoom 6, grid 100' },
    { ...other, zoom: 6.5, grid: 60, title: 'zoom 6.5' },
    ...[4, 9, 13].map((zoom) => ({
      ...far,
      isFarOut: false,
      goal: 'clusterScreen' as const,
      zoom,
      bbox: screen(columns, zoom),
      title: `one screen at zoom ${zoom}`,
    })),
  ];
}

/** What a window of 1,920 × 1,080 pixels shows around the first waypoint, which is in a large town. */
function screen({ lat, lon }: PlaceColumns, zoom: number): Bbox {
  const degrees = 360 / (256 * 2 ** zoom);
  const [halfWidth, halfHeight] = [960 * degrees, 540 * degrees * 0.7];
  const [west, south] = [lon[0]! - halfWidth, lat[0]! - halfHeight];
  const [east, north] = [lon[0]! + halfWidth, lat[0]! + halfHeight];
  return [Math.max(west, -180), Math.max(south, -90), Math.min(east, 180), Math.min(north, 90)];
}

function pathOf({ zoom, grid, bbox }: View): string {
  const box = bbox === undefined ? '' : `&bbox=${bbox.join(',')}`;
  return `/api/clusters?zoom=${zoom}&grid=${grid}${box}`;
}

function columnsOf(count: number): PlaceColumns {
  const names: string[] = [];
  const lat = new Float64Array(count);
  const lon = new Float64Array(count);
  for (const place of places({ seed, count })) {
    lat[names.length] = place.lat;
    lon[names.length] = place.lon;
    names.push(place.name);
  }
  return { names, lat, lon };
}
