import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { placeGpx, type PlaceOptions } from './generate/places.ts';
import { garminTrackGpx, trackGpx, type TrackOptions } from './generate/track.ts';

export { places, type PlaceOptions } from './generate/places.ts';

/** The files that were written. */
export interface GeneratedSource {
  /** The directory that an import is given. */
  readonly directory: string;
  readonly files: readonly string[];
  readonly bytes: number;
  /** Track points or waypoints. */
  readonly points: number;
}

/** Bytes of one point of a plain track file, about. */
const trackPointBytes = 117;
/** Text is gathered to this length before it is written, so that memory does not grow with the file. */
const bufferLength = 1 << 20;

/** How many track points make a file of about this size. */
export function trackPointsIn(megabytes: number): number {
  return Math.round((megabytes * 1e6) / trackPointBytes);
}

/** Writes one plain track file, `track.gpx`. */
export function writeTrack(directory: string, options: TrackOptions): GeneratedSource {
  return writeOne(join(directory, 'track.gpx'), trackGpx(options), options.points);
}

/** Writes one file of waypoints, `places.gpx`; its waypoints are those of {@link places} for the same options. */
export function writePlaces(directory: string, options: PlaceOptions): GeneratedSource {
  return writeOne(join(directory, 'places.gpx'), placeGpx(options), options.count);
}

/** Content of a tree of track files. */
export interface TreeOptions {
  readonly seed: number;
  readonly files: number;
  readonly pointsEach: number;
}

/** Writes a tree of small track files, by year and month as recorders make them. */
export function writeTrackTree(directory: string, options: TreeOptions): GeneratedSource {
  return writeTree(directory, options, trackGpx);
}

/** Writes such a tree of files as Garmin's service exports them. */
export function writeGarminTree(directory: string, options: TreeOptions): GeneratedSource {
  return writeTree(directory, options, garminTrackGpx);
}

function writeTree(
  directory: string,
  { seed, files: count, pointsEach }: TreeOptions,
  generate: (options: TrackOptions) => Generator<string>,
): GeneratedSource {
  const files: string[] = [];
  let bytes = 0;
  for (let i = 0; i < count; i += 1) {
    const month = String((i % 12) + 1).padStart(2, '0');
    const folder = `${2015 + (Math.floor(i / 12) % 10)}/${month}`;
    const file = join(directory, folder, `ride-${String(i).padStart(5, '0')}.gpx`);
    bytes += writeText(file, generate({ seed: seed + i, points: pointsEach }));
    files.push(file);
  }
  return { directory, files, bytes, points: count * pointsEach };
}

function writeOne(file: string, pieces: Iterable<string>, points: number): GeneratedSource {
  return { directory: dirname(file), files: [file], bytes: writeText(file, pieces), points };
}

/** Writes text piece by piece. @returns bytes written. */
function writeText(file: string, pieces: Iterable<string>): number {
  mkdirSync(dirname(file), { recursive: true });
  const descriptor = openSync(file, 'w');
  let bytes = 0;
  let text = '';
  const flush = (): void => {
    bytes += writeWhole(descriptor, Buffer.from(text));
    text = '';
  };
  try {
    for (const piece of pieces) {
      text += piece;
      if (text.length >= bufferLength) flush();
    }
    flush();
  } finally {
    closeSync(descriptor);
  }
  return bytes;
}

/** One call may write less than it was given, on a disk that is nearly full. */
function writeWhole(descriptor: number, buffer: Buffer): number {
  let written = 0;
  while (written < buffer.length) written += writeSync(descriptor, buffer, written);
  return buffer.length;
}
