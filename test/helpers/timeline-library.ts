import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { builtinGeodata } from '../../bench/timelines/builtin-geodata.ts';
import {
  parseTimeline,
  timelineText,
  type DaysOf,
  type Geodata,
} from '../../bench/timelines/timeline-of.ts';
import type { TimelineResult, TimelineStop } from '../../model/timeline-result.ts';
import { prepareLibrary } from '../../storage/library/prepare.ts';
import { LibraryWriter } from '../../storage/library/writer.ts';
import { noCounts } from './no-counts.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/** An observation: ms since 1970, degrees. */
export type Observed = readonly [timeMs: number, lat: number, lon: number];

export interface LibraryContent {
  readonly path: string;
  readonly trackPoints: readonly Observed[];
  readonly waypoints?: readonly Observed[];
  readonly missingTimes?: number;
  readonly invalidTimes?: number;
  readonly unusablePoints?: number;
}

/** Writes a library as an import does, without the detour through GPX. @returns its path. */
export function libraryOf(t: ExecutionContext<unknown>, files: readonly LibraryContent[]): string {
  const path = join(temporaryDirectory(t), 'library.sqlite');
  prepareLibrary(path, 0);
  const library = new LibraryWriter(path);
  try {
    for (const file of files) write(library, file);
  } finally {
    library.close();
  }
  return path;
}

function write(library: LibraryWriter, content: LibraryContent): void {
  const { path, trackPoints, waypoints = [] } = content;
  const { missingTimes = 0, invalidTimes = 0, unusablePoints = 0 } = content;
  const sha256 = createHash('sha256').update(JSON.stringify(content)).digest('hex');
  const times = [...trackPoints, ...waypoints].map(([timeMs]) => timeMs);
  library.replaceFile(
    { path, pathKey: path, sha256 },
    {
      load(rows) {
        for (const [timeMs, lat, lon] of trackPoints) rows.trackPoint(lat, lon, Number.NaN, timeMs);
        for (const [timeMs, lat, lon] of waypoints) {
          rows.waypoint({ name: `${path} point`, lat, lon, timeMs });
        }
        const counts = {
          ...noCounts,
          waypoints: waypoints.length,
          observations: times.length,
          missingTimes,
          invalidTimes,
          unusablePoints,
        };
        if (times.length === 0) return counts;
        return { ...counts, firstMs: least(times), lastMs: -least(times.map((time) => -time)) };
      },
      place: () => ({ size: 1, mtimeNs: '1' }),
    },
  );
}

function least(numbers: readonly number[]): number {
  return numbers.reduce((smallest, number) => (number < smallest ? number : smallest), Infinity);
}

const dayMs = 86_400_000;

/** A period as a request has it: dates, both inclusive. */
export function days(start: string, end = start): { startDay: number; endDay: number } {
  return { startDay: Date.parse(start) / dayMs, endDay: Date.parse(end) / dayMs };
}

/** Makes a timeline in this thread, and checks that its text is exactly what its schema says, in that order. */
export function timelineOf(
  t: ExecutionContext<unknown>,
  libraryPath: string,
  period: DaysOf,
  geodata: Geodata = builtinGeodata(),
) {
  const text = timelineText(libraryPath, period, geodata);
  const result = parseTimeline(text);
  if (JSON.stringify(result) !== text) t.is(text, JSON.stringify(result));
  return { text, result };
}

export function stays({ timeline }: Pick<TimelineResult, 'timeline'>): TimelineStop[] {
  return timeline.filter(({ kind }) => kind === 'stay');
}
