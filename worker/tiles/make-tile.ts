import { gzipSync } from 'node:zlib';
import { formatDate } from '../../model/calendar-date.ts';
import type { PointColumns } from '../../storage/day-blob.ts';
import type { TrackReader } from '../../storage/library/track-reader.ts';
import { GeometryWriter } from './geometry-writer.ts';
import { periodOf, type TileOutcome, type TilePlace, type TileTask } from './task.ts';
import { CellGrid, cellAt, TileCanvas } from './tile-canvas.ts';
import { TileGrid } from './tile-grid.ts';
import { TrackPen } from './track-pen.ts';
import { TrackWalk, type WalkedLine } from './walk-tracks.ts';
import { geometryKinds, writeTile, type TileFeature, type TileProperties } from './write-mvt.ts';

const emptyTile = new Uint8Array(0);
const unitsPerDegree = 10_000_000;
/** Used for every tile: a thread makes one at a time. */
const canvas = new TileCanvas();
const pointCells = new CellGrid();

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
  readonly #grid: TileGrid;
  readonly #walk: TrackWalk;
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
    const grid = new TileGrid(task.tile);
    this.#grid = grid;
    canvas.clear();
    if (task.everyPoint) pointCells.clear();
    this.#walk = new TrackWalk({
      reader,
      grid,
      pen: new TrackPen(grid, canvas),
      period: periodOf(task),
      zoom: task.tile.z,
      onPoints: task.everyPoint ? (...points) => this.#drawPoints(...points) : undefined,
      look,
    });
  }

  draw() {
    const { layers, fromMs, toMs, places } = this.#task;
    const hasTracks = layers.includes('tracks') || layers.includes('points');
    const isPeriod = fromMs !== undefined || toMs !== undefined;
    if (hasTracks) for (const line of this.#walk.days()) this.#finish(line);
    if (hasTracks && !isPeriod) for (const line of this.#walk.untimed('track')) this.#finish(line);
    // A route is shown also where a track lies upon it.
    canvas.clear();
    if (layers.includes('routes') && !isPeriod)
      for (const line of this.#walk.untimed('route')) this.#finish(line);
    for (const place of places) this.#drawPlace(place);
    return this.#features;
  }

  #drawPoints({ latE7, lonE7 }: PointColumns, from: number, to: number): void {
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
  #finish({ kind, fileId, day, name, points: n }: WalkedLine): void {
    const { lines, dots } = canvas.take();
    const points = this.#task.everyPoint ? this.#everyPoint.take() : dots;
    if (lines.length === 0 && points.length === 0) return;
    const properties = {
      ...(day !== undefined && { day: formatDate(day) }),
      import: this.#reader.importOf(fileId),
      n,
      ...(name !== undefined && { name }),
    };
    const layer = this.#features[kind === 'route' ? 'routes' : 'tracks'];
    const { line, point } = geometryKinds;
    if (lines.length > 0) layer.push({ kind: line, geometry: lines, properties });
    if (points.length > 0)
      this.#features.points.push({ kind: point, geometry: points, properties });
  }

  #drawPlace({ lat, lon, ...properties }: TilePlace): void {
    const geometry = new GeometryWriter();
    geometry.point(
      Math.round(this.#grid.x(lon * unitsPerDegree)),
      Math.round(this.#grid.y(lat * unitsPerDegree)),
    );
    const own: TileProperties = 'count' in properties ? properties : { ...properties, lat, lon };
    this.#features.waypoints.push({
      kind: geometryKinds.point,
      geometry: geometry.take(),
      properties: own,
    });
  }
}
