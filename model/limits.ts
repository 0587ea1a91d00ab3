/** The limits of the specification (section 8) and of the contract, each with its unit in the name. */
export const limits = {
  port: 43_098,
  bodyBytes: 1_048_576,
  connections: 256,
  /** Connections without a valid token: the others are room for the owner. */
  strangers: 64,
  /** Proofs of `GET /healthz` for clients that have not shown that they know the token; one more is `busy`. */
  strangersProofsPerSecond: 200,
  headersTimeoutMs: 5_000,
  requestTimeoutMs: 15_000,
  connectionSweepMs: 1_000,
  /** A streamed answer whose reader takes nothing for this long is ended. */
  drainTimeoutMs: 15_000,
  /** Streams that may read the database at once; one more is `busy`. */
  streams: 4,
  /** Big cluster answers at once; one more is `busy`. */
  clusterStreams: 2,
  /** Longest synchronous piece of work between two turns of the main thread. */
  sliceMs: 10,
  /** Requests may end so long at a stop, which is to take 5 s in all. */
  shutdownMs: 4_500,
  /** A stop in order that takes longer ends as by SIGKILL, ms. */
  stopMs: 10_000,
  nameCodePoints: 512,
  tagCodePoints: 128,
  /** Code points of a note or a comment. */
  descCodePoints: 8_192,
  /** Code points of a symbol, a type, a source or the text of a link. */
  fieldCodePoints: 512,
  /** Links of one waypoint, track or route. */
  links: 8,
  linkCodePoints: 2_048,
  queryCodePoints: 256,
  historyEntries: 10_000,
  /** Searches in one request: more than are kept, so that a client may hand over all it has. */
  historyPerRequest: 20_000,
  /** Tags in one request. */
  tagsPerRequest: 1_000,
  /** Tags of one waypoint, however many requests they came in. */
  tagsPerWaypoint: 1_000,
  recentDefault: 10,
  recentMax: 200,
  suggestLocal: 8,
  /** Local ones and places of the world together. */
  suggestTotal: 12,
  zoomMax: 24,
  gridMin: 8,
  gridMax: 512,
  gridDefault: 60,
  locationMaxAgeMs: 120_000,
  /** The longest that a location service may take for one step, such as a connection or an answer. */
  locationTimeoutMs: 5_000,
  /** Nobody asked where the machine is for this long: the sources are let go. */
  locationIdleMs: 300_000,
  timelineQueued: 8,
  timelineTracked: 16,
  timelineRetentionMs: 15 * 60_000,
  /** Time of execution; waiting in the queue does not count. */
  timelineDeadlineMs: 10 * 60_000,
  timelineDays: 7_320,
  /** All results together, compressed; the oldest goes first. */
  timelineResultBytes: 64_000_000,
  /** How long a partly received generation is kept after its install stopped. */
  geodataPartialMs: 14 * 24 * 3_600_000,
  /** A server of geodata may be silent for so long. */
  geodataStallMs: 30_000,
  /** Free space left on the disk after an install. */
  geodataSpareBytes: 67_108_864,
  mirrorDebounceMs: 1_000,
  /** An unreadable bookmarks file is given up once it has stood unchanged this long: editors and sync programs write in steps. */
  mirrorSettleMs: 10_000,
  /** How long changes can be taken back. */
  journalMs: 30 * 24 * 3_600_000,
  /** Changes kept; the oldest goes first. */
  journalChanges: 100_000,
  /** A hand edit of the bookmarks file that deletes more at once, or more than half of at least so few, is held back. */
  mirrorDeletions: 20,
  mirrorDeletionsOfFew: 6,
  /** Deleted bookmarks that the store and its bookmarks file remember: so long, and so many. */
  tombstoneMs: 90 * 24 * 3_600_000,
  tombstones: 10_000,
  /** In one page of changes. */
  changesMax: 200,
  changesDefault: 50,
  /** Rows of one change. */
  changeDetails: 20,
  /** In one page of hidden waypoints. */
  hiddenMax: 1_000,
  hiddenDefault: 100,
  /** Uploads that come in or wait to be imported; one more is `busy`. */
  uploads: 16,
  uploadBytes: 4 * 2 ** 30,
  watchedFolders: 64,
  /** Sub-folders of one watched folder; further ones are not watched. */
  watchedFiles: 100_000,
  /** A watched file is imported when it has not changed for this long. */
  watchStillMs: 5_000,
  tileZoomMax: 16,
  /** Waypoints stand by themselves from this zoom on; below it they are clusters. */
  tileWaypointZoom: 12,
  /** Waypoints of one tile; where there are more, they are clusters. */
  tileWaypoints: 1_000,
  /** Tiles and lists of tracks that wait for the thread that makes them; one more is `busy`. */
  tilesWaiting: 64,
  /** The longest that a tile or a list of tracks may take. */
  tileDeadlineMs: 10_000,
  /** Lines in one list of tracks. */
  tracksMax: 5_000,
  /** Lines in one list of tracks. */
  tracksBytes: 2_000_000,
  /** In one list of days with tracks. */
  trackDaysMax: 20_000,
  trackPointsMax: 5_000,
  /** The longest period of one list of points: a week. */
  trackPointsMs: 7 * 24 * 3_600_000,
  /** Corrections of timelines. */
  corrections: 10_000,
  /** In one list of places. */
  placesMax: 1_000,
  placesDefault: 100,
  replacedRetentionMs: 30 * 24 * 3_600_000,
} as const;
