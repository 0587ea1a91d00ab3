/**
 * Since when days in a country count for the short stays of the Schengen area (ISO 3166-1 alpha-2 → first day). Territories
 * with codes of their own (Greenland, Réunion …) are not part of it.
 */
const since: Readonly<Record<string, string>> = {
  ...from('1995-03-26', 'BE DE ES FR LU MC NL PT'),
  ...from('1997-10-26', 'IT'),
  ...from('1997-12-01', 'AT'),
  ...from('2000-01-01', 'GR'),
  ...from('2001-03-25', 'DK FI IS NO SE'),
  ...from('2007-12-21', 'CZ EE HU LT LV MT PL SI SK'),
  ...from('2008-12-12', 'CH'),
  ...from('2011-12-19', 'LI'),
  ...from('2023-01-01', 'HR'),
  ...from('2024-03-31', 'BG RO'),
};

function from(date: string, countries: string): Record<string, string> {
  return Object.fromEntries(countries.split(' ').map((country) => [country, date]));
}

/** Whether a day (`YYYY-MM-DD`) in a country is one in the Schengen area. */
export function isInSchengen(country: string, date: string): boolean {
  const first = since[country];
  return first !== undefined && date >= first;
}
