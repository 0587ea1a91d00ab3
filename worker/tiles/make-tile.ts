import { gzipSync } from 'node:zlib';
import { formatDate } from '../../model/calendar-date.ts';
import type { TrackReader } from '../../storage/library/track-reader.ts';
import { GeometryWriter } from './geometry-writer.ts';
import { periodOf, type TileOutcome, type TilePlace, type TileTask } from './task.ts';
import { outlineZooms } from '../../storage/outline.ts';
import { TileCanvas } from './tile-canvas.ts';
import { TileGrid } from './tile-grid.ts';
import { TrackPen } from './track-pen.ts';
import { TrackWalk, type WalkedLine } from './walk-tracks.ts';
import { geometryKinds, writeTile, type TileFeature, type TileProperties } from './write-mvt.ts';

const emptyTile = new Uint8Array(0);
const unitsPerDegree = 10_000_000;
/** Of what is drawn of all points, not of outlines, which have lost half a pixel already. */
const wideCellUnits = 6;
/** Used for every tile: a thread makes one at a time. */
const canvas = new TileCanvas();
const placeGeometry = new GeometryWriter({ bytes: 0 });

/**
 * Makes a tile; no bytes where it shows nothing.
 * @param look is called between steps of a millisecond or so, and may throw.
 * @throws DayBlobCorrupt, errors of SQLite, what `look` throws
 */
export function makeTile(task: TileTask, reader: TrackReader, look: () => void): TileOutcome {
  const features = new TileDrawing(task, reader, look).draw();
  const bytes = writeTile(task.layers.map((name) => ({ name, features: features[name] })));
  if (bytes.length === 0) return emptyTile;
  return task.gzip ? gzipSync(bytes) : bytes.slice();
}

class TileDrawing {
  readonly #task: TileTask;
  readonly #reader: TrackReader;
  readonly #grid: TileGrid;
  readonly #pen: TrackPen;
  readonly #walk: TrackWalk;
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
    const cellUnits = task.tile.z > outlineZooms.fine ? wideCellUnits : undefined;
    canvas.clear(task.everyPoint, cellUnits);
    this.#pen = new TrackPen(grid, canvas);
    const pen = this.#pen;
    const [period, zoom] = [periodOf(task), task.tile.z];
    this.#walk = new TrackWalk({ reader, grid, pen, period, zoom, needsTimes: false, look });
  }

  draw() {
    const { layers, fromMs, toMs, places } = this.#task;
    const hasTracks = layers.includes('tracks') || layers.includes('points');
    const isPeriod = fromMs !== undefined || toMs !== undefined;
    if (hasTracks) this.#drawAll(this.#walk.days());
    if (hasTracks && !isPeriod) this.#drawAll(this.#walk.untimed('track'));
    // A full tile ends in the midst of a track. A route is shown also where a track lies upon it.
    this.#pen.lift();
    canvas.clear();
    if (layers.includes('routes') && !isPeriod) this.#drawAll(this.#walk.untimed('route'));
    for (const place of places) this.#drawPlace(place);
    return this.#features;
  }

  #drawAll(lines: Iterable<WalkedLine>): void {
    for (const line of lines) {
      this.#finish(line);
      if (canvas.isFull) return;
    }
  }

  /** Makes features of what was drawn since the last ones. */
  #finish({ kind, fileId, day, name, points: n }: WalkedLine): void {
    const { lines, dots } = canvas.take();
    if (lines.length === 0 && dots.length === 0) return;
    const properties = {
      ...(day !== undefined && { day: formatDate(day) }),
      import: this.#reader.importOf(fileId),
      n,
      ...(name !== undefined && { name }),
    };
    const layer = this.#features[kind === 'route' ? 'routes' : 'tracks'];
    const { line, point } = geometryKinds;
    if (lines.length > 0) layer.push({ kind: line, geometry: lines, properties });
    if (dots.length > 0) this.#features.points.push({ kind: point, geometry: dots, properties });
  }

  #drawPlace({ lat, lon, ...properties }: TilePlace): void {
    placeGeometry.point(this.#grid.x(lon * unitsPerDegree), this.#grid.y(lat * unitsPerDegree));
    const own: TileProperties = 'count' in properties ? properties : { ...properties, lat, lon };
    this.#features.waypoints.push({
      kind: geometryKinds.point,
      geometry: placeGeometry.takePoints(),
      properties: own,
    });
  }
}
