import fc from 'fast-check';
import { identityOf, identityText } from '../../model/identity.ts';

export interface Row {
  readonly name: string;
  readonly lat: number;
  readonly lon: number;
}

/** A waypoint that is shown, with where it comes from. */
export interface Shown extends Row {
  readonly bookmark: boolean;
}

/** Places where projections, grids and meridians have their edges. */
const edgeLats = [-90, -85.0511287798066, -66, -1e-7, -0, 0, 45, 85.0511287798066, 85.06, 90];
const edgeLons = [-180, -179.9999996, -90, -1e-7, -0, 0, 45, 90, 135, 179.9999996, 180];

const names = fc.oneof(
  fc.constantFrom(
    'Camp',
    'camp',
    'Cámp',
    'Camp 2',
    'Old camp',
    'Scamper',
    'Saint-Camp',
    'Fontaine d’Été',
    'Straße "9"',
    'a\\b',
    'Łódź',
    'Ø',
    '😀camp',
    '山の上',
    'ΟΔΟΣ',
    'Waypoint 17',
  ),
  fc.string({ unit: fc.constantFrom('a', 'b', 'A', 'é', ' ', '-', '1', '😀', 'ß'), maxLength: 8 }),
);

/** A place: on an edge, near one of few towns (so that cells get several members and twins arise), or anywhere. */
export const row: fc.Arbitrary<Row> = fc
  .tuple(
    names,
    fc.oneof(
      fc.constantFrom(...edgeLats),
      fc.tuple(fc.constantFrom(47.1, -33.9), fc.integer({ min: -75, max: 75 })).map(near),
      fc.double({ min: -90, max: 90, noNaN: true }),
    ),
    fc.oneof(
      fc.constantFrom(...edgeLons),
      fc.tuple(fc.constantFrom(9.2, -58.4, 179), fc.integer({ min: -75, max: 75 })).map(near),
      fc.double({ min: -180, max: 180, noNaN: true }),
    ),
  )
  .map(([name, lat, lon]) => ({ name: name.trim().normalize('NFC') || 'x', lat, lon }));

/** Places of a town: apart by powers of ten from 1e-6 degree, some of them in one microdegree. */
function near([town, step]: [number, number]): number {
  return town + Math.sign(step) * Math.min(1, 10 ** (Math.abs(step) / 10 - 7));
}

/** Rows as the library shows them: each identity once, the first one. */
function eachOnce(rows: readonly Row[]): Row[] {
  const seen = new Set<string>();
  return rows.filter((place) => {
    const key = identityText(identityOf(place.name, place.lat, place.lon));
    return seen.size < seen.add(key).size;
  });
}

/** A library, bookmarks and hidden places: half of what is picked of the library is bookmarked, the other half hidden. */
export const stocked = fc
  .tuple(
    fc.array(row, { maxLength: 120 }),
    fc.array(row, { maxLength: 20 }),
    fc.array(fc.nat(), { maxLength: 20 }),
  )
  .map(([rows, ownRows, picks]) => {
    const library = eachOnce(rows);
    const picked = library.filter((_, at) => picks.some((pick) => pick % library.length === at));
    const bookmarks = eachOnce([...ownRows, ...picked.filter((_, at) => at % 2 === 0)]);
    return { library, bookmarks, hidden: picked.filter((_, at) => at % 2 === 1) };
  });

/** What is shown of a library, bookmarks and hidden identities. */
export function shownPlaces(
  library: readonly Row[],
  bookmarks: readonly Row[],
  hidden: readonly Row[] = [],
): Shown[] {
  const covered = new Set(
    [...bookmarks, ...hidden].map(({ name, lat, lon }) => identityText(identityOf(name, lat, lon))),
  );
  return [
    ...library
      .filter(({ name, lat, lon }) => !covered.has(identityText(identityOf(name, lat, lon))))
      .map((place) => ({ ...place, bookmark: false })),
    ...bookmarks.map((place) => ({ ...place, bookmark: true })),
  ];
}
