import { writeOddTrack, writeTrackTree, type GeneratedSource } from '../data.ts';
import { median, medianOf } from '../measure/statistics.ts';
import type { Bar, Figure } from '../report/figure.ts';
import { seed, type Scenario, type Session } from '../session.ts';
import { compareImport, importOnce, rate, type Comparison } from './import-run.ts';

const name = 'import';
/** What is asked of a file of a million points; smaller ones spend too much of their time on beginning. */
const largeFile = 1_000_000;
const treePointsEach = 500;
/** Below this the fixed size of an empty database is most of the file. */
const fewestPointsForBytes = 100_000;

/** How fast GPX becomes rows on disk, for each kind of file. */
export const importSpeed: Scenario = {
  name,
  title: 'import into an empty store, committed',
  async *run(session) {
    for (const size of session.plan.sizes) {
      yield* await tracks(session, size);
      yield* await waypoints(session, size);
    }
    yield* await oddTracks(session);
    yield* await manyFiles(session);
  },
};

async function tracks(session: Session, points: number): Promise<Figure[]> {
  const source = session.track(points);
  const subject = `${points.toLocaleString('en')} track points`;
  const compared = await compareImport(session, source, 'track');
  const atLeast = points === largeFile ? { gpsbabel: 5, ogr2ogr: 4 } : {};
  const stored = median(compared.own.map((cost) => cost.storedBytes)) / points;
  return [
    ...speed(subject, source, { compared, atLeast }),
    {
      scenario: name,
      subject,
      what: 'stored bytes a point',
      unit: 'B',
      value: stored,
      bar: points >= fewestPointsForBytes ? { of: 'figure', atMost: 8 } : undefined,
    },
  ];
}

async function waypoints(session: Session, count: number): Promise<Figure[]> {
  const source = session.places(count);
  const compared = await compareImport(session, source, 'places');
  const atLeast = count >= largeFile / 5 ? { gpsbabel: 2 } : {};
  const subject = `${count.toLocaleString('en')} waypoints`;
  return speed(subject, source, { compared, atLeast });
}

/** Unusual GPX is slow on the path for everything, so it has its bar at every size. */
async function oddTracks(session: Session): Promise<Figure[]> {
  const points = session.plan.sizes[1] ?? 1_000;
  const source = session.source('odd track', (directory) =>
    writeOddTrack(directory, { seed, points }),
  );
  const compared = await compareImport(session, source, 'track');
  const subject = `${points.toLocaleString('en')} track points, unusual GPX`;
  return speed(subject, source, {
    compared,
    atLeast: session.plan.isQuick ? {} : { gpsbabel: 0.8 },
  });
}

/** Many small files against one file of as many points. */
async function manyFiles(session: Session): Promise<Figure[]> {
  const files = session.plan.treeFiles;
  const tree = treeSource(session);
  const whole = session.track(tree.points);
  const own = [];
  const one = [];
  for (let round = 0; round < session.plan.rounds; round += 1) {
    own.push(await importOnce(session, tree));
    one.push(await importOnce(session, whole));
  }
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

interface Compared {
  readonly compared: Comparison;
  /** What must be reached against a peer, by its program. */
  readonly atLeast: Readonly<Record<string, number>>;
}

function speed(
  subject: string,
  source: GeneratedSource,
  { compared: { own, peers }, atLeast }: Compared,
): Figure[] {
  const megabytes = source.bytes / 1e6;
  const line = { scenario: name, subject };
  const mine = { ...line, what: 'CPU rate', unit: 'MB/s' as const, value: rate(megabytes, own) };
  const figures = [...peers].map(([peer, costs]): Figure => ({
    ...mine,
    baseline: { name: peer.name, value: rate(megabytes, costs), ratio: 'gain' },
    bar: barOf(atLeast[peer.program]),
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

function barOf(atLeast: number | undefined): Bar | undefined {
  return atLeast === undefined ? undefined : { of: 'ratio', atLeast };
}
