import type { ChangesQuery } from '../../model/change.ts';
import type { ExportQuery } from '../../model/export.ts';
import type { installAnswerSchema, installCancelSchema } from '../../model/geodata.ts';
import type { ImportRequest } from '../../model/import.ts';
import type { importsSchema, ImportsQuery } from '../../model/imports.ts';
import type { PlacesQuery, SummaryQuery } from '../../model/life.ts';
import type { Bbox, Yield } from '../../model/schema.ts';
import type { recentSchema, storedHistorySchema, suggestSchema } from '../../model/search.ts';
import type { Tag as WireTag } from '../../model/tag.ts';
import type { TimelineRequest } from '../../model/timeline-job.ts';
import type {
  TileQuery,
  trackDaysQuery,
  trackPointsQuery,
  tracksQuery,
} from '../../model/tracks.ts';
import type { WaypointFields } from '../../model/waypoint-fields.ts';
import type { Place, Waypoint as WireWaypoint, WaypointsQuery } from '../../model/waypoint.ts';

export type { Bbox } from '../../model/schema.ts';

/** A tag as this layer always gives it: at least `raw` and `display`; the rest when the daemon has enriched it. */
export type Tag = Pick<WireTag, 'raw' | 'display'> & Partial<WireTag>;

/** A waypoint whose tags, if it has any, are objects. */
export interface Waypoint extends Omit<WireWaypoint, 'bookmark' | 'tags'> {
  readonly bookmark?: boolean;
  readonly tags?: readonly Tag[];
}

/** A waypoint that stands alone on the map, or a cluster of several. */
export type { ClusterItem } from '../../model/search.ts';
export type SuggestResult = Yield<typeof suggestSchema>;
export type RecentSearches = Yield<typeof recentSchema>;
export type StoredHistory = Yield<typeof storedHistorySchema>;

/** `installed` when the generation was in use already. */
export type InstallAnswer = Yield<typeof installAnswerSchema>;
export type CancelAnswer = Yield<typeof installCancelSchema>;

/** The identity of a waypoint; latitude and longitude in degrees WGS84. */
export type PlaceInput = Place;

/** Filter of `getWaypoints`; all waypoints without it. */
export type WaypointFilter = Pick<WaypointsQuery, 'bookmarksOnly' | 'bbox' | 'tag'>;

/** Parameters of `getChanges`. */
export type ChangesParams = ChangesQuery;
/** Page of a list; the first of the usual length without it. */
export type PageParams = Pick<ChangesQuery, 'limit' | 'cursor'>;

/** A raw tag, or a tag object, of which `raw` counts. */
export type TagInput = string | Pick<Tag, 'raw'>;

/** A waypoint as a caller hands it over, its own from an earlier answer for example. */
export interface WaypointInput extends PlaceInput, Readonly<WaypointFields> {
  readonly bookmark?: boolean | undefined;
  readonly tags?: readonly TagInput[] | undefined;
}

/** Changes of `editWaypoint`: null clears an optional field, absent fields stay. */
export type WaypointChanges = {
  readonly [Name in keyof WaypointFields]?: WaypointFields[Name] | null;
} & Partial<PlaceInput>;

/** Parameters of a request as a caller gives them: both ends of a period, which belong to it, as texts. */
type Params<Query> = {
  readonly [Name in keyof Query]: Name extends 'from' | 'to'
    ? string | Extract<Query[Name], undefined>
    : Readonly<Query[Name]>;
};

/** Parameters of `exportFile`, its period in UTC dates or ISO 8601 times; everything without them. */
export type ExportParams = Params<ExportQuery>;

/** Parameters of `getClusters`; the daemon chooses absent numbers. */
export interface ClusterParams {
  /** 0…24, fractions allowed. */
  readonly zoom: number | undefined;
  /** Cell size in pixels, 8…512. */
  readonly gridSize: number | undefined;
  readonly bookmarksOnly: boolean;
  /** Only waypoints within; absent when it was not asked for. */
  readonly bbox?: Bbox | undefined;
}

/** Parameters of `importGpxDirectory`; `dir` is an absolute path on the daemon's machine. */
export interface ImportParams extends Readonly<Omit<ImportRequest, 'files'>> {
  /** Only these files, relative to `dir`. */
  readonly files?: readonly string[] | undefined;
}

/** How `submitTimeline` counts, and what it looks at. */
export type TimelineOptions = Readonly<Omit<TimelineRequest, 'start_date' | 'end_date'>>;

/** A page of imported files, newest first. */
export type ImportedFiles = Yield<typeof importsSchema>;

/** Filter of `getImports`. */
export type ImportsFilter = ImportsQuery;

export type { TileAddress } from '../../model/mercator.ts';

/** A period of UTC dates or ISO 8601 times. */
export type TrackPeriod = Params<Yield<typeof trackDaysQuery>>;

/** A period of dates `YYYY-MM-DD`, by the clock of the place. */
export type DatePeriod = Params<SummaryQuery>;

/** Parameters of `getPlaces`; all places without them, the hundred with most time. */
export type PlacesParams = Params<PlacesQuery>;

/** The layers and the period of a tile; everything without it. */
export type TileParams = Params<TileQuery>;

/** Parameters of `getTracks`; its lines are thinned for a zoom, 10 without one. */
export type TracksParams = Params<Yield<typeof tracksQuery>>;

/** Parameters of `getTrackPoints`: at most a week, perhaps of one import by its id. */
export type TrackPointsParams = Params<Yield<typeof trackPointsQuery>>;

/** How `request` is to ask. Whatever is left out: GET, no body, 8 s, no context. */
export interface RequestOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | undefined;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Milliseconds until the request fails, the answer's body included. */
  readonly timeout?: number | undefined;
  /** Handed back with the signals. */
  readonly context?: unknown;
  readonly onSuccess?: ((result: unknown) => void) | undefined;
  readonly onError?: ((message: string) => void) | undefined;
}

/** The context of the generic signals for a method of its own name; `request` has its caller's instead. */
export interface CallContext {
  readonly method: string;
  readonly args: readonly unknown[];
}
