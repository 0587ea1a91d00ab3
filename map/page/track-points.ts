import type { TrackPoints } from '../../model/tracks.ts';

/** The points of a period, by time; all arrays have the same length. */
export interface Course {
  /** ms since 1970. */
  readonly times: readonly number[];
  /** Beyond ±180 behind the antimeridian: what is near stays near. */
  readonly lons: readonly number[];
  readonly lats: readonly number[];
  /** NaN where it is unknown. */
  readonly elevations: readonly number[];
  /** The imported file that a point is of. */
  readonly imports: readonly number[];
}

type Position = [lon: number, lat: number];

/** Between two points further apart nothing is known. */
const gapMs = 1_800_000;

export function courseOf({ points }: TrackPoints): Course {
  return {
    times: points.map(({ time }) => Date.parse(time)),
    lons: unwrapped(points.map(({ lon }) => lon)),
    lats: points.map(({ lat }) => lat),
    elevations: points.map(({ ele }) => ele ?? Number.NaN),
    imports: points.map((point) => point.import),
  };
}

/** Beyond ±180 behind the antimeridian. */
export function unwrapped(lons: readonly number[]): number[] {
  let last = lons[0] ?? 0;
  return lons.map((lon) => (last = lon + 360 * Math.round((last - lon) / 360)));
}

/** Lines to draw: one for each file, broken where nothing is known. */
export function linesOf({ times, lons, lats, imports }: Course): Position[][] {
  const lines: Position[][] = [];
  const last = new Map<number, { readonly line: Position[]; readonly time: number }>();
  times.forEach((time, index) => {
    const position: Position = [lons[index] ?? 0, lats[index] ?? 0];
    const file = imports[index] ?? 0;
    const before = last.get(file);
    if (before === undefined || time - before.time > gapMs) {
      const line = [position];
      lines.push(line);
      last.set(file, { line, time });
    } else {
      before.line.push(position);
      last.set(file, { line: before.line, time });
    }
  });
  return lines.filter(({ length }) => length > 1);
}

/** West, south, east, north; undefined without points. */
export function boxOf({
  lons,
  lats,
}: Pick<Course, 'lons' | 'lats'>): [number, number, number, number] | undefined {
  if (lons.length === 0) return undefined;
  const ends = (values: readonly number[]): [least: number, most: number] =>
    values.reduce<[number, number]>(
      ([least, most], value) => [Math.min(least, value), Math.max(most, value)],
      [Infinity, -Infinity],
    );
  const [[west, east], [south, north]] = [ends(lons), ends(lats)];
  return [west, south, east, north];
}

/** Where one was at an instant: between two points that are not far apart in time. */
export function pointAt({ times, lons, lats }: Course, ms: number): Position | undefined {
  const next = firstAtOrAfter(times, ms);
  const previous = Math.max(0, next - 1);
  const [before, after] = [times[previous], times[next]];
  if (before === undefined || after === undefined) return undefined;
  if (ms < before || after - before > gapMs) return undefined;
  const share = after === before ? 0 : (ms - before) / (after - before);
  const between = (values: readonly number[]): number =>
    (values[previous] ?? 0) + share * ((values[next] ?? 0) - (values[previous] ?? 0));
  return [between(lons), between(lats)];
}

/** The first index whose time is not before an instant. */
function firstAtOrAfter(times: readonly number[], ms: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] ?? 0) < ms) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Elevation and speed over time, in steps of the same length; NaN where nothing is known. */
export interface Profile {
  /** Metres. */
  readonly elevations: readonly number[];
  /** Kilometres an hour. */
  readonly speeds: readonly number[];
}

export function profileOf(course: Course, startMs: number, endMs: number, steps: number): Profile {
  const stepMs = (endMs - startMs) / steps;
  const ranges = Array.from({ length: steps }, (_, step): [number, number] => [
    firstAtOrAfter(course.times, startMs + step * stepMs),
    firstAtOrAfter(course.times, startMs + (step + 1) * stepMs),
  ]);
  return {
    elevations: ranges.map(([first, last]) => mean(course.elevations.slice(first, last))),
    speeds: ranges.map(([first, last]) => speedWithin(course, Math.max(0, first - 1), last)),
  };
}

function mean(values: readonly number[]): number {
  const known = values.filter((value) => !Number.isNaN(value));
  return known.reduce((sum, value) => sum + value, 0) / known.length;
}

const kmhOfMs = 3_600;

function speedWithin({ times, lons, lats, imports }: Course, first: number, last: number): number {
  let [metres, ms] = [0, 0];
  for (let index = first + 1; index < last; index += 1) {
    const passed = (times[index] ?? 0) - (times[index - 1] ?? 0);
    if (imports[index] !== imports[index - 1] || passed > gapMs) continue;
    metres += metresBetween(lons, lats, index);
    ms += passed;
  }
  return ms === 0 ? Number.NaN : (metres / ms) * kmhOfMs;
}

const metresPerDegree = 111_195;

/** From the point before to a point; near enough for a chart. */
function metresBetween(lons: readonly number[], lats: readonly number[], index: number): number {
  const [lat = 0, latBefore = 0] = [lats[index], lats[index - 1]];
  const [lon = 0, lonBefore = 0] = [lons[index], lons[index - 1]];
  const x = (lon - lonBefore) * Math.cos((lat * Math.PI) / 180);
  return Math.hypot(x, lat - latBefore) * metresPerDegree;
}
