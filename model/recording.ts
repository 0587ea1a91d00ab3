import type { FailureReason } from './import.ts';
import type { TripMode } from './timeline-result.ts';
import type { FieldNameOf, LineField, WaypointFields } from './waypoint-fields.ts';

/** A point with usable coordinates: degrees WGS84, metres, integer ms UTC. */
export interface RecordedPoint {
  readonly lat: number;
  readonly lon: number;
  readonly ele?: number;
  readonly timeMs?: number;
}

/** Texts and links: clean, NFC, within the limits, never empty. */
export type RecordedTexts = {
  readonly [Name in FieldNameOf<'text' | 'note' | 'links'>]?: NonNullable<WaypointFields[Name]>;
};

/** A waypoint as it is stored; `name` is never empty. */
export interface RecordedWaypoint extends RecordedPoint, RecordedTexts {
  readonly name: string;
  /** Tags our own export and mirror put into `extensions`. */
  readonly tags: readonly string[];
  /** One of our own exports says that it was a bookmark: no observation, because it was typed in. */
  readonly isOwnBookmark?: true;
  /** A bookmarks file of an older version says that it is an imported waypoint, there for its tags. */
  readonly isImported?: true;
  /** Set in a bookmarks file. */
  readonly stamp?: BookmarkStamp;
}

/** A bookmark's id and last change, as the bookmarks file has them. */
export interface BookmarkStamp {
  /** UUID. */
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly changed: number;
  /** Hash of the content it had when a store of ours wrote it: another content is a hand edit. */
  readonly hash: string;
}

/** The store that wrote a bookmarks file, and when. */
export interface MirrorMark {
  /** Id of the store: lower-case hex. */
  readonly store: string;
  /** Milliseconds since 1970; each file of a store has a later time than the one before. */
  readonly written: number;
}

/** A deleted bookmark in a bookmarks file. */
export interface Tombstone {
  /** UUID. */
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Name and texts of a track or route. */
export interface LineTexts extends Pick<RecordedTexts, LineField> {
  readonly name?: string;
}

export type LineKind = 'track' | 'route';

/** A point of a track or route: degrees, metres, ms; NaN for no elevation and no time. */
export interface LinePoint {
  readonly lat: number;
  readonly lon: number;
  readonly ele: number;
  readonly timeMs: number;
  readonly name: string | undefined;
}

/** Neighbouring points of one segment. */
export interface LinePoints {
  readonly kind: LineKind;
  /** Another number for each line, and within it for each segment. */
  readonly line: number;
  readonly segment: number;
  readonly texts: LineTexts;
  readonly points: readonly LinePoint[];
}

/** A time that a recorder says something of, ms UTC; `endMs` is later than `startMs`. */
interface StatedSpan {
  readonly startMs: number;
  readonly endMs: number;
}

/** A stay that a recorder states: where, degrees. */
export interface StatedVisit extends StatedSpan {
  readonly lat: number;
  readonly lon: number;
}

/** A way whose mode a recorder states. */
export interface StatedMode extends StatedSpan {
  readonly mode: TripMode;
}

/**
 * Gets what a file holds, in its order, while it is read: who stores it undoes that when reading throws. Readers do not
 * call it, but the {@link Recording} in front of it, which checks, cleans and counts. Coordinates are usable always.
 */
export interface RecordingSink {
  waypoint(waypoint: RecordedWaypoint): void;
  /** A track or route begins; called before its first point, and so never for one without. */
  line(kind: LineKind, id: number): void;
  /** Another segment of the same track begins. */
  segment(): void;
  /**
   * @param ele metres, NaN for none.
   * @param timeMs NaN for none: the point is kept, and is no observation.
   * @param accuracyM radius in metres that the recorder states; NaN or left out for none. Not stored yet.
   */
  trackPoint(lat: number, lon: number, ele: number, timeMs: number, accuracyM?: number): void;
  /** @param name empty for none. */
  routePoint(lat: number, lon: number, ele: number, name: string): void;
  /** Texts of a line: at most once for each, at any time; also for a line that never gets a point. */
  lineTexts(id: number, texts: LineTexts): void;
  visit?(visit: StatedVisit): void;
  mode?(mode: StatedMode): void;
  mirrorMark?(mark: MirrorMark): void;
  tombstone?(tombstone: Tombstone): void;
}

/** Hears nothing; for those who want to hear something only. */
export const nullSink: RecordingSink = {
  waypoint() {},
  line() {},
  segment() {},
  trackPoint() {},
  routePoint() {},
  lineTexts() {},
};

/** Content of a file. Route points are in no count but their own. */
export interface RecordingSummary {
  /** Waypoints with usable coordinates. */
  readonly waypoints: number;
  /** Those of them that were bookmarks when we exported them. */
  readonly ownBookmarks: number;
  /** Track points with usable coordinates, timed or not, and the tracks that have any. */
  readonly trackPoints: number;
  readonly tracks: number;
  readonly routePoints: number;
  readonly routes: number;
  /** Waypoints and track points with usable coordinates and a valid time, without own bookmarks. */
  readonly observations: number;
  /** Points with usable coordinates and without a time, or with an empty one. */
  readonly missingTimes: number;
  /** Points with usable coordinates and a time that is none. */
  readonly invalidTimes: number;
  /** Points of all kinds without coordinates, or outside −90…90, −180…180. */
  readonly unusablePoints: number;
  /** The earliest and the latest observation, ms UTC. */
  readonly firstMs?: number;
  readonly lastMs?: number;
  /** Where only what is before the damage was read. */
  readonly broken?: Damage;
}

/** Where a file is damaged. */
export interface Damage {
  readonly reason: FailureReason;
  /** Bytes that were read before. */
  readonly at: number;
  /** From 1, where the format has lines or records. */
  readonly line: number | undefined;
  readonly record: number | undefined;
}
