/** What makes a stop of observations: the numbers of the detection that its reader may want to know. */
export interface StayParameters {
  /** R: how far from the centre of a stay its observations lie, metres. */
  readonly stopRadiusM: number;
  /** A stay lasts at least this long. */
  readonly minStopSeconds: number;
  /** Two observations further apart in time have a silence between them. */
  readonly silenceSeconds: number;
  /** The longest silence that can be part of a stay: longer ones end it even where both ends agree. */
  readonly maxBridgeSeconds: number;
  /** Stays at one place with at most this pause between them are one. */
  readonly mergeSeconds: number;
  /** A longer excursion ends the stay. */
  readonly excursionSeconds: number;
  /** Stops in one result. */
  readonly maxStops: number;
}

export const stayParameters: StayParameters = {
  stopRadiusM: 100,
  minStopSeconds: 300,
  silenceSeconds: 900,
  maxBridgeSeconds: 129_600,
  mergeSeconds: 600,
  excursionSeconds: 180,
  maxStops: 10_000,
};

/** Rows of places in one result. */
export const maxPlaceRows = 10_000;
