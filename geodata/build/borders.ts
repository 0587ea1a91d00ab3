import { countryCodes } from './countries.ts';
import { corrections } from './corrections.ts';
import { areaOf, boxOf, piecesOf, toRing, type Box, type Polygon } from './polygons.ts';
import type { BorderFeature, CountryShape } from './read-inputs.ts';

/** A polygon that lies in one country. */
export interface Border {
  readonly country: string;
  readonly rings: Polygon;
  readonly box: Box;
}

/** Nearer to a border than this more than one place in a hundred is answered in another way than GeoNames does. */
export const borderAccuracyM = 500;

/** The smaller the level, the more exactly it says where a point is: Hong Kong before China. */
const levels = ['subterritory', 'territory', 'subcountryGroup', 'country', 'region'];

/**
 * The borders of all countries in small pieces, those first that count where two overlap: those of OpenStreetMap, the
 * smallest country first, so that a territory comes before the state that it belongs to and an annexed area stays with
 * the state that it was taken from; then those of country-coder, for what OpenStreetMap's have no country for.
 */
export function countryBorders(
  shapes: readonly CountryShape[],
  features: readonly BorderFeature[],
): Border[] {
  return [...bySize(shapes), ...byLevel(features)].flatMap(({ country, polygons }) =>
    polygons.flatMap(piecesOf).map((rings) => ({ country, rings, box: boxOf(rings[0]!) })),
  );
}

function bySize(shapes: readonly CountryShape[]) {
  const known = shapes.map(({ country, polygons }) => {
    const rings = polygons.map((polygon) => polygon.map(toRing));
    return { country, polygons: rings, size: sizeOf(rings) };
  });
  const corrected = corrections.map(({ country, before, outline }) => {
    const { size } = known.find((shape) => shape.country === before)!;
    // Counts before the country that it is taken from, and after all smaller ones.
    return { country, polygons: [[toRing([...outline, outline[0]!])]], size: size - 1 };
  });
  return [...known, ...corrected].sort((a, b) => a.size - b.size);
}

function byLevel(features: readonly BorderFeature[]) {
  const codes = countryCodes(features);
  return features
    .flatMap(({ properties, geometry }) => {
      const country = codes.get(properties.id);
      if (country === undefined || geometry === null) return [];
      const level = levels.indexOf(properties.level);
      if (level === -1) throw new Error(`geodata: ${properties.id} has an unknown level`);
      const polygons = geometry.coordinates.map((polygon) => polygon.map(toRing));
      return [{ country, polygons, level, size: sizeOf(polygons) }];
    })
    .sort((a, b) => a.level - b.level || a.size - b.size);
}

function sizeOf(polygons: readonly Polygon[]): number {
  return polygons.reduce((sum, [outline]) => sum + areaOf(outline!), 0);
}
