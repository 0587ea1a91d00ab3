import {
  trackPointsIn,
  writeGarminTree,
  writeOddTrack,
  writeTrackTree,
  writeWideTrack,
  type GeneratedSource,
} from '../data.ts';
import { median, medianOf } from '../measure/statistics.ts';
import { roundsOf } from '../plan.ts';
import { ownSeries } from '../report/charts.ts';
import type { Bar, Figure } from '../report/figure.ts';
import type { Goal } from '../report/goals.ts';
import { seed, type Scenario, type Session } from '../session.ts';
import { compareImport, importOnce, rate, type Comparison } from './import-run.ts';

const name = 'import';
/** What is asked of a file of a million points; smaller ones spend too much of their time on beginning. */
const largeFile = 1_000_000;
/** One short recording: a thread has to start for it. */
const smallFile = 10_000;
/** The number of waypoints that the goal is about. */
const manyWaypoints = 200_000;
/** Of these kinds, files of so many points take a minute or more with all programs together: once is enough. */
const longTracks = 5_000_000;
const longOthers = 1_000_000;
const treePointsEach = 500;
/** Files and points of each, as a year of a cyclist has them: 60 MB. */
const garminTree = { files: 22, pointsEach: 6_500 };
/** Below this the fixed size of an empty database is most of the file. */
const fewestPointsForBytes = 100_000;

/** How fast GPX becomes rows on disk, for each kind of file. */
export const importSpeed: Scenario = {
  name,
  title: 'import into an empty store, committed',
  async *run(session) {
    const { sizes, importedWaypoints, unusualPoints, hugeMb } = session.plan;
    for (const points of sizes) yield* await tracks(session, points, wantedOf(points));
    for (const count of importedWaypoints) yield* await waypoints(session, count);
    for (const points of unusualPoints) yield* await oddTracks(session, points);
    yield* await wideTracks(session, unusualPoints[0] ?? 1_000);
    yield* await garminFiles(session);
    yield* await manyFiles(session);
    if (hugeMb === undefined) return;
    yield* await tracks(session, trackPointsIn(hugeMb), {
      goal: 'hugePeers',
      gpsbabel: 6,
      ogr2ogr: 5,
    });
  },
};

/** How many times faster than a peer, by its program; no bar without a goal. */
interface Wanted {
  readonly goal: Goal | undefined;
  readonly gpsbabel?: number;
  readonly ogr2ogr?: number;
}

/** What is asked of a track file of so many points. */
function wantedOf(points: number): Wanted {
  if (points === smallFile) return { goal: 'smallPeers', gpsbabel: 0.8 };
  const goal = points === largeFile ? 'trackPeers' : undefined;
  return { goal, gpsbabel: 5, ogr2ogr: 4 };
}

async function tracks(session: Session, points: number, wanted: Wanted): Promise<Figure[]> {
  const source = session.track(points);
  const rounds = roundsOf(session.plan, points, longTracks);
  const subject = `${points.toLocaleString('en')} track points${roundsNote(session, rounds)}`;
  const compared = await compareImport(session, source, { kind: 'track', rounds });
  plotted(session, 'tracks', points, compared);
  const stored = median(compared.own.map((cost) => cost.storedBytes)) / points;
  return [
    ...speed(subject, source, { compared, wanted }),
    {
      scenario: name,
      subject,
      what: 'stored bytes a point',
      unit: 'B',
      value: stored,
      bar: points >= fewestPointsForBytes ? { of: 'figure', atMost: 8 } : undefined,
      goal: 'storedBytes',
    },
  ];
}

async function waypoints(session: Session, count: number): Promise<Figure[]> {
  const source = session.places(count);
  const rounds = roundsOf(session.plan, count, longOthers);
  const compared = await compareImport(session, source, { kind: 'places', rounds });
  plotted(session, 'places', count, compared);
  const goal = count === manyWaypoints ? 'placePeers' : undefined;
  const subject = `${count.toLocaleString('en')} waypoints${roundsNote(session, rounds)}`;
  return speed(subject, source, { compared, wanted: { goal, gpsbabel: 1 } });
}

/** Forms that few programs write; they have their bar at every size. */
async function oddTracks(session: Session, points: number): Promise<Figure[]> {
  const source = session.source(`odd track ${points}`, (directory) =>
    writeOddTrack(directory, { seed, points }),
  );
  return unusual(session, source, 'unusual GPX', 0.8);
}

/** What is left to the XML parser, point by point. */
async function wideTracks(session: Session, points: number): Promise<Figure[]> {
  const source = session.source(`wide track ${points}`, (directory) =>
    writeWideTrack(directory, { seed, points }),
  );
  return unusual(session, source, 'GPX in UTF-16', 0.2);
}

/** What most large files of real people are. */
async function garminFiles(session: Session): Promise<Figure[]> {
  const { rounds, isQuick } = session.plan;
  const tree = isQuick ? { files: 2, pointsEach: 100 } : garminTree;
  const source = session.source('garmin tree', (directory) =>
    writeGarminTree(directory, { seed, ...tree }),
  );
  const compared = await compareImport(session, source, { kind: 'track', rounds });
  const subject = `${tree.files} files of ${tree.pointsEach.toLocaleString('en')} points as Garmin's`;
  const goal = isQuick ? undefined : 'garminPeers';
  return speed(subject, source, { compared, wanted: { goal, gpsbabel: 4, ogr2ogr: 8 } });
}

async function unusual(
  session: Session,
  source: GeneratedSource,
  what: string,
  gpsbabel: number,
): Promise<Figure[]> {
  const { points } = source;
  const rounds = roundsOf(session.plan, points, longOthers);
  const compared = await compareImport(session, source, { kind: 'track', rounds });
  const subject = `${points.toLocaleString('en')} track points, ${what}${roundsNote(session, rounds)}`;
  const usual = gpsbabel === 0.8 ? 'unusualPeers' : 'widePeers';
  const goal = session.plan.isQuick ? undefined : usual;
  return speed(subject, source, { compared, wanted: { goal, gpsbabel } });
}

/** A figure that is no median says so. */
function roundsNote({ plan }: Session, rounds: number): string {
  return rounds < plan.rounds ? ', once' : '';
}

/** Many small files against one file of as many points. */
async function manyFiles(session: Session): Promise<Figure[]> {
  const files = session.plan.treeFiles;
  const tree = treeSource(session);
  const whole = session.track(tree.points);
  const own = [];
  const one = [];
  // Thousands of files deleted just before would make the kernel search longer for each new one.
  const kept: string[] = [];
  for (let round = 0; round < session.plan.rounds; round += 1) {
    own.push(await importOnce(session, tree, (root) => kept.push(root)));
    one.push(await importOnce(session, whole, (root) => kept.push(root)));
  }
  for (const root of kept) session.discard(root);
  const ofOne = rate(whole.bytes / 1e6, one);
  return [
    {
      scenario: name,
      subject: `${files.toLocaleString('en')} files of ${treePointsEach} points`,
      what: 'CPU rate',
      unit: 'MB/s',
      value: rate(tree.bytes / 1e6, own),
      baseline: { name: 'one file of as many', value: ofOne, ratio: 'gain' },
      bar: session.plan.isQuick ? undefined : { of: 'ratio', atLeast: 0.8 },
      goal: 'smallFiles',
    },
  ];
}

/** A tree of small track files, shared with the scenario that imports it again. */
export function treeSource(session: Session): GeneratedSource {
  const files = session.plan.treeFiles;
  return session.source('tree', (directory) =>
    writeTrackTree(directory, { seed, files, pointsEach: treePointsEach }),
  );
}

function plotted(
  session: Session,
  chart: 'tracks' | 'places',
  size: number,
  { own, peers }: Comparison,
): void {
  const seconds = (costs: readonly { readonly cpuMs: number | undefined }[]): number | undefined =>
    medianOf(costs.map(({ cpuMs }) => cpuMs && cpuMs / 1_000));
  session.plot(chart, ownSeries, size, seconds(own));
  for (const [{ program }, costs] of peers) session.plot(chart, program, size, seconds(costs));
}

function speed(
  subject: string,
  source: GeneratedSource,
  { compared: { own, peers }, wanted }: { readonly compared: Comparison; readonly wanted: Wanted },
): Figure[] {
  const megabytes = source.bytes / 1e6;
  const line = { scenario: name, subject };
  const mine = { ...line, what: 'CPU rate', unit: 'MB/s' as const, value: rate(megabytes, own) };
  const figures = [...peers].map(([peer, costs]): Figure => ({
    ...mine,
    baseline: { name: peer.name, value: rate(megabytes, costs), ratio: 'gain' },
    bar: barOf(wanted, peer.program),
    goal: wanted.goal,
  }));
  return [
    ...(figures.length === 0 ? [mine] : figures),
    { ...line, what: 'CPU rate', unit: 'points/s', value: rate(source.points, own) },
    { ...line, what: 'wall', unit: 'ms', value: median(own.map((cost) => cost.wallMs)) },
    {
      ...line,
      what: 'peak resident memory',
      unit: 'MB',
      value: medianOf(own.map((cost) => cost.peakResidentMb)),
    },
  ];
}

function barOf({ goal, ...programs }: Wanted, program: string): Bar | undefined {
  const atLeast = new Map(Object.entries(programs)).get(program);
  return goal === undefined || atLeast === undefined ? undefined : { of: 'ratio', atLeast };
}
