import { Random } from '../random.ts';
import type { Fix } from './recorder.ts';

/** A file as an import finds it. */
export interface GpxFile {
  readonly name: string;
  readonly text: string;
}

/** In the name of every file, track and waypoint: it must never be in a timeline. */
export const plantedName = 'Kestrelwood';

const minuteMs = 60_000;
const hourMs = 3_600_000;
const newSegmentMs = 10 * minuteMs;
/** Recorders begin a new file at the latest after so long. */
const longestFileMs = 30 * hourMs;

type WriteTime = (timeMs: number) => string;

/** Writes fixes as tracks, a file for each day or so; each file has one of three forms of time. */
export function gpxFiles(fixes: readonly Fix[], seed: number, prefix: string): GpxFile[] {
  const random = new Random(seed);
  const files: GpxFile[] = [];
  for (let from = 0; from < fixes.length;) {
    const lengthMs = random.between(4 * hourMs, longestFileMs);
    let to = from + 1;
    while (to < fixes.length && fixes[to]!.timeMs - fixes[from]!.timeMs < lengthMs) to += 1;
    const name = `${prefix}-${plantedName}-${String(files.length).padStart(3, '0')}.gpx`;
    files.push({ name, text: gpxText(fixes.slice(from, to), timeForm(random)) });
    from = to;
  }
  return files;
}

function gpxText(fixes: readonly Fix[], writeTime: WriteTime): string {
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<gpx version="1.1" creator="waypointd bench" xmlns="http://www.topografix.com/GPX/1/1">',
    `<trk><name>${plantedName} track</name><trkseg>`,
  ];
  for (const [index, { timeMs, lat, lon }] of fixes.entries()) {
    if (index > 0 && timeMs - fixes[index - 1]!.timeMs > newSegmentMs) {
      lines.push('</trkseg><trkseg>');
    }
    const time = writeTime(timeMs);
    lines.push(
      `<trkpt lat="${lat.toFixed(7)}" lon="${lon.toFixed(7)}"><time>${time}</time></trkpt>`,
    );
  }
  lines.push('</trkseg></trk></gpx>', '');
  return lines.join('\n');
}

/** `Z`, an offset of whole quarters of an hour, or a fraction of a second. */
function timeForm(random: Random): WriteTime {
  const form = random.below(3);
  if (form === 0) return (timeMs) => `${secondsText(timeMs)}Z`;
  if (form === 1) {
    const fraction = String(random.below(1_000)).padStart(3, '0');
    return (timeMs) => `${secondsText(timeMs)}.${fraction}Z`;
  }
  const minutes = 15 * (random.below(97) - 48);
  const sign = minutes < 0 ? '-' : '+';
  const clock = [Math.abs(minutes) / 60, Math.abs(minutes) % 60].map((part) =>
    String(Math.floor(part)).padStart(2, '0'),
  );
  return (timeMs) => `${secondsText(timeMs + minutes * minuteMs)}${sign}${clock.join(':')}`;
}

function secondsText(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 19);
}
