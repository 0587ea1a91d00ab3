import type { AreaKind } from '../format.ts';
import type { WorldPlace } from './world-places.ts';

/** A country, a region or an island, to be found by its names. */
export interface WorldArea {
  readonly kind: AreaKind;
  /** The first is the one that is shown. */
  readonly names: readonly string[];
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
    if (name !== undefined)
      add(countries, country, { kind: 'country', name, place, isSeat: feature === capital });
    // Singapore is found once.
    if (regionName === undefined || regionName === name) continue;
    add(regions, code, { kind: 'region', name: regionName, place, isSeat: false });
  }
  return [...countries.values(), ...regions.values()];
}

interface Share {
  readonly kind: AreaKind;
  readonly name: string;
  readonly place: WorldPlace;
  readonly isSeat: boolean;
}

function add(areas: Map<string, WorldArea>, code: string, share: Share): void {
  const { kind, place, isSeat } = share;
  const { country, region, lat, lon, population } = place;
  const area = areas.get(code) ?? { kind, names: namesOf(share), country, lat, lon, population: 0 };
  areas.set(code, {
    ...area,
    ...(isSeat ? { lat, lon } : {}),
    ...(kind === 'region' ? { region } : {}),
    population: area.population + population,
  });
}

function namesOf({ kind, name, place }: Share): string[] {
  return kind === 'country' ? [...new Set([name, ...ownNames(place.country)])] : [name];
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

/** Name of a country (ISO 3166-1 alpha-2) in its own languages, from Unicode's CLDR in Node.js: `España`, `日本`. */
function ownNames(country: string): string[] {
  const spoken = new Intl.Locale(`und-${country}`).maximize().language;
  const languages = [spoken, ...(furtherLanguages[country] ?? [])];
  // For a language without names the answer would be in that of this machine.
  return Intl.DisplayNames.supportedLocalesOf(languages).flatMap(
    (language) =>
      new Intl.DisplayNames(language, { type: 'region', fallback: 'none' }).of(country) ?? [],
  );
}
