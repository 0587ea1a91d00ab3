import { Buffer } from 'node:buffer';
import { longitudeRanges } from '../../model/bbox.ts';
import { formatDate } from '../../model/calendar-date.ts';
import { limits } from '../../model/limits.ts';
import type { Bbox } from '../../model/schema.ts';
import { formatTime } from '../../model/time.ts';
import type { PositionColumns } from '../../storage/day-cursor.ts';
import type { BoxE7, TrackReader } from '../../storage/library/track-reader.ts';
import { stretchOf } from '../../storage/outline.ts';
import { periodOf, type TrackListTask } from './task.ts';
import { pixel, type TrackGrid } from './tile-grid.ts';
import { TrackPen, type VertexSink } from './track-pen.ts';
import { TrackWalk, type WalkedLine } from './walk-tracks.ts';
import { tileExtent } from './write-mvt.ts';

const unitsPerDegree = 10_000_000;
const worldE7 = 360 * unitsPerDegree;
const everything: Bbox = [-180, -90, 180, 90];

/**
 * Writes the answer of `GET /api/tracks`: lines as a GeoJSON FeatureCollection, as many as may be.
 * @throws as makeTile
 */
export function listTracks(task: TrackListTask, reader: TrackReader, look: () => void): string {
  const list = new TrackList(task, reader);
  for (const box of boxesOf(task.bbox ?? everything)) list.add(box, look);
  return list.text();
}

function boxesOf(bbox: Bbox): BoxE7[] {
  // Whole, so that a box has what lies upon its edges.
  const inUnits = (degrees: number): number => Math.round(degrees * unitsPerDegree);
  const [south, north] = [inUnits(bbox[1]), inUnits(bbox[3])];
  const ranges = longitudeRanges(bbox).filter((range) => range !== undefined);
  return ranges.map(([west, east]) => ({ south, west: inUnits(west), north, east: inUnits(east) }));
}

/** Leaves positions as they are. */
class PlainGrid implements TrackGrid {
  readonly box: BoxE7;
  readonly #unitsPerE7: number;

  constructor(box: BoxE7, zoom: number) {
    this.box = box;
    this.#unitsPerE7 = (2 ** zoom * tileExtent) / worldE7;
  }

  x(lonE7: number): number {
    return lonE7;
  }

  y(latE7: number): number {
    return latE7;
  }

  project(): void {
    // They stay.
  }

  scales({ south, north }: Pick<BoxE7, 'south' | 'north'>): { lon: number; lat: number } {
    return { lon: this.#unitsPerE7, lat: this.#unitsPerE7 * stretchOf(south, north) };
  }
}

interface Line {
  readonly coordinates: readonly string[];
  readonly firstMs: number;
  readonly lastMs: number;
}

/** Vertices nearer than this to the last one that stayed are left out, in units of a tile. */
const near = pixel / 2;

/** Gathers the lines that a pen draws, up to just more than an answer may have: what is longer is left out. */
class LineSink implements VertexSink {
  readonly #grid: TrackGrid;
  #lines: Line[] = [];
  #coordinates: string[] = [];
  #firstMs = 0;
  #characters = 0;
  #lonE7 = 0;
  #latE7 = 0;
  #scales = { lon: 0, lat: 0 };

  constructor(grid: TrackGrid) {
    this.#grid = grid;
  }

  lift(lastMs: number): void {
    if (this.#coordinates.length === 0) return;
    this.#lines.push({ coordinates: this.#coordinates, firstMs: this.#firstMs, lastMs });
    this.#coordinates = [];
  }

  vertex(lonE7: number, latE7: number, timeMs: number): void {
    if (this.#characters > limits.tracksBytes) return;
    const { lon, lat } = this.#scales;
    const [dx, dy] = [(lonE7 - this.#lonE7) * lon, (latE7 - this.#latE7) * lat];
    if (this.#coordinates.length === 0) this.#firstMs = timeMs;
    else if (dx * dx + dy * dy < near * near) return;
    this.#lonE7 = lonE7;
    this.#latE7 = latE7;
    this.#scales = this.#grid.scales({ south: latE7, north: latE7 });
    const position = `[${rounded(lonE7)},${rounded(latE7)}]`;
    this.#characters += position.length + 1;
    this.#coordinates.push(position);
  }

  vertices({ timeMs, lonE7, latE7 }: PositionColumns, from: number, to: number): void {
    for (let at = from; at < to; at += 1) this.vertex(lonE7[at]!, latE7[at]!, timeMs[at]!);
  }

  take(lastMs: number): Line[] {
    this.lift(lastMs);
    const lines = this.#lines;
    this.#lines = [];
    this.#characters = 0;
    return lines;
  }
}

/** To 0.1 m, which is what a double writes shortest. */
function rounded(valueE7: number): number {
  return Math.round(valueE7 / 10) / 1_000_000;
}

class TrackList {
  readonly #task: TrackListTask;
  readonly #reader: TrackReader;
  readonly #features: string[] = [];
  #bytes = 0;
  #isTruncated = false;

  constructor(task: TrackListTask, reader: TrackReader) {
    this.#task = task;
    this.#reader = reader;
  }

  add(box: BoxE7, look: () => void): void {
    const { zoom, fromMs, toMs } = this.#task;
    const grid = new PlainGrid(box, zoom);
    const sink = new LineSink(grid);
    const walk = new TrackWalk({
      reader: this.#reader,
      grid,
      pen: new TrackPen(grid, sink),
      period: periodOf(this.#task),
      zoom,
      needsTimes: true,
      look,
    });
    this.#addAll(walk.days(), sink);
    if (fromMs !== undefined || toMs !== undefined) return;
    for (const kind of ['track', 'route'] as const) this.#addAll(walk.untimed(kind), sink);
  }

  text(): string {
    const features = this.#features.join(',\n');
    return `{"type":"FeatureCollection","features":[${features}],"truncated":${this.#isTruncated}}`;
  }

  #addAll(walked: Iterable<WalkedLine>, sink: LineSink): void {
    if (this.#isTruncated) return;
    for (const line of walked) {
      for (const part of sink.take(line.lastMs ?? Number.NaN)) this.#addLine(line, part);
      if (this.#isTruncated) return;
    }
  }

  #addLine(line: WalkedLine, { coordinates, firstMs, lastMs }: Line): void {
    const { day, kind, name, points: n } = line;
    const isTimed = day !== undefined;
    const properties = {
      kind,
      import: this.#reader.importOf(line.fileId),
      ...(isTimed && {
        day: formatDate(day),
        first_time: formatTime(firstMs),
        last_time: formatTime(lastMs),
      }),
      ...(name !== undefined && { name }),
      n,
    };
    const isPoint = coordinates.length === 1;
    const places = isPoint ? coordinates[0]! : `[${coordinates.join(',')}]`;
    const geometry = `{"type":"${isPoint ? 'Point' : 'LineString'}","coordinates":${places}}`;
    const text = `{"type":"Feature","geometry":${geometry},"properties":${JSON.stringify(properties)}}`;
    this.#bytes += Buffer.byteLength(text) + 2;
    const isFull = this.#features.length >= this.#task.limit || this.#bytes > limits.tracksBytes;
    this.#isTruncated ||= isFull;
    if (!isFull) this.#features.push(text);
  }
}
