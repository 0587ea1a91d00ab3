/**
 * The SQLite file that a generation is. Numbers that its builder and its readers share; tables.ts has its tables.
 */

/** `application_id` of a generation: the letters "wpgd". Not that of our stores, so that neither is ever taken for the other. */
export const generationApplicationId = 0x77706764;

/** `user_version` of the file, counted up when a reader of the version before would misread it. */
export const generationSchema = 3;

/** Coordinates are stored as whole units of 0.00001 degree, about a metre: what the sources have. */
export const unitsPerDegree = 100_000;

/** Rows of `spatial_index`. Arrays of numbers are little-endian, as KDBush and Flatbush write them. */
export const spatialParts = {
  /** KDBush of longitude and latitude in degrees; its item i is place i. */
  placeTree: 'place_tree',
  /** Uint16 for each place: its country's id. */
  placeCountry: 'place_country',
  /** Flatbush of the boxes of borders in units; its item i is border i. */
  borderTree: 'border_tree',
  /**
   * Uint32 words of a quadtree of what is land or within {@link beltKm} of it. The first two words are the
   * halves of the globe west and east of 0°; a word is a {@link beltCell} in its lowest two bits, and above them, for
   * `split`, where its four quarters begin (south-west, south-east, north-west, north-east) and, for `mixed`, where the
   * distances of its corners from land are: four bytes in the same order, the lowest first, in steps of {@link beltStepKm}.
   */
  coastBelt: 'coast_belt',
} as const;

/** Cells of `coast_belt`: all of it beyond the belt, all within, four quarters, or both. */
export const beltCell = { far: 0, near: 1, split: 2, mixed: 3 } as const;

/** 12 nautical miles. */
export const beltKm = 22.224;

/** More than the belt and the diagonal of the smallest cell fit into a byte. */
export const beltStepKm = 0.25;

/** `place.kind`, in this order. */
export const placeKinds = ['village', 'town', 'city'] as const;

export type PlaceKind = (typeof placeKinds)[number];

/** `area.kind`, in this order. */
export const areaKinds = ['country', 'region', 'island'] as const;

export type AreaKind = (typeof areaKinds)[number];

/** Places in a row of `other_names`. */
export const namesTogether = 64;
