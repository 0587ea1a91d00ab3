/**
 * The imported waypoints in the form that clusters and suggest search, about 70 bytes each. All arrays lie in shared
 * memory, so that the import worker hands them to the main thread without a copy; they are not written to afterwards.
 *
 * A *position* counts waypoints along a Z-order curve, so that neighbours on the map are neighbours in memory. A *rank*
 * counts them by folded name (order of UTF-8 bytes, which is that of code points), then lat, lon, then order of arrival.
 */
export interface SearchIndexData {
  /** The state of the library that it was made of. */
  readonly revision: string;
  readonly count: number;
  /** By position, degrees WGS84. */
  readonly lat: Float64Array;
  /** By position, degrees WGS84. */
  readonly lon: Float64Array;
  /** By position: the latitude in the Web Mercator world (0…1), because projecting at each request would be dear. */
  readonly y: Float64Array;
  /** Where each block of positions reaches, so that most searches pass over it at once: see blocks.ts. */
  readonly blocks: Float64Array;
  /** Names by position, UTF-8, escaped as in a JSON string but without the quotes. */
  readonly names: Uint8Array;
  /** Position → where its name begins in `names`; one entry more for the end. */
  readonly nameStart: Uint32Array;
  /** Rank → position. */
  readonly byName: Uint32Array;
  /** Folded names by rank, UTF-8, each followed by a zero byte, which no name has. */
  readonly folded: Uint8Array;
  /** Rank → where its folded name begins in `folded`; one entry more for the end. */
  readonly foldedStart: Uint32Array;
  /** By rank: which pairs of bytes a folded name has, see pair-signature.ts. */
  readonly pairs: Uint32Array;
  /** Ascending places in `folded` where a word begins that is not the first of its name. */
  readonly wordStarts: Uint32Array;
}

/** Gives the index of a library without waypoints; costs nothing. */
export function emptySearchIndex(revision = ''): SearchIndexData {
  return {
    revision,
    count: 0,
    lat: new Float64Array(0),
    lon: new Float64Array(0),
    y: new Float64Array(0),
    blocks: new Float64Array(0),
    names: new Uint8Array(0),
    nameStart: new Uint32Array(1),
    byName: new Uint32Array(0),
    folded: new Uint8Array(0),
    foldedStart: new Uint32Array(1),
    pairs: new Uint32Array(0),
    wordStarts: new Uint32Array(0),
  };
}
