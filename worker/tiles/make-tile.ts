import { gzipSync } from 'node:zlib';
import { formatDate } from '../../model/calendar-date.ts';
import type { TrackReader } from '../../storage/library/track-reader.ts';
import { GeometryWriter } from './geometry-writer.ts';
import { periodOf, type TileOutcome, type TilePlace, type TileTask } from './task.ts';
import { TileCanvas, TileRoom } from './tile-canvas.ts';
import { TileGrid } from './tile-grid.ts';
import { TrackPen, type Stretch } from './track-pen.ts';
import { TrackWalk, type WalkedLine } from './walk-tracks.ts';
import { geometryKinds, writeTile, type TileFeature, type TileProperties } from './write-mvt.ts';

const emptyTile = new Uint8Array(0);
const unitsPerDegree = 10_000_000;
/** Used for every tile: a thread makes one at a time. */
const room = new TileRoom();
const canvas = new TileCanvas(room, 1);
/** Of fixes by themselves: they are on lines, which go first where there is little room. */
const fixes = new TileCanvas(room, 1 / 4);

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
    if (task.everyPoint) fixes.clear();
    room.bytes = 0;
    this.#walk = new TrackWalk({
      reader,
      grid,
      pen: new TrackPen(grid, canvas),
      period: periodOf(task),
      zoom: task.tile.z,
      onPoints: task.everyPoint ? (points) => this.#drawFixes(points) : undefined,
      look,
    });
  }

  draw() {
    const { layers, fromMs, toMs, places } = this.#task;
    const hasTracks = layers.includes('tracks') || layers.includes('points');
    const isPeriod = fromMs !== undefined || toMs !== undefined;
    if (hasTracks) this.#drawAll(this.#walk.days());
    if (hasTracks && !isPeriod) this.#drawAll(this.#walk.untimed('track'));
    // A route is shown also where a track lies upon it.
    canvas.clear();
    room.bytes = 0;
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

  #drawFixes({ columns: { latE7, lonE7 }, from, to }: Stretch): void {
    const { south, west, north, east } = this.#grid.box;
    for (let at = from; at < to; at += 1) {
      const [lon, lat] = [lonE7[at]!, latE7[at]!];
      if (lon < west || lon > east || lat < south || lat > north) continue;
      fixes.vertex(this.#grid.x(lon), this.#grid.y(lat));
      fixes.lift();
    }
  }

  /** Makes features of what was drawn since the last ones. */
  #finish({ kind, fileId, day, name, points: n }: WalkedLine): void {
    const { lines, dots } = canvas.take();
    const points = this.#task.everyPoint && !fixes.isFull ? fixes.take().dots : dots;
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
    const geometry = new GeometryWriter(room);
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
