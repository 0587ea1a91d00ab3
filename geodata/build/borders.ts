import { unitsPerDegree } from '../format.ts';
import type { Ring } from '../ring-blob.ts';
import { countryCodes } from './countries.ts';
import type { BorderFeature, GeoRing } from './read-inputs.ts';

/** A polygon that lies in one country: its outline, then holes. */
export interface Border {
  readonly country: string;
  readonly rings: readonly Ring[];
  readonly box: Box;
}

/** Units (see format.ts). */
export interface Box {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

/** The smaller the level, the more exactly it says where a point is: Hong Kong before China. */
const levels = ['subterritory', 'territory', 'subcountryGroup', 'country', 'region'];
const halfTurn = 180 * unitsPerDegree;

/**
 * The polygons of all countries, those first that count where two overlap. What crosses 180° is cut there, what goes around
 * the globe at 0° as well, so that no ring is wider than 180°.
 */
export function countryBorders(features: readonly BorderFeature[]): Border[] {
  const codes = countryCodes(features);
  return features
    .flatMap(({ properties, geometry }) => {
      const country = codes.get(properties.id);
      if (country === undefined || geometry === null) return [];
      const level = levels.indexOf(properties.level);
      if (level === -1) throw new Error(`geodata: ${properties.id} has an unknown level`);
      return geometry.coordinates
        .flatMap((polygon) => splitPolygon(polygon.map(toRing)))
        .map((rings) => ({ level, border: { country, rings, box: boxOf(rings[0]!) } }));
    })
    .sort((a, b) => a.level - b.level || areaOf(a.border.box) - areaOf(b.border.box))
    .map(({ border }) => border);
}

/** Drops the repeated last corner. */
function toRing(corners: GeoRing): Ring {
  return Int32Array.from(
    corners.slice(0, -1).flatMap(([lon, lat]) => [toUnits(lon), toUnits(lat)]),
  );
}

function toUnits(degrees: number): number {
  return Math.round(degrees * unitsPerDegree);
}

/** Cuts along 180°, −180° and, where that leaves a ring wider than half the globe, along 0°. */
function splitPolygon(rings: readonly Ring[]): Ring[][] {
  const { west, east } = boxOf(rings[0]!);
  const cuts = [-halfTurn, halfTurn];
  if (east - west > halfTurn) cuts.push(0);
  const edges = [...new Set([west, ...cuts.filter((x) => x > west && x < east), east])].sort(
    (a, b) => a - b,
  );
  const pieces = edges.slice(1).map((edge, i) => {
    const parts = rings.map((ring) => clip(clip(ring, edges[i]!, 1), edge, -1));
    return parts.filter((ring) => ring.length >= 6).map((ring) => turnBack(ring, edges[i]!));
  });
  return pieces.filter((piece) => piece.length > 0);
}

/** Moves what lies beyond ±180° to where it is usually counted. */
function turnBack(ring: Ring, west: number): Ring {
  if (west >= -halfTurn && west < halfTurn) return ring;
  const turn = west < -halfTurn ? 2 * halfTurn : -2 * halfTurn;
  return ring.map((value, i) => (i % 2 === 0 ? value + turn : value));
}

/** The part of a ring east (`side` 1) or west (−1) of a meridian (Sutherland and Hodgman 1974). */
function clip(ring: Ring, meridian: number, side: 1 | -1): Ring {
  const kept: number[] = [];
  for (let i = 0; i < ring.length; i += 2) {
    const x = ring[i]!;
    const y = ring[i + 1]!;
    const nextX = ring[(i + 2) % ring.length]!;
    const nextY = ring[(i + 3) % ring.length]!;
    const isInside = (x - meridian) * side >= 0;
    const isNextInside = (nextX - meridian) * side >= 0;
    if (isInside) kept.push(x, y);
    if (isInside !== isNextInside && x !== meridian && nextX !== meridian) {
      kept.push(meridian, Math.round(y + ((nextY - y) * (meridian - x)) / (nextX - x)));
    }
  }
  return Int32Array.from(kept);
}

function boxOf(ring: Ring): Box {
  const box = { west: Infinity, south: Infinity, east: -Infinity, north: -Infinity };
  for (let i = 0; i < ring.length; i += 2) {
    box.west = Math.min(box.west, ring[i]!);
    box.east = Math.max(box.east, ring[i]!);
    box.south = Math.min(box.south, ring[i + 1]!);
    box.north = Math.max(box.north, ring[i + 1]!);
  }
  return box;
}

function areaOf({ west, south, east, north }: Box): number {
  return (east - west) * (north - south);
}
