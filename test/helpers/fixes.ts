import { between, moved, type Position } from '../../bench/timelines/geometry.ts';
import type { Observed } from './timeline-library.ts';

export const minuteMs = 60_000;
export const hourMs = 3_600_000;
export const dayMs = 86_400_000;

/** Fixes at a place, both ends included. */
export function at(place: Position, from: string | number, to: string | number, everyMin = 10) {
  const [fromMs, toMs] = [from, to].map((time) => new Date(time).getTime()) as [number, number];
  const fixes: Observed[] = [];
  for (let timeMs = fromMs; timeMs <= toMs; timeMs += everyMin * minuteMs) {
    fixes.push([timeMs, place.lat, place.lon]);
  }
  return fixes;
}

/** Fixes on a straight way, without its ends. */
export function way(a: Position, b: Position, from: number, to: number, everyMin: number) {
  const fixes: Observed[] = [];
  for (let timeMs = from + everyMin * minuteMs; timeMs < to; timeMs += everyMin * minuteMs) {
    const { lat, lon } = between(a, b, (timeMs - from) / (to - from));
    fixes.push([timeMs, lat, lon]);
  }
  return fixes;
}

/** Fixes of a receiver that wavers by some metres, both ends included. */
export function wavering(
  where: (timeMs: number) => Position,
  fromMs: number,
  toMs: number,
  everyMs: number,
  wavers = 1,
): Observed[] {
  const count = Math.floor((toMs - fromMs) / everyMs) + 1;
  return Array.from({ length: count }, (_, turn) => {
    const timeMs = fromMs + turn * everyMs;
    const [east, north] = [((turn * 7) % 11) - 5, ((turn * 5) % 13) - 6];
    const { lat, lon } = moved(where(timeMs), east * wavers, north * wavers);
    return [timeMs, lat, lon];
  });
}

/** A GPX file with one track. */
export function gpxTrack(fixes: readonly Observed[]): string {
  const points = fixes.map(
    ([ms, lat, lon]) =>
      `<trkpt lat="${lat}" lon="${lon}"><time>${new Date(ms).toISOString()}</time></trkpt>`,
  );
  return `<gpx version="1.1"><trk><trkseg>${points.join('\n')}</trkseg></trk></gpx>`;
}

function latLngOf({ lat, lon }: Position): string {
  return `${lat.toFixed(6)}°, ${lon.toFixed(6)}°`;
}

/** A segment of Google's Timeline.json: a stay. */
export function visit(startTime: string, endTime: string, place: Position) {
  const placeLocation = { latLng: latLngOf(place) };
  return { startTime, endTime, visit: { topCandidate: { placeLocation } } };
}

/** As `visit`, on the way. */
export function activity(
  startTime: string,
  endTime: string,
  type: string,
  from: Position,
  to: Position,
) {
  const [start, end] = [{ latLng: latLngOf(from) }, { latLng: latLngOf(to) }];
  return { startTime, endTime, activity: { start, end, topCandidate: { type } } };
}
