import type { ExportContent, ExportFormat } from '../../model/export.ts';
import type { installAnswerSchema, installCancelSchema } from '../../model/geodata.ts';
import type { ImportState, importsSchema } from '../../model/imports.ts';
import type { Yield } from '../../model/schema.ts';
import type {
  clustersSchema,
  recentSchema,
  storedHistorySchema,
  suggestSchema,
} from '../../model/search.ts';
import type { Tag as WireTag } from '../../model/tag.ts';
import type { Waypoint as WireWaypoint } from '../../model/waypoint.ts';

/** A tag as this layer always gives it: at least `raw` and `display`; the rest when the daemon has enriched it. */
export type Tag = Pick<WireTag, 'raw' | 'display'> & Partial<WireTag>;

/** A waypoint whose tags, if it has any, are objects. */
export interface Waypoint extends Omit<WireWaypoint, 'bookmark' | 'tags'> {
  readonly bookmark?: boolean;
  readonly tags?: readonly Tag[];
}

/** A waypoint that stands alone on the map, or a cluster of several. */
export type ClusterItem = Yield<typeof clustersSchema>[number];
export type SuggestResult = Yield<typeof suggestSchema>;
export type RecentSearches = Yield<typeof recentSchema>;
export type StoredHistory = Yield<typeof storedHistorySchema>;

/** `installed` when the generation was in use already. */
export type InstallAnswer = Yield<typeof installAnswerSchema>;
export type CancelAnswer = Yield<typeof installCancelSchema>;

/** What identifies a waypoint; latitude and longitude in degrees WGS84. */
export interface PlaceInput {
  readonly name: string;
  readonly lat: number;
  readonly lon: number;
}

/** `[west, south, east, north]` in degrees WGS84; west > east crosses the antimeridian. */
export type Bbox = readonly [west: number, south: number, east: number, north: number];

/** Which waypoints `getWaypoints` is to give; all without it. */
export interface WaypointFilter {
  readonly bookmarksOnly?: boolean | undefined;
  readonly bbox?: Bbox | undefined;
  readonly tag?: string | undefined;
}

/** Which page of a list; the first of the usual length without it. */
export interface PageParams {
  readonly limit?: number | undefined;
  /** `next_cursor` of the page before. */
  readonly cursor?: number | undefined;
}

/** What `getChanges` is asked for. */
export interface ChangesParams extends PageParams {
  /** Names and positions, too. */
  readonly details?: boolean | undefined;
}

/** A raw tag, or a tag object, of which `raw` counts. */
export type TagInput = string | Pick<Tag, 'raw'>;

/** What GPX may say about a waypoint beside its note; absent is not said. */
export type MoreFields = {
  readonly [Name in 'sym' | 'type' | 'cmt' | 'src' | 'links']?: WireWaypoint[Name] | undefined;
};

/** A waypoint as a caller hands it over, its own from an earlier answer for example. */
export interface WaypointInput extends PlaceInput, MoreFields {
  /** Metres. */
  readonly ele?: number | undefined;
  /** ISO 8601. */
  readonly time?: string | undefined;
  readonly desc?: string | undefined;
  readonly bookmark?: boolean | undefined;
  readonly tags?: readonly TagInput[] | undefined;
}

/** What `editWaypoint` changes: null clears an optional field, what is left out stays. */
export type WaypointChanges = {
  readonly [Name in 'ele' | 'time' | 'desc' | keyof MoreFields]?: WireWaypoint[Name] | null;
} & Partial<PlaceInput>;

/** What `exportFile` writes: everything, unless it says otherwise. */
export interface ExportParams {
  readonly format?: ExportFormat;
  readonly contents?: readonly ExportContent[];
  readonly bookmarksOnly?: boolean;
  readonly tag?: string;
  /** UTC dates or ISO 8601 times, both included. */
  readonly from?: string;
  readonly to?: string;
  /** West, south, east, north in degrees. */
  readonly bbox?: readonly [number, number, number, number];
}

/** What `getClusters` was asked for; an absent number leaves the choice to the daemon. */
export interface ClusterParams {
  /** 0…24, fractions allowed. */
  readonly zoom: number | undefined;
  /** Cell size in pixels, 8…512. */
  readonly gridSize: number | undefined;
  readonly bookmarksOnly: boolean;
  /** Only waypoints within; absent when it was not asked for. */
  readonly bbox?: Bbox | undefined;
}

/** What `importGpxDirectory` is asked for; `dir` is an absolute path on the daemon's machine. */
export interface ImportParams {
  readonly dir: string;
  readonly recursive?: boolean | undefined;
  /** Only these files, relative to `dir`. */
  readonly files?: readonly string[] | undefined;
  /** Keeps the copies in this sub-folder of the library. */
  readonly into?: string | undefined;
  /** Tells what would come in, and writes nothing. */
  readonly dry_run?: boolean | undefined;
  /** Takes in files that were removed, too. */
  readonly again?: boolean | undefined;
}

/** How `submitTimeline` counts, and what it looks at. */
export interface TimelineOptions {
  /** Whose days are counted: `UTC` (default), `local` (those of the place) or an IANA name. */
  readonly time_zone?: string | undefined;
  /** Ids of imports: only these. */
  readonly sources?: readonly number[] | undefined;
  /** All but these. */
  readonly exclude_sources?: readonly number[] | undefined;
}

/** A page of imported files, newest first. */
export type ImportedFiles = Yield<typeof importsSchema>;

/** Which imported files `getImports` is asked for. */
export interface ImportsFilter {
  /** 1…1,000; 100 unless it says otherwise. */
  readonly limit?: number | undefined;
  /** `next_cursor` of the page before. */
  readonly cursor?: string | undefined;
  /** A piece of the path. */
  readonly q?: string | undefined;
  readonly state?: ImportState | undefined;
}

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
