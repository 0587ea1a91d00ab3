import type { BorderFeature } from './read-inputs.ts';

/** Short names that replace official, long or ambiguous ones. */
const shortNames: Readonly<Record<string, string>> = {
  BS: 'Bahamas',
  CN: 'China',
  CY: 'Cyprus',
  DK: 'Denmark',
  FM: 'Micronesia',
  GG: 'Guernsey',
  GM: 'Gambia',
  IE: 'Ireland',
  JE: 'Jersey',
  NL: 'Netherlands',
  US: 'United States',
};

/** Reserved codes (FX, IC, EU …) are not countries; XK, which ISO leaves to its users, is what Kosovo has everywhere. */
const countryStatus: ReadonlySet<string | undefined> = new Set(['official', 'usrAssn']);

/** English names by ISO 3166-1 alpha-2. */
export function countryNames(features: readonly BorderFeature[]): Map<string, string> {
  const names = new Map<string, string>();
  for (const { properties } of features) {
    const code = ownCode(properties);
    if (code !== undefined) names.set(code, shortNames[code] ?? properties.nameEn);
  }
  return names;
}

/**
 * The ISO 3166-1 alpha-2 code of each feature by its id: its own, else that of the smallest thing it lies in that has
 * one. So Ceuta is ES, Svalbard SJ, Saint Helena SH, Bonaire BQ. Northern Cyprus and Bir Tawil have none.
 */
export function countryCodes(features: readonly BorderFeature[]): Map<string, string> {
  const own = new Map<string, string>();
  for (const { properties } of features) {
    const code = ownCode(properties);
    if (code !== undefined) own.set(properties.id, code);
  }
  const codes = new Map<string, string>();
  for (const { properties } of features) {
    const holder = [properties.id, ...(properties.groups ?? [])].find((id) => own.has(id));
    if (holder !== undefined) codes.set(properties.id, own.get(holder)!);
  }
  return codes;
}

function ownCode({ iso1A2, isoStatus }: BorderFeature['properties']): string | undefined {
  return countryStatus.has(isoStatus) ? iso1A2 : undefined;
}
