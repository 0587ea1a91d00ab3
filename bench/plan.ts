import { tmpdir } from 'node:os';
import { parseArgs } from 'node:util';

/** How much is measured. */
export interface Plan {
  readonly name: 'quick' | 'full' | 'scale';
  /** Seconds instead of minutes: shows that everything runs; its figures mean nothing and no bar applies. */
  readonly isQuick: boolean;
  /** Track points of one import and waypoints of one store; the largest is what bars of size are about. */
  readonly sizes: readonly number[];
  /** Waypoints of one import. */
  readonly importedWaypoints: readonly number[];
  /** A track file to compare with other programs at, MB; undefined for none. */
  readonly hugeMb: number | undefined;
  /** Files of 500 points each. */
  readonly treeFiles: number;
  /** How often everything is repeated; medians are taken. */
  readonly rounds: number;
  readonly idleMs: number;
  readonly loadMs: number;
  /** CPU time after which repeated calls tell enough about one. */
  readonly enoughCpuMs: number;
  /** Searches of each kind. */
  readonly searches: number;
  /** Generated journeys of each kind of recorder. */
  readonly journeys: number;
  /** Days of some 8,600 observations each, whose timeline is made. */
  readonly timelineDays: readonly number[];
  /** Size of a large object. */
  readonly objectBytes: number;
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
  sizes: [10_000, 100_000],
  importedWaypoints: [10_000, 200_000],
  hugeMb: undefined,
  treeFiles: 400,
  rounds: 3,
  idleMs: 5_000,
  loadMs: 1_000,
  enoughCpuMs: 400,
  searches: 400,
  journeys: 10,
  timelineDays: [117],
  objectBytes: 268_435_456,
};

const scale: Plan = {
  ...full,
  name: 'scale',
  sizes: [10_000, 100_000, 1_000_000],
  hugeMb: 1_000,
  treeFiles: 2_000,
  journeys: 20,
  timelineDays: [117, 7_320],
};

const quick: Plan = {
  name: 'quick',
  isQuick: true,
  sizes: [200, 1_000],
  importedWaypoints: [1_000],
  hugeMb: undefined,
  treeFiles: 5,
  rounds: 1,
  idleMs: 200,
  loadMs: 150,
  enoughCpuMs: 10,
  searches: 20,
  journeys: 1,
  timelineDays: [3],
  objectBytes: 4_194_304,
};

export const usage = `usage: npm run bench -- [--quick | --scale] [--only SCENARIO]… [--temp DIR]
  --quick   everything once on tiny data, to see that it runs: seconds
  --scale   adds 1,000,000 points and waypoints, a file of 1 GB and 63,000,000 observations: long, and 5 GB of disk
  --only    just this scenario; may be given more than once; nothing is written
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
  const { only, temp: temporary, help } = values;
  return { plan: values.quick ? quick : large, only, temporary, help };
}
