import { chartsSvg, type Panel } from './svg.ts';

/** What a measured cost belongs to. */
export interface ChartPoint {
  readonly chart: ChartName;
  /** Who had the cost: `waypointd`, or a peer. */
  readonly series: string;
  /** Track points or waypoints. */
  readonly size: number;
  /** In the unit of the chart. */
  readonly cost: number;
}

export type ChartName = keyof typeof charts;

/** The name of ours in every chart. */
export const ownSeries = 'waypointd';

const waypoints = 'waypoints stored';

const charts = {
  tracks: { file: 'import', title: 'Import of one track file', x: 'track points', y: 'CPU s' },
  places: { file: 'import', title: 'Import of one waypoint file', x: 'waypoints', y: 'CPU s' },
  clusters: { file: 'queries', title: 'Clusters of the world, zoom 6', x: waypoints, y: 'CPU ms' },
  suggest: { file: 'queries', title: 'Suggest, no hit', x: waypoints, y: 'CPU ms' },
  list: { file: 'queries', title: 'Whole list of waypoints', x: waypoints, y: 'CPU ms' },
  firstByte: { file: 'queries', title: 'First byte of that list', x: waypoints, y: 'wall ms' },
} as const;

/** Draws the charts that have something to show. @returns SVG text by the end of the file's name. */
export function drawCharts(points: readonly ChartPoint[]): Map<string, string> {
  const panels = new Map<string, Panel[]>();
  for (const [name, { file, ...labels }] of Object.entries(charts)) {
    const own = points.filter(({ chart }) => chart === name);
    if (own.length === 0) continue;
    const series = [...new Set(own.map((point) => point.series))].map((title) => ({
      title,
      points: own.filter((point) => point.series === title).toSorted((a, b) => a.size - b.size),
    }));
    panels.set(file, [...(panels.get(file) ?? []), { ...labels, series }]);
  }
  return new Map([...panels].map(([file, all]) => [file, chartsSvg(all)]));
}
