import { parseArgs } from 'node:util';
import { tmpdir } from 'node:os';

/** How much is measured. */
export interface Plan {
  readonly name: 'quick' | 'full' | 'scale';
  /** Seconds instead of minutes: shows that everything runs; its figures mean nothing and no bar applies. */
  readonly isQuick: boolean;
  /** Has the sizes that the goals are about. */
  readonly isLarge: boolean;
  /** Track points of one import and waypoints of one store; the largest is what bars of size are about. */
  readonly sizes: readonly number[];
  /** Waypoints of one import. */
  readonly importedWaypoints: readonly number[];
  /** Points of one file of unusual GPX. */
  readonly unusualPoints: readonly number[];
  /** A track file to compare with other programs at, MB; undefined for none. */
  readonly hugeMb: number | undefined;
  /** Pairs of track files, MB: peak memory must not grow from the first to the second. */
  readonly memoryPairs: readonly (readonly [small: number, large: number])[];
  /** Files of 500 points each. */
  readonly treeFiles: number;
  /** How often everything is repeated; medians are taken. See {@link roundsOf}. */
  readonly rounds: number;
  readonly idleMs: number;
  /** How long slow readers are watched. */
  readonly stallMs: number;
  readonly loadMs: number;
  /** CPU time after which repeated calls tell enough about one. */
  readonly enoughCpuMs: number;
  /** Searches of each kind. */
  readonly searches: number;
  /** Positions that geodata is asked about. */
  readonly lookups: number;
  /** Generated journeys of each kind of recorder. */
  readonly journeys: number;
  /** Days of some 8,600 observations each, whose timeline is made. */
  readonly timelineDays: readonly number[];
  /** Size of a large object. */
  readonly objectBytes: number;
  /** Objects that a repository holds. */
  readonly storedObjects: number;
}

/** The options of the command line. */
export interface BenchOptions {
  readonly plan: Plan;
  /** Scenarios to run; empty for all. */
  readonly only: readonly string[];
  /** Where temporary directories are made. */
  readonly temporary: string;
  readonly help: boolean;
}

const full: Plan = {
  name: 'full',
  isQuick: false,
  isLarge: false,
  sizes: [10_000, 100_000],
  importedWaypoints: [10_000, 100_000, 200_000],
  unusualPoints: [100_000],
  hugeMb: undefined,
  memoryPairs: [[10, 200]],
  treeFiles: 400,
  rounds: 3,
  idleMs: 5_000,
  stallMs: 5_000,
  loadMs: 1_000,
  enoughCpuMs: 400,
  searches: 400,
  lookups: 50_000,
  journeys: 20,
  timelineDays: [117],
  objectBytes: 268_435_456,
  storedObjects: 100_000,
};

const scale: Plan = {
  ...full,
  name: 'scale',
  isLarge: true,
  lookups: 200_000,
  sizes: [10_000, 100_000, 1_000_000],
  importedWaypoints: [10_000, 100_000, 200_000, 1_000_000],
  unusualPoints: [100_000, 1_000_000],
  hugeMb: 1_000,
  memoryPairs: [
    [10, 200],
    [100, 1_000],
  ],
  treeFiles: 2_000,
  journeys: 30,
  timelineDays: [117, 7_320],
  objectBytes: 1_073_741_824,
};

const quick: Plan = {
  name: 'quick',
  isQuick: true,
  isLarge: false,
  sizes: [200, 1_000],
  importedWaypoints: [1_000],
  unusualPoints: [1_000],
  hugeMb: undefined,
  memoryPairs: [[0.2, 1]],
  treeFiles: 5,
  rounds: 1,
  idleMs: 200,
  stallMs: 200,
  loadMs: 150,
  enoughCpuMs: 10,
  searches: 20,
  lookups: 500,
  journeys: 1,
  timelineDays: [3],
  objectBytes: 4_194_304,
  storedObjects: 1_000,
};

/**
 * How often something of so many points is repeated. What runs for minutes is measured once: its spread is that of its
 * seconds, a few of a hundred.
 */
export function roundsOf({ rounds }: Plan, points: number, mostPoints: number): number {
  return points < mostPoints ? rounds : 1;
}

export const usage = `usage: npm run bench -- [--quick | --scale] [--only SCENARIO]… [--temp DIR]
  --quick   everything once on tiny data, to see that it runs: seconds
  --scale   adds 1,000,000 points and waypoints, a file of 1 GB and 63,000,000 observations: long, and 5 GB of disk
  --only    just this scenario; may be given more than once; results.md stays as it is
  --temp    where temporary data goes (default: the system's directory for it)`;

/** @throws TypeError with a sentence about an option that is not known. */
export function parseOptions(words: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...words],
    options: {
      quick: { type: 'boolean', default: false },
      scale: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true, default: [] },
      temp: { type: 'string', default: tmpdir() },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const large = values.scale ? scale : full;
  return {
    plan: values.quick ? quick : large,
    only: values.only,
    temporary: values.temp,
    help: values.help,
  };
}
