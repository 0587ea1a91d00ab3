import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseDate } from '../../model/calendar-date.ts';
import { worldX, worldY } from '../../model/mercator.ts';
import { decodePositions, pointColumns } from '../../storage/day-blob.ts';
import { TrackReader } from '../../storage/library/track-reader.ts';
import { outlineZooms } from '../../storage/outline.ts';
import { HttpConnection } from '../measure/http-connection.ts';
import { forgetPeak, ownCpuMs } from '../measure/process-cost.ts';
import { repeated } from '../measure/repeated.ts';
import { atMost } from '../report/figure.ts';
import { counted, difference, scenario } from '../scenario.ts';
import type { ServerProcess } from '../subjects/server-process.ts';
import { inaccurate, longRecording } from '../timelines/long-recording.ts';

interface Prepared {
  readonly daemon: ServerProcess;
  readonly libraryPath: string;
  readonly observations: number;
  readonly lat: number;
  readonly lon: number;
}

const startDay = parseDate('2004-01-01')!;
const unitsPerDegree = 1e7;
const zooms = [0, 6, 10, 12, 14, 16] as const;
/** CPU of a tile of a million points, and of one of all points at zoom 0, ms. */
const mostMs = 15;
const mostMsOfAll = 100;
const mostBytes = 150_000;
const million = 117;
const mostCalls = 500;
const small = '/api/version';
const probeEveryMs = 5;
const tilesASecond = 20;
/** Threads of its start, which take 20 MB each, are there or gone by then. */
const settledMs = 8_000;

/** Cost of vector tiles of many points, and latency of other requests while a map is moved. */
export const tiles = scenario<number, Prepared>({
  name: 'tiles',
  title: 'vector tiles of many points',
  subjects: ({ timelineDays }) => timelineDays,
  rounds: ({ rounds }, days) => (days > million ? 1 : rounds),
  label: (days, { observations }) =>
    `${counted(observations, 'observations')}, ${counted(days, 'days')}`,
  prepare: async (session, days) => {
    const blocks = inaccurate(longRecording(startDay, days));
    const { root, observations } = await session.recorded(blocks);
    const [block] = longRecording(startDay, days);
    const [lat, lon] = [block!.latE7[0]! / unitsPerDegree, block!.lonE7[0]! / unitsPerDegree];
    const daemon = await session.daemon(root);
    await wait(settledMs);
    return { daemon, libraryPath: join(root, 'data/library.sqlite'), observations, lat, lon };
  },
  run: async (session, { daemon, libraryPath, lat, lon }) => {
    const { enoughCpuMs, loadMs } = session.plan;
    const cpuMs = (): number | undefined => daemon.cpuMs();
    const beforeMb = forgetPeak(daemon.pid);
    const readings: Record<string, number | undefined> = {};
    for (const zoom of zooms) {
      const path = pathOf(zoom, lat, lon);
      // As a map does that is opened: what V8 compiles meanwhile is not of the one tile.
      for (let east = 0; east < tilesASecond; east += 1)
        await daemon.get(pathOf(zoom, lat, lon, east % 2));
      const call = () => daemon.get(path);
      const { cpuMs: cost } = await repeated({ cpuMs, call, enoughCpuMs, mostCalls });
      readings[`cpu${zoom}`] = cost;
      readings[`bytes${zoom}`] = (await daemon.get(path)).bodyBytes;
    }
    const call = () => decodeDays(libraryPath);
    const decoding = await repeated({ cpuMs: ownCpuMs, call, enoughCpuMs, mostCalls });
    readings['decoding'] = decoding.cpuMs;
    readings['grown'] = difference(daemon.cost()?.peakResidentMb, beforeMb);
    const probe = session.probe(daemon, small, probeEveryMs);
    await pan(daemon, lat, lon, loadMs);
    readings['p99'] = (await probe.finish()).p99Ms;
    return readings;
  },
  figures: (days) => [
    ...zooms.flatMap((zoom) => [
      {
        what: `CPU of a tile at zoom ${zoom}`,
        unit: 'ms' as const,
        of: `cpu${zoom}`,
        // What lines thinned for these zooms save; cutting and writing would come on top.
        ...(zoom <= outlineZooms.fine && {
          against: ['decoding the days', 'decoding', 'gain'] as const,
        }),
        bar: atMost(days <= million ? mostMs : zoom === 0 ? mostMsOfAll : undefined),
      },
      {
        what: `a tile at zoom ${zoom}`,
        unit: 'B' as const,
        of: `bytes${zoom}`,
        bar: atMost(mostBytes),
      },
    ]),
    {
      what: 'resident memory above idle, peak',
      unit: 'MB',
      of: 'grown',
      bar: atMost(80),
    },
    {
      what: 'small GET while the map is moved at zoom 14, p99',
      unit: 'ms',
      of: 'p99',
      bar: atMost(25),
    },
  ],
});

function decodeDays(libraryPath: string): void {
  const reader = new TrackReader(libraryPath);
  const columns = pointColumns();
  const world = { south: -9e8, west: -1.8e9, north: 9e8, east: 1.8e9 };
  for (const row of reader.days(world, { fromMs: -Infinity, toMs: Infinity }))
    decodePositions(reader.points(row), columns);
  reader.close();
}

function placeOf(zoom: number, lat: number, lon: number, east = 0): [x: number, y: number] {
  const tileCount = 2 ** zoom;
  const x = Math.min(Math.floor(worldX(lon) * tileCount) + east, tileCount - 1);
  return [x, Math.floor(worldY(lat) * tileCount)];
}

/** As the page of the map asks for them. */
function pathOf(zoom: number, lat: number, lon: number, east = 0): string {
  const [x, y] = placeOf(zoom, lat, lon, east);
  return `/api/tiles/${zoom}/${x}/${y}.mvt?layers=tracks,points,routes`;
}

/** Asks for tiles side by side, back and forth. */
async function pan(daemon: ServerProcess, lat: number, lon: number, forMs: number): Promise<void> {
  const asked: Promise<unknown>[] = [];
  const tileCount = Math.round((forMs / 1_000) * tilesASecond);
  for (let tile = 0; tile < tileCount; tile += 1) {
    asked.push(askAlone(daemon, pathOf(14, lat, lon, tile % tilesASecond)));
    await wait(1_000 / tilesASecond);
  }
  await Promise.all(asked);
}

/** On a connection of its own: the next tile is asked for while this one is made. */
async function askAlone(daemon: ServerProcess, path: string): Promise<void> {
  const connection = new HttpConnection();
  await connection.send(daemon.request(path));
  connection.close();
}
