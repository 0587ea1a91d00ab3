import { LngLatBounds } from 'maplibre-gl';
import type { Bbox, TrackPoints } from '../../client/waypoints/index.ts';
import { metresApart } from '../../model/near-bookmark.ts';
import type { TimelineLeg } from '../../model/timeline-result.ts';

/** A point with its time in ms since 1970; its longitude goes beyond ±180 behind the antimeridian: what is near stays near. */
interface CoursePoint extends Readonly<TrackPoints['points'][number]> {
  readonly ms: number;
}

/** The points of a period, by time. */
export type Course = readonly CoursePoint[];

type Position = [lon: number, lat: number];

/** Between two points further apart nothing is known. */
const gapMs = 1_800_000;

export function courseOf({ points }: TrackPoints): Course {
  const lons = unwrapped(points.map(({ lon }) => lon));
  return points.map((point, index) => ({
    ...point,
    lon: lons[index] ?? point.lon,
    ms: Date.parse(point.time),
  }));
}

/** Beyond ±180 behind the antimeridian. */
function unwrapped(lons: readonly number[]): number[] {
  let last = lons[0] ?? 0;
  return lons.map((lon) => (last = lon + 360 * Math.round((last - lon) / 360)));
}

type Way = GeoJSON.Feature<GeoJSON.LineString, { readonly mode: string }>;

/** Lines to draw, each with the mode of its leg, or `stay`: by file, broken where nothing is known. */
export function linesOf(course: Course, legs: readonly TimelineLeg[]): Way[] {
  const times = legs.map(({ mode, start_utc, end_utc }) => ({
    mode,
    startMs: Date.parse(start_utc),
    endMs: Date.parse(end_utc),
  }));
  const modeAt = (ms: number): string =>
    times.find(({ startMs, endMs }) => startMs < ms && ms <= endMs)?.mode ?? 'stay';
  const files = [...Map.groupBy(course, (point) => point.import).values()];
  return files.flatMap((points) => unbroken(points, modeAt));
}

function unbroken(course: Course, modeAt: (ms: number) => string): Way[] {
  const lines: Way[] = [];
  let line: Way | undefined;
  course.forEach(({ ms, lon, lat }, index) => {
    const before = course[index - 1];
    if (before === undefined || ms - before.ms > gapMs) return (line = undefined);
    const mode = modeAt(ms);
    if (line?.properties.mode !== mode) {
      const coordinates = [[before.lon, before.lat]];
      line = {
        type: 'Feature',
        properties: { mode },
        geometry: { type: 'LineString', coordinates },
      };
      lines.push(line);
    }
    line.geometry.coordinates.push([lon, lat]);
  });
  return lines;
}

/** East of 180 behind the antimeridian; undefined without positions. */
export function boxOf(positions: readonly Position[]): Bbox | undefined {
  const bounds = new LngLatBounds();
  const lons = unwrapped(positions.map(([lon]) => lon));
  positions.forEach(([, lat], index) => bounds.extend([lons[index] ?? 0, lat]));
  if (bounds.isEmpty()) return undefined;
  return [bounds.getWest(), bounds.getSouth(), bounds.getEast(), bounds.getNorth()];
}

/** Where one was at an instant: between two points that are not far apart in time. */
export function pointAt(course: Course, ms: number): Position | undefined {
  const next = course.findIndex((point) => point.ms >= ms);
  const [before = course[0], after] = [course[next - 1], course[next]];
  if (before === undefined || after === undefined) return undefined;
  if (ms < before.ms || after.ms - before.ms > gapMs) return undefined;
  const share = after.ms === before.ms ? 0 : (ms - before.ms) / (after.ms - before.ms);
  const between = (one: number, other: number): number => one + share * (other - one);
  return [between(before.lon, after.lon), between(before.lat, after.lat)];
}

const kmhOfMs = 3_600;

/** Elevation in metres and speed in kilometres an hour, in steps of the same length; NaN where nothing is known. */
export function profileOf(course: Course, startMs: number, endMs: number, steps: number) {
  const sums = Array.from({ length: steps }, () => ({ points: 0, ele: 0, metres: 0, ms: 0 }));
  course.forEach((point, index) => {
    const sum = sums[Math.floor(((point.ms - startMs) / (endMs - startMs)) * steps)];
    if (sum === undefined) return;
    if (point.ele !== undefined) {
      sum.points += 1;
      sum.ele += point.ele;
    }
    const before = course[index - 1];
    if (before?.import !== point.import || point.ms - before.ms > gapMs) return;
    sum.metres += metresApart(before, point);
    sum.ms += point.ms - before.ms;
  });
  return {
    elevations: sums.map(({ points, ele }) => ele / points),
    speeds: sums.map(({ metres, ms }) => (ms === 0 ? Number.NaN : (metres / ms) * kmhOfMs)),
  };
}
