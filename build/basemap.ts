import { readCensusPlaces, readLand, readLandBorders } from '../geodata/build/read-inputs.ts';

/** Tolerance of a simplified line, degrees; some 200 m. */
const bendDegrees = 0.002;
/** Least population of named towns. */
const leastPeople = 25_000;
const decimals = 1_000;

type Position = readonly [lon: number, lat: number];

/** GeoJSON of what the map shows close up, by file name: coasts and borders of 1:10,000,000, thinned, and towns. */
export function closeUps(): Readonly<Record<string, string>> {
  const coast = readLand().map((rings) => feature('Polygon', rings.map(thinnedRing), {}));
  const borders = readLandBorders().map((line) =>
    feature('LineString', thinned(line).map(rounded), {}),
  );
  const towns = readCensusPlaces()
    .filter(({ population, feature: code }) => population >= leastPeople && code !== 'PPLX')
    .toSorted((a, b) => b.population - a.population)
    .map(({ name, lat, lon, population }) =>
      feature('Point', rounded([lon, lat]), { name, rank: rankOf(population) }),
    );
  return {
    'coast.geojson': collection(coast),
    'frontiers.geojson': collection(borders),
    'towns.geojson': collection(towns),
  };
}

/** The zoom from which on a town is named: the largest first. */
function rankOf(people: number): number {
  return people >= 500_000 ? 6 : people >= 100_000 ? 7 : people >= 50_000 ? 8 : 9;
}

function feature(type: string, coordinates: unknown, properties: object): object {
  return { type: 'Feature', properties, geometry: { type, coordinates } };
}

function collection(features: readonly object[]): string {
  return JSON.stringify({ type: 'FeatureCollection', features });
}

function rounded([lon, lat]: Position): Position {
  return [Math.round(lon * decimals) / decimals, Math.round(lat * decimals) / decimals];
}

/** Halves first: a ring's ends are one position, from which no distance can be told. */
function thinnedRing(ring: readonly Position[]): Position[] {
  const middle = Math.floor(ring.length / 2);
  const halves = [thinned(ring.slice(0, middle + 1)), thinned(ring.slice(middle))];
  return halves.flatMap((half, index) => (index === 0 ? half.slice(0, -1) : half)).map(rounded);
}

/** By Douglas and Peucker. */
function thinned(line: readonly Position[]): Position[] {
  const [first, last] = [line[0], line.at(-1)];
  if (first === undefined || last === undefined || line.length < 3) return [...line];
  let [furthest, at] = [0, 0];
  line.forEach((position, index) => {
    const distance = distanceTo(position, first, last);
    if (distance > furthest) [furthest, at] = [distance, index];
  });
  if (furthest <= bendDegrees) return [first, last];
  return [...thinned(line.slice(0, at + 1)).slice(0, -1), ...thinned(line.slice(at))];
}

/** Distance of a position to a segment, in degrees of latitude. */
function distanceTo([lon, lat]: Position, from: Position, to: Position): number {
  const shrink = Math.cos((from[1] * Math.PI) / 180);
  const [dx, dy] = [(to[0] - from[0]) * shrink, to[1] - from[1]];
  const [x, y] = [(lon - from[0]) * shrink, lat - from[1]];
  const length = dx * dx + dy * dy;
  const share = length === 0 ? 0 : Math.min(1, Math.max(0, (x * dx + y * dy) / length));
  return Math.hypot(x - share * dx, y - share * dy);
}
