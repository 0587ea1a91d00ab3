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
export function ownNames(country: string): string[] {
  const spoken = new Intl.Locale(`und-${country}`).maximize().language;
  const languages = [spoken, ...(furtherLanguages[country] ?? [])];
  // For a language without names the answer would be in that of this machine.
  return Intl.DisplayNames.supportedLocalesOf(languages).flatMap(
    (language) =>
      new Intl.DisplayNames(language, { type: 'region', fallback: 'none' }).of(country) ?? [],
  );
}
