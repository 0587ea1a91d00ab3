import type { AreaKind } from '../format.ts';
import type { Border } from './borders.ts';
import { furtherNamesOfCountry, furtherNamesOfRegion } from './further-names.ts';
import type { WorldPlace } from './world-places.ts';

/** A country, a region or an island, to be found by its names. */
export interface WorldArea {
  readonly kind: AreaKind;
  /** The first is the one that is shown. */
  readonly names: readonly string[];
  /** Names of a country in languages that are not spoken there. */
  readonly otherNames?: readonly string[];
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
  /** The code of a region within its country. */
  readonly region?: string;
  /** Units (see format.ts). */
  readonly lat: number;
  readonly lon: number;
  readonly population: number;
  /** Metres around that position; of an island, whose stays no country or region tells. */
  readonly radiusM?: number;
}

const capital = 'PPLC';

/**
 * The countries and regions in which a place is known. A country is where its capital is, a region where its largest town
 * is; their people are those of their places.
 * @param places by population, the largest first @param regionNames by `country.code`
 */
export function divisionAreas(
  places: readonly WorldPlace[],
  countryNames: ReadonlyMap<string, string>,
  regionNames: ReadonlyMap<string, string>,
): WorldArea[] {
  const countries = new Map<string, WorldArea>();
  const regions = new Map<string, WorldArea>();
  for (const place of places) {
    const { country, region, feature } = place;
    const [name, code] = [countryNames.get(country), `${country}.${region}`];
    const regionName = regionNames.get(code);
    if (name !== undefined) {
      const about = () => ({ kind: 'country', country, ...countryNamesOf(country, name) }) as const;
      add(countries, country, place, about, feature === capital);
    }
    // Singapore is found once.
    if (regionName === undefined || regionName === name) continue;
    const names = [regionName, ...furtherNamesOfRegion(country, regionName)];
    add(regions, code, place, () => ({ kind: 'region', country, region, names }));
  }
  return [...countries.values(), ...regions.values()];
}

/** @param isSeat the area is where this place is. */
function add(
  areas: Map<string, WorldArea>,
  code: string,
  { lat, lon, population }: WorldPlace,
  about: () => Omit<WorldArea, 'lat' | 'lon' | 'population'>,
  isSeat = false,
): void {
  const area = areas.get(code) ?? { ...about(), lat, lon, population: 0 };
  const sum = area.population + population;
  areas.set(code, { ...area, ...(isSeat ? { lat, lon } : {}), population: sum });
}

function countryNamesOf(country: string, name: string) {
  const spoken = new Intl.Locale(`und-${country}`).maximize().language;
  const own = ['en', spoken, ...(furtherLanguages[country] ?? [])];
  const saint = name.replace(/^St\. /u, 'Saint ');
  const further = [saint, ...furtherNamesOfCountry(country)];
  return {
    names: [...new Set([name, ...further, ...namesIn(own, country)])],
    otherNames: namesIn(languages, country),
  };
}

/** Languages of countries that have more than the one which most of their people are taken to speak. */
const furtherLanguages: Readonly<Record<string, readonly string[]>> = {
  BE: ['fr', 'de'],
  CA: ['fr'],
  CH: ['fr', 'it', 'rm'],
  CY: ['tr'],
  FI: ['sv'],
  IE: ['ga'],
  LU: ['de', 'lb'],
  MA: ['fr'],
  NZ: ['mi'],
  ZA: ['af', 'zu'],
};

const letters = Array.from({ length: 26 }, (_, at) => String.fromCharCode(97 + at));
const pairs = letters.flatMap((one) => letters.map((other) => one + other));
/** Every language of CLDR that Node.js has, and scripts and countries that spell names in another way. */
const languages = Intl.DisplayNames.supportedLocalesOf([
  ...pairs,
  ...pairs.flatMap((pair) => letters.map((letter) => pair + letter)),
  'zh-Hant',
  'sr-Latn',
  'uz-Cyrl',
  'pt-PT',
  'es-MX',
]);

/** Names of a country (ISO 3166-1 alpha-2) in some languages, from Unicode's CLDR in Node.js: `España`, `日本`. */
function namesIn(wanted: readonly string[], country: string): string[] {
  // For a language without names the answer would be in that of this machine.
  return Intl.DisplayNames.supportedLocalesOf(wanted).flatMap((language) => {
    const name = namesOfLanguage(language).of(country);
    return name === undefined || name === country ? [] : [name];
  });
}

const known = new Map<string, Intl.DisplayNames>();

function namesOfLanguage(language: string): Intl.DisplayNames {
  const found = known.get(language);
  if (found !== undefined) return found;
  const names = new Intl.DisplayNames(language, { type: 'region', fallback: 'none' });
  known.set(language, names);
  return names;
}

/** Countries without any place: at the middle of their largest border. */
export function emptyCountries(
  borders: readonly Border[],
  known: readonly WorldArea[],
  countryNames: ReadonlyMap<string, string>,
): WorldArea[] {
  const found = new Set(known.flatMap(({ kind, country }) => (kind === 'country' ? country : [])));
  return [...countryNames].flatMap(([country, name]) => {
    const own = borders.filter((border) => border.country === country);
    if (found.has(country) || own.length === 0) return [];
    const { box } = own.reduce((one, other) => (sizeOf(other) > sizeOf(one) ? other : one));
    return {
      kind: 'country',
      ...countryNamesOf(country, name),
      country,
      lat: Math.round((box.south + box.north) / 2),
      lon: Math.round((box.west + box.east) / 2),
      population: 0,
    };
  });
}

function sizeOf({ box }: Border): number {
  return (box.east - box.west) * (box.north - box.south);
}
