/**
 * Where a position lies in the administrative order, as the parts of a timeline carry it (contract E). Ids are those of one geodata
 * generation; a name or id that is unknown is the empty string. All empty: at sea or unknown.
 */
export interface AdminPlace {
  /** English name of the country. */
  readonly country: string;
  /** ISO 3166-1 alpha-2. */
  readonly country_id: string;
  readonly region: string;
  readonly region_id: string;
  readonly county: string;
  /** The part of the locality. */
  readonly local_admin: string;
  readonly locality: string;
  readonly locality_id: string;
}

/** The units that a timeline sums up by. A module without zod: timeline threads need these. */
export const placeLevels = ['country', 'region', 'locality'] as const;
export type PlaceLevel = (typeof placeLevels)[number];

/** Finds the administrative place of a position; the timeline worker is given one. */
export interface AdminLookup {
  /** @param lat −90…90, @param lon −180…180, WGS84 degrees. The same object for the same place wherever that is cheap. */
  find(lat: number, lon: number): AdminPlace;
  /** The ids of other countries within the stated accuracy of borders, ascending; absent where none is stated. */
  nearBorder?(lat: number, lon: number): readonly string[];
}

/** At sea or unknown. */
export const nowhere: AdminPlace = {
  country: '',
  country_id: '',
  region: '',
  region_id: '',
  county: '',
  local_admin: '',
  locality: '',
  locality_id: '',
};
