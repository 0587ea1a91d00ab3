import { gzipSync } from 'node:zlib';
import { formatDate } from '../../model/calendar-date.ts';
import type { TrackReader } from '../../storage/library/track-reader.ts';
import { zigzag } from '../../storage/number-columns.ts';
import { unitsPerDegree } from '../../storage/units.ts';
import { periodOf, type TileOutcome, type TilePlace, type TileTask } from './task.ts';
import { mostBytes, TileGrid, TileLines, type Shape } from './tile-lines.ts';
import { TrackWalk, type WalkedLine } from './walk-tracks.ts';
import { geometryKinds, writeTile, type TileFeature, type TileProperties } from './write-mvt.ts';

const emptyTile = new Uint8Array(0);
/** Commands of Mapbox Vector Tile 2.1, section 4.3.1. */
const commands = { moveTo: 1, lineTo: 2 } as const;

/**
 * Makes a tile; no bytes where it shows nothing.
 * @param look is called between steps of a millisecond or so, and may throw.
 * @throws DayBlobCorrupt, errors of SQLite, what `look` throws
 */
export function makeTile(task: TileTask, reader: TrackReader, look: () => void): TileOutcome {
  const { tile, layers, places } = task;
  const grid = new TileGrid(tile);
  const features = {
    ...featuresOf(shapesOf(task, reader, grid, look)),
    waypoints: places.map((place) => waypointFeature(place, grid)),
  };
  const bytes = writeTile(layers.map((name) => ({ name, features: features[name] })));
  if (bytes.length === 0) return emptyTile;
  return task.gzip ? gzipSync(bytes) : bytes.slice();
}

function shapesOf(
  task: TileTask,
  reader: TrackReader,
  grid: TileGrid,
  look: () => void,
): readonly Shape[] {
  const { tile, layers, everyPoint } = task;
  const period = periodOf(task);
  const walk = new TrackWalk({ reader, box: grid.box, period, zoom: tile.z, look });
  const tracks = new TileLines(grid, mostBytes.tracks);
  const routes = new TileLines(grid, mostBytes.routes);
  const addAll = (walked: Iterable<WalkedLine>): void => {
    for (const line of walked) {
      if (line.lines.length === 0) continue;
      const feature = propertiesOf(line);
      for (const { places } of line.lines)
        if (line.kind === 'route') routes.add('routes', feature, places, false);
        else tracks.add('tracks', feature, places, everyPoint);
    }
  };
  const hasTracks = layers.includes('tracks') || layers.includes('points');
  const hasUntimed = task.fromMs === undefined && task.toMs === undefined;
  if (hasTracks) addAll(walk.days());
  if (hasTracks && hasUntimed) addAll(walk.untimed('track'));
  if (layers.includes('routes') && hasUntimed) addAll(walk.untimed('route'));
  return [...tracks.take(), ...routes.take()];
}

function propertiesOf({ fileId, day, name, points: n }: WalkedLine): TileProperties {
  return {
    ...(day !== undefined && { day: formatDate(day) }),
    import: fileId,
    n,
    ...(name !== undefined && { name }),
  };
}

/** One feature for all lines of a day, and one for all of its points. */
function featuresOf(shapes: readonly Shape[]) {
  const features: Record<Shape['layer'], TileFeature[]> = { tracks: [], points: [], routes: [] };
  for (const [layer, made] of Object.entries(features) as [Shape['layer'], TileFeature[]][]) {
    const own = Map.groupBy(
      shapes.filter((shape) => shape.layer === layer),
      ({ feature }) => feature,
    );
    const kind = layer === 'points' ? geometryKinds.point : geometryKinds.line;
    for (const [properties, parts] of own)
      made.push({ kind, geometry: geometryOf(parts, layer === 'points'), properties });
  }
  return features;
}

function geometryOf(parts: readonly Shape[], arePoints: boolean): number[] {
  const geometry: number[] = [];
  let [x, y] = [0, 0];
  const step = (toX: number, toY: number): void => {
    geometry.push(zigzag(toX - x), zigzag(toY - y));
    [x, y] = [toX, toY];
  };
  const places = parts.reduce((sum, part) => sum + part.places.length, 0) / 2;
  if (arePoints) geometry.push(command(commands.moveTo, places));
  for (const part of parts) {
    if (!arePoints) geometry.push(command(commands.moveTo, 1));
    step(part.places[0]!, part.places[1]!);
    if (!arePoints) geometry.push(command(commands.lineTo, part.places.length / 2 - 1));
    for (let at = 2; at < part.places.length; at += 2) step(part.places[at]!, part.places[at + 1]!);
  }
  return geometry;
}

function command(id: number, count: number): number {
  return count * 8 + id;
}

function waypointFeature({ lat, lon, ...properties }: TilePlace, grid: TileGrid): TileFeature {
  const [x, y] = [grid.x(lon * unitsPerDegree), grid.y(lat * unitsPerDegree)];
  return {
    kind: geometryKinds.point,
    geometry: [command(commands.moveTo, 1), zigzag(x), zigzag(y)],
    properties: 'count' in properties ? properties : { ...properties, lat, lon },
  };
}
