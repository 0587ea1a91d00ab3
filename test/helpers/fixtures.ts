import { readFileSync } from 'node:fs';
import { headBytes } from '../../formats/format.ts';
import { nullSink, type Damage } from '../../model/recording.ts';
import { FileRefused } from '../../formats/refused.ts';
import { findFormat } from '../../formats/registry.ts';
import { formatTime } from '../../model/time.ts';

/** What reading a file yields: of counts only those that are not 0, points with at most 7 decimals and without what they lack. */
export interface FixtureReading {
  readonly format?: string;
  readonly refused?: string;
  readonly line?: number;
  readonly counts?: Readonly<Record<string, number>>;
  readonly points?: readonly string[];
  readonly broken?: Damage;
}

/** Reads a file by its format. @param pieceBytes how much of it the reader gets at once. @param salvages as ReadOptions. */
export function readFixture(file: string, pieceBytes = Infinity, salvages = false): FixtureReading {
  return readBytes(readFileSync(file), file, { pieceBytes, salvages });
}

/** As {@link readFixture}, of bytes. @param file its name. */
export function readBytes(
  bytes: Buffer,
  file: string,
  { pieceBytes = Infinity, salvages = false } = {},
): FixtureReading {
  const format = findFormat(bytes.subarray(0, headBytes), file);
  if (format === undefined) return {};
  const points: string[] = [];
  const note = (...said: readonly unknown[]) =>
    void points.push(said.map(shown).join(' ').trimEnd());
  try {
    const summary = format.read(
      inPieces(bytes, pieceBytes),
      {
        ...nullSink,
        line: (kind, id) => note(kind, id),
        segment: () => note('segment'),
        lineTexts: (id, texts) => note('texts', id, texts),
        routePoint: (lat, lon, ele, name) => note(lat, lon, ele, name),
        waypoint: (waypoint) => note('waypoint', waypoint),
        trackPoint: (lat, lon, ele, timeMs, accuracyM = Number.NaN) =>
          note(lat, lon, ele, Number.isNaN(timeMs) ? '-' : formatTime(timeMs), accuracyM),
      },
      { salvages },
    );
    const { firstMs: _first, lastMs: _last, broken, ...counts } = summary;
    const some = Object.entries(counts).filter(([, count]) => count > 0);
    return {
      format: format.name,
      counts: Object.fromEntries(some),
      points,
      ...(broken && { broken }),
    };
  } catch (error) {
    if (!(error instanceof FileRefused)) throw error;
    const { reason, line } = error;
    return { format: format.name, refused: reason, ...(line === undefined ? {} : { line }) };
  }
}

function shown(value: unknown): string {
  if (typeof value === 'number')
    return Number.isNaN(value) ? '-' : String(Math.round(value * 1e7) / 1e7);
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Cuts bytes into pieces, all in one buffer: a reader must not keep it. */
export function* inPieces(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  const piece = new Uint8Array(Math.min(size, bytes.length));
  for (let at = 0; at < bytes.length; at += size) {
    const part = bytes.subarray(at, at + size);
    piece.set(part);
    yield piece.subarray(0, part.length);
  }
}
