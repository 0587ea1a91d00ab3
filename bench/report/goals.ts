import { isMet, ratioOf, type Figure } from './figure.ts';

/**
 * What was promised of speed and scale (issue 3), in its order. A figure that has a bar because of one of these says so
 * by the key; a goal of several figures is judged by the worst of them.
 */
export const goals = {
  trackPeers: 'import of 1,000,000 track points, 115 MB: ≥ 5 × gpsbabel, ≥ 4 × ogr2ogr',
  hugePeers: 'import of 1 GB of track points: ≥ 6 × gpsbabel, ≥ 5 × ogr2ogr',
  placePeers: 'import of 200,000 waypoints: ≥ 1 × gpsbabel',
  smallPeers: 'import of 10,000 track points: ≥ 0.8 × gpsbabel',
  garminPeers: "import of 22 files as Garmin's, 60 MB: ≥ 4 × gpsbabel, ≥ 8 × ogr2ogr",
  unusualPeers: 'import of unusual GPX: ≥ 0.8 × gpsbabel',
  widePeers: 'import of GPX in UTF-16: ≥ 0.2 × gpsbabel',
  smallFiles: '2,000 small files: ≥ 0.8 × the MB/s of one file of as many points',
  again: 'the same tree again: ≥ 20 × faster',
  importMemory: 'peak memory of an import of tracks into an empty store: ≤ 250 MB at any size',
  importGrowth: 'peak memory at 1 GB: ≤ 1.6 × that at 100 MB',
  storedMemory: 'peak memory of an import with 1,000,000 waypoints stored: ≤ 450 MB',
  storedBytes: 'stored track point: ≤ 8 bytes',
  importLatency: 'small GET while 1 GB is imported: p99 ≤ 25 ms',
  listFirstByte: 'list of 1,000,000 waypoints: first byte ≤ 2 × that at 10,000',
  listTotal: 'list of waypoints: CPU ≤ 1.5 × the same join in plain SQL',
  listMemory: 'list of waypoints: sending adds ≤ 30 MB',
  notModified: 'list of waypoints: a 304 costs like a trivial GET (≤ 1.5 ×)',
  slowReaders: 'slow readers of the list: ≤ 30 MB for all of them',
  clusterGain: 'clusters of 1,000,000, zooms 0 to 6: ≥ 10 × a Map with string keys',
  clusterTime: 'clusters, grid 60, whole zooms, up to 25,000 items: ≤ 20 ms',
  clusterOther: 'clusters, other grids and fractional zooms, up to 25,000 items: ≤ 80 ms',
  clusterScreen: 'clusters of one screen at every zoom: ≤ 20 ms',
  suggestTime: 'suggestions from 1,000,000 names: p99 ≤ 25 ms',
  suggestGain: 'suggestions from 1,000,000 names, no hit: ≥ 5 × SQL LIKE',
  smallGet: 'small authenticated GET: ≥ 0.7 × a bare Koa application with a token check',
  startEmpty: 'start to ready, empty store: ≤ 5 × bare node:http',
  startLarge: 'start to ready with 1,000,000 waypoints: ≤ 1.5 s wall',
  idleMemory: 'idle and empty: resident memory ≤ 110 MB',
  idleCpu: 'idle and empty: no CPU',
  idleThreads: 'idle and empty: no worker thread',
} as const;

export type Goal = keyof typeof goals;

/** A goal beside what was measured for it. */
export interface GoalResult {
  readonly promised: string;
  /** Every figure that bears on it, the worst first; none where the plan does not measure it. */
  readonly figures: readonly Figure[];
}

export function goalResults(figures: readonly Figure[]): GoalResult[] {
  return Object.entries(goals).map(([key, promised]) => ({
    promised,
    figures: figures
      .filter(({ goal, bar }) => goal === key && bar !== undefined)
      .toSorted((a, b) => shortfall(b) - shortfall(a)),
  }));
}

/** 1 at the bar, more beyond it; what was not measured is the worst of all. */
function shortfall(figure: Figure): number {
  const { bar } = figure;
  const reached = bar?.of === 'ratio' ? ratioOf(figure) : figure.value;
  if (bar === undefined || reached === undefined || isMet(figure) === undefined) return Infinity;
  return 'atLeast' in bar ? bar.atLeast / reached : reached / bar.atMost;
}
