/** The parameters of stop detection that the result names. */
export const stayParameters = {
  /** R: how far from the centre of a stay its observations lie, metres. */
  stopRadiusM: 100,
  /** A stay lasts at least this long. */
  minStopSeconds: 300,
  /** Two observations further apart in time have a silence between them. */
  silenceSeconds: 900,
  /** The longest silence that can be part of a stay: longer ones end it even where both ends agree. */
  maxBridgeSeconds: 129_600,
  /** Stays at one place with at most this pause between them are one. */
  mergeSeconds: 600,
  /** A longer excursion ends the stay. */
  excursionSeconds: 180,
  /** Stops in one result. */
  maxStops: 10_000,
};
export type StayParameters = Readonly<typeof stayParameters>;

/** Rows of places in one result. */
export const maxPlaceRows = 10_000;
