import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { trackPointsIn, writeGarminTree, writeTrackTree, type GeneratedSource } from '../data.ts';
import { preciseCpuMs } from '../measure/process-cost.ts';
import type { Plan } from '../plan.ts';
import { atMost, timesAtLeast } from '../report/figure.ts';
import { counted, difference, scenario, type FigureSpec, type Readings } from '../scenario.ts';
import { seed, type Session } from '../session.ts';
import { peer, peerCpuMs, peerVersion, type GpxKind } from '../subjects/peer.ts';
import type { ServerProcess } from '../subjects/server-process.ts';

/** Files of one kind. */
interface Subject {
  readonly title: string;
  readonly source: (session: Session) => GeneratedSource;
  readonly kind: GpxKind;
  /** How many times faster than the peer. */
  readonly wanted?: number | undefined;
  /** Takes a minute or more: once is enough. */
  readonly isLong?: boolean;
  /** Track points, where they are all that is stored. */
  readonly points?: number;
  /** As much again, where the start of the import's thread is much of the first import. */
  readonly second?: (session: Session) => GeneratedSource;
}

const treePointsEach = 500;
const mostMb = 300;

/** How fast GPX becomes rows on disk, for each kind of file. */
export const importSpeed = scenario<Subject, GeneratedSource>({
  name: 'import',
  title: 'import into an empty store, committed',
  subjects: subjectsOf,
  rounds: ({ rounds }, { isLong }) => (isLong === true ? 1 : rounds),
  label: ({ title }) => title,
  prepare: (session, { source }) => Promise.resolve(source(session)),
  run: async (session, source, { kind, second }) => ({
    ...(await importOnce(session, source, second?.(session))),
    ...(await importByPeer(session, source, kind)),
  }),
  figures: ({ wanted, points, second }) => [
    ...(second === undefined
      ? [rateFigure('CPU rate', wanted)]
      : [
          rateFigure('CPU rate, first import', undefined),
          rateFigure('CPU rate, second import', wanted, 'second'),
        ]),
    { what: 'peak resident memory', unit: 'MB', of: 'peak', bar: atMost(points && mostMb) },
    { what: 'stored bytes a point', unit: 'B', of: 'bytes' },
  ],
});

/** The first import is mostly the start of a thread: of small files the second one has the bar. */
function wantedOf(points: number): number | undefined {
  if (points >= 1_000_000) return 5;
  return points >= 100_000 ? 4 : undefined;
}

function subjectsOf({ sizes, importedWaypoints, hugeMb, isQuick }: Plan): Subject[] {
  const tracks = (points: number, wanted: number | undefined, isLong = false): Subject => ({
    title: counted(points, 'track points'),
    source: (session) => session.track(points),
    kind: 'track',
    wanted,
    isLong,
    points,
    ...(points < 1_000_000 && { second: (session) => session.track(points, seed + 1) }),
  });
  const garmin = isQuick ? { files: 2, pointsEach: 100 } : { files: 22, pointsEach: 6_500 };
  return [
    ...sizes.map((points) => tracks(points, wantedOf(points))),
    ...importedWaypoints.map((count): Subject => ({
      title: counted(count, 'waypoints'),
      source: (session) => session.places(count),
      kind: 'places',
      wanted: count === 200_000 ? 0.7 : undefined,
    })),
    // What most large files of real people are.
    {
      title: `${garmin.files} files of ${counted(garmin.pointsEach, 'points')} as Garmin's`,
      source: (session) =>
        session.source('garmin', (directory) => writeGarminTree(directory, { seed, ...garmin })),
      kind: 'track',
      wanted: 3.5,
    },
    ...(hugeMb === undefined ? [] : [tracks(trackPointsIn(hugeMb), 5, true)]),
  ];
}

/** A tree of small track files, shared with the scenario that imports it again. */
export function treeSource(session: Session): GeneratedSource {
  const files = session.plan.treeFiles;
  return session.source('tree', (directory) =>
    writeTrackTree(directory, { seed, files, pointsEach: treePointsEach }),
  );
}

/**
 * What one import costs a new daemon, its start not counted.
 * @param second is imported next, while the thread of the first waits for more, as it does for a minute.
 */
async function importOnce(
  session: Session,
  source: GeneratedSource,
  second?: GeneratedSource,
): Promise<Readings> {
  const root = session.directory();
  const daemon = await session.daemon(root);
  const before = daemon.cpuMs();
  const result = await daemon.importDirectory(source.directory);
  const cost = daemon.cost();
  const bytes = statSync(join(root, 'data/library.sqlite')).size / source.points;
  const next = second && { second: await nextRate(daemon, second) };
  await session.stop(daemon);
  if (result.observations !== source.points) {
    throw new Error(`${result.observations} of ${source.points} points were imported`);
  }
  session.discard(root);
  return {
    rate: rateOf(source, difference(cost?.cpuMs, before)),
    cpuMs: difference(cost?.cpuMs, before),
    peak: cost?.peakResidentMb,
    bytes,
    ...next,
  };
}

/** By the scheduler's clock: it is a few steps of the kernel's. By then what V8 has compiled is kept for the other rounds. */
async function nextRate(daemon: ServerProcess, source: GeneratedSource) {
  await wait(2_000);
  const before = preciseCpuMs(daemon.pid);
  await daemon.importDirectory(source.directory);
  return rateOf(source, difference(preciseCpuMs(daemon.pid), before));
}

/** A peer that fails is not measured. */
async function importByPeer(
  session: Session,
  source: GeneratedSource,
  kind: GpxKind,
): Promise<Readings> {
  if (peerVersion === undefined) return {};
  const directory = session.directory();
  try {
    return { peer: rateOf(source, await peerCpuMs(source.files, directory, kind)) };
  } catch (error) {
    session.say(`not compared: ${error instanceof Error ? error.message : String(error)}`);
    return {};
  } finally {
    session.discard(directory);
  }
}

/** Megabytes for each second of CPU time; undefined below one step of the clock. */
function rateOf({ bytes }: GeneratedSource, cpuMs: number | undefined): number | undefined {
  return cpuMs === undefined || cpuMs === 0 ? undefined : bytes / 1e3 / cpuMs;
}

function rateFigure(what: string, wanted: number | undefined, of = 'rate'): FigureSpec {
  const bar = wanted === undefined ? undefined : timesAtLeast(wanted);
  return { what, unit: 'MB/s', of, against: [peer, 'peer', 'gain'], bar };
}
