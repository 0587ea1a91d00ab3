import { gzipSync } from 'node:zlib';
import { formatDate } from '../../model/calendar-date.ts';
import { dayBlobPoints, decodeDay, pointColumns } from '../../storage/day-blob.ts';
import { readRuns } from '../../storage/line-runs.ts';
import { decodePoints } from '../../storage/point-blob.ts';
import type {
  Period,
  TrackReader,
  TrackRow,
  UntimedRow,
} from '../../storage/library/track-reader.ts';
import { untimedColumns } from '../../storage/library/timed-points.ts';
import { lineKinds } from '../../storage/library/line-rows.ts';
import { GeometryWriter } from './geometry-writer.ts';
import type { TileOutcome, TilePlace, TileTask } from './task.ts';
import { CellGrid, cellAt, TileCanvas } from './tile-canvas.ts';
import { pixel, TileGrid } from './tile-grid.ts';
import { gapMs, TrackPen } from './track-pen.ts';
import { geometryKinds, writeTile, type TileFeature, type TileProperties } from './write-mvt.ts';

const emptyTile = new Uint8Array(0);
/** Used for every tile: a thread makes one at a time. */
const canvas = new TileCanvas();
const pointCells = new CellGrid();
const columns = pointColumns(dayBlobPoints);
const untimed = untimedColumns();

/**
 * Makes a tile; no bytes where it shows nothing.
 * @param look is called between steps of a millisecond or so, and may throw.
 * @throws DayBlobCorrupt, errors of SQLite, what `look` throws
 */
export function makeTile(task: TileTask, reader: TrackReader, look: () => void): TileOutcome {
  const features = new TileDrawing(task, reader, look).draw();
  const bytes = writeTile(task.layers.map((name) => ({ name, features: features[name] })));
  if (bytes.length === 0) return emptyTile;
  return task.gzip ? gzipSync(bytes) : bytes;
}

class TileDrawing {
  readonly #task: TileTask;
  readonly #reader: TrackReader;
  readonly #look: () => void;
  readonly #grid: TileGrid;
  readonly #pen: TrackPen;
  readonly #period: Period;
  readonly #everyPoint = new GeometryWriter();
  readonly #features = {
    tracks: [] as TileFeature[],
    points: [] as TileFeature[],
    routes: [] as TileFeature[],
    waypoints: [] as TileFeature[],
  };

  constructor(task: TileTask, reader: TrackReader, look: () => void) {
    this.#task = task;
    this.#reader = reader;
    this.#look = look;
    this.#grid = new TileGrid(task.tile);
    this.#pen = new TrackPen(this.#grid, canvas);
    this.#period = { fromMs: task.fromMs ?? -Infinity, toMs: task.toMs ?? Infinity };
    canvas.clear();
    if (task.everyPoint) pointCells.clear();
  }

  draw() {
    const { layers, fromMs, toMs, places } = this.#task;
    const hasTracks = layers.includes('tracks') || layers.includes('points');
    if (hasTracks) this.#drawDays();
    if (fromMs === undefined && toMs === undefined && (hasTracks || layers.includes('routes')))
      this.#drawUntimed();
    for (const place of places) this.#drawPlace(place);
    return this.#features;
  }

  #drawDays(): void {
    const rows = this.#reader.days(this.#grid.box, this.#period);
    let points = 0;
    for (const [at, row] of rows.entries()) {
      this.#look();
      this.#drawDay(row);
      points += row.points;
      const next = rows[at + 1];
      if (next?.fileId === row.fileId && next.day === row.day) continue;
      if (next?.fileId !== row.fileId || next.firstMs - row.lastMs > gapMs) this.#pen.lift();
      const n = points;
      points = 0;
      this.#finish('tracks', () => ({
        day: formatDate(row.day),
        import: this.#reader.importOf(row.fileId),
        n,
      }));
    }
  }

  #drawDay(row: TrackRow): void {
    const { fromMs, toMs } = this.#period;
    const isWhole = row.firstMs >= fromMs && row.lastMs <= toMs;
    const { lon, lat } = this.#grid.scales(row);
    const isDot = (row.east - row.west) * lon <= pixel && (row.north - row.south) * lat <= pixel;
    if (isWhole && isDot && !this.#task.everyPoint) {
      this.#pen.dot(row, row.firstMs, row.lastMs);
      return;
    }
    const count = decodeDay(this.#reader.dayBlob(row), columns);
    const from = isWhole ? 0 : firstNotBefore(columns.timeMs, count, fromMs);
    const to = isWhole ? count : firstNotBefore(columns.timeMs, count, toMs + 1);
    this.#pen.draw(columns, from, to, row);
    if (this.#task.everyPoint) this.#drawPoints(columns, from, to);
  }

  #drawUntimed(): void {
    const rows = this.#reader.untimed(this.#grid.box);
    let points = 0;
    for (const [at, row] of rows.entries()) {
      this.#look();
      const layer = row.kind === lineKinds.route ? 'routes' : 'tracks';
      if (!this.#task.layers.includes(layer)) continue;
      this.#drawRuns(row);
      points += row.untimed;
      if (rows[at + 1]?.lineId === row.lineId) continue;
      this.#pen.lift();
      const n = points;
      points = 0;
      this.#finish(layer, () => {
        const { name } = this.#reader.textsOf(row);
        const properties = { import: this.#reader.importOf(row.fileId), n };
        return name === undefined ? properties : { ...properties, name };
      });
    }
  }

  #drawRuns(row: UntimedRow): void {
    const blobs = this.#reader.untimedBlobs(row);
    decodePoints(blobs.points, untimed);
    let from = 0;
    for (const { points, isTimed, beginsSegment } of readRuns(blobs.runs)) {
      if (isTimed || beginsSegment) this.#pen.lift();
      if (isTimed) continue;
      this.#pen.draw(untimed, from, from + points, row);
      if (this.#task.everyPoint) this.#drawPoints(untimed, from, from + points);
      from += points;
    }
  }

  #drawPoints({ latE7, lonE7 }: typeof columns, from: number, to: number): void {
    const { south, west, north, east } = this.#grid.box;
    for (let at = from; at < to; at += 1) {
      const [lon, lat] = [lonE7[at]!, latE7[at]!];
      if (lon < west || lon > east || lat < south || lat > north) continue;
      const x = Math.round(this.#grid.x(lon));
      const y = Math.round(this.#grid.y(lat));
      if (pointCells.mark(cellAt(x, y))) this.#everyPoint.point(x, y);
    }
  }

  /** Makes features of what was drawn since the last ones. */
  #finish(layer: 'tracks' | 'routes', describe: () => TileProperties): void {
    const { lines, dots } = canvas.take();
    const points = this.#task.everyPoint ? this.#everyPoint.take() : dots;
    if (lines.length === 0 && points.length === 0) return;
    const properties = describe();
    const { line, point } = geometryKinds;
    if (lines.length > 0) this.#features[layer].push({ kind: line, geometry: lines, properties });
    if (points.length > 0)
      this.#features.points.push({ kind: point, geometry: points, properties });
  }

  #drawPlace({ lat, lon, ...properties }: TilePlace): void {
    const geometry = new GeometryWriter();
    geometry.point(
      Math.round(this.#grid.x(lon * 10_000_000)),
      Math.round(this.#grid.y(lat * 10_000_000)),
    );
    const own: TileProperties = 'count' in properties ? properties : { ...properties, lat, lon };
    this.#features.waypoints.push({
      kind: geometryKinds.point,
      geometry: geometry.take(),
      properties: own,
    });
  }
}

/** Where times, in order, are no longer before one. */
function firstNotBefore(timeMs: Float64Array, count: number, momentMs: number): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (timeMs[middle]! < momentMs) low = middle + 1;
    else high = middle;
  }
  return low;
}
