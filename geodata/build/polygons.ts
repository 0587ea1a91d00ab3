import { unitsPerDegree } from '../format.ts';
import type { Ring } from '../ring-blob.ts';
import type { GeoRing } from './read-inputs.ts';

/** An outline, then its holes. */
export type Polygon = readonly Ring[];

/** Units (see format.ts). */
export interface Box {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

const halfTurn = 180 * unitsPerDegree;
/** Few enough that a piece is searched in a microsecond, and enough that there are few pieces to read. */
const mostCorners = 160;
/** Offsets of a coordinate in a corner. */
type Axis = 0 | 1;

/** Drops the repeated last corner. */
export function toRing(corners: GeoRing): Ring {
  return Int32Array.from(
    corners.slice(0, -1).flatMap(([lon, lat]) => [toUnits(lon), toUnits(lat)]),
  );
}

function toUnits(degrees: number): number {
  return Math.round(degrees * unitsPerDegree);
}

export function boxOf(ring: Ring): Box {
  const box = { west: Infinity, south: Infinity, east: -Infinity, north: -Infinity };
  for (let i = 0; i < ring.length; i += 2) {
    box.west = Math.min(box.west, ring[i]!);
    box.east = Math.max(box.east, ring[i]!);
    box.south = Math.min(box.south, ring[i + 1]!);
    box.north = Math.max(box.north, ring[i + 1]!);
  }
  return box;
}

/** In units squared, as on a flat map (the shoelace formula): good for telling which is larger. */
export function areaOf(ring: Ring): number {
  let doubled = 0;
  for (let i = 0; i < ring.length; i += 2) {
    const next = (i + 2) % ring.length;
    doubled += ring[i]! * ring[next + 1]! - ring[next]! * ring[i + 1]!;
  }
  return Math.abs(doubled) / 2;
}

/**
 * Cuts a polygon along 180° and −180°, along 0° where that leaves more than half the globe, and then in halves until no
 * piece has many corners. The pieces fill it without overlapping.
 */
export function piecesOf(polygon: Polygon): Polygon[] {
  const { west, east } = boxOf(polygon[0]!);
  const cuts = [-halfTurn, halfTurn, ...(east - west > halfTurn ? [0] : [])];
  const edges = [west, ...cuts.filter((x) => x > west && x < east), east].sort((a, b) => a - b);
  return edges.slice(1).flatMap((edge, i) => {
    const part = clip(clip(polygon, 0, edges[i]!, 1), 0, edge, -1);
    return halves(part.map((ring) => turnBack(ring, edges[i]!)));
  });
}

/** Moves what lies beyond ±180° to where it is usually counted. */
function turnBack(ring: Ring, west: number): Ring {
  if (west >= -halfTurn && west < halfTurn) return ring;
  const turn = west < -halfTurn ? 2 * halfTurn : -2 * halfTurn;
  return ring.map((value, i) => (i % 2 === 0 ? value + turn : value));
}

function halves(polygon: Polygon): Polygon[] {
  if (polygon.length === 0) return [];
  const corners = polygon.reduce((sum, ring) => sum + ring.length / 2, 0);
  const { west, south, east, north } = boxOf(polygon[0]!);
  const axis = east - west >= north - south ? 0 : 1;
  const [from, to] = axis === 0 ? [west, east] : [south, north];
  if (corners <= mostCorners || to - from < 2) return [polygon];
  const middle = Math.floor((from + to) / 2);
  return [...halves(clip(polygon, axis, middle, -1)), ...halves(clip(polygon, axis, middle, 1))];
}

function clip(polygon: Polygon, axis: Axis, at: number, side: 1 | -1): Polygon {
  return polygon.map((ring) => clipRing(ring, axis, at, side)).filter((ring) => ring.length >= 6);
}

/** The part of a ring above (`side` 1) or below (−1) a value of one coordinate (Sutherland and Hodgman 1974). */
function clipRing(ring: Ring, axis: Axis, at: number, side: 1 | -1): Ring {
  const kept: number[] = [];
  const other = 1 - axis;
  const keep = (along: number, across: number): void => {
    if (axis === 0) kept.push(along, across);
    else kept.push(across, along);
  };
  for (let i = 0; i < ring.length; i += 2) {
    const next = (i + 2) % ring.length;
    const [along, across] = [ring[i + axis]!, ring[i + other]!];
    const [nextAlong, nextAcross] = [ring[next + axis]!, ring[next + other]!];
    const isInside = (along - at) * side >= 0;
    const isNextInside = (nextAlong - at) * side >= 0;
    if (isInside) keep(along, across);
    if (isInside !== isNextInside && along !== at && nextAlong !== at) {
      const share = (at - along) / (nextAlong - along);
      keep(at, Math.round(across + (nextAcross - across) * share));
    }
  }
  return Int32Array.from(kept);
}
