import {
  identityText,
  isSameIdentity,
  keyOf,
  keysAround,
  placeText,
} from '../../model/identity.ts';
import { formatTime } from '../../model/time.ts';
import { fileBlocks } from '../../storage/open-file.ts';
import { readGpx } from '../../formats/gpx/read-gpx.ts';
import {
  nullSink,
  type MirrorMark,
  type RecordedWaypoint,
  type Tombstone,
} from '../../model/recording.ts';

/** With maxEditBytes bounds the memory that a file of many tiny waypoints can take. */
const maxWaypoints = 500_000;

/** The file has more bytes, or more waypoints, than are merged. */
export class TooLarge extends Error {
  override readonly name = 'TooLarge';
}

/** A waypoint of a bookmarks file; texts clean, NFC and within their limits. */
export interface EditedWaypoint extends Omit<RecordedWaypoint, 'timeMs' | 'isOwnBookmark'> {
  /** ISO 8601 UTC. */
  readonly time?: string;
  /** The file holds a neighbouring identity too: this waypoint is meant to be one of its own. */
  readonly isCrowded: boolean;
  /** Written by waypointd. */
  readonly isOwnBookmark: boolean;
}

/** A bookmarks file that another program, or another store, has written. */
export interface EditedFile {
  readonly waypoints: readonly EditedWaypoint[];
  readonly tombstones: readonly Tombstone[];
  /** Undefined for a file without a mark, or with several. */
  readonly mark: MirrorMark | undefined;
  readonly trackPoints: number;
}

/**
 * Reads a whole file before anything of it is merged.
 * @throws FileRefused, TooLarge
 */
export function readEdited(path: string): EditedFile {
  const waypoints: RecordedWaypoint[] = [];
  const marks: MirrorMark[] = [];
  const tombstones: Tombstone[] = [];
  let trackPoints = 0;
  readGpx(fileBlocks(path), {
    ...nullSink,
    waypoint(waypoint) {
      if (waypoints.length === maxWaypoints) throw new TooLarge();
      waypoints.push(waypoint);
    },
    trackPoint() {
      trackPoints += 1;
    },
    mirrorMark: (mark) => void marks.push(mark),
    tombstone(tombstone) {
      if (tombstones.length === maxWaypoints) throw new TooLarge();
      tombstones.push(tombstone);
    },
  });
  const keys = new Set(waypoints.map(placeText));
  return {
    waypoints: waypoints.map((waypoint) => toEdited(waypoint, isCrowded(waypoint, keys))),
    tombstones,
    mark: marks.length === 1 ? marks[0] : undefined,
    trackPoints,
  };
}

function toEdited(read: RecordedWaypoint, isCrowded: boolean): EditedWaypoint {
  const { timeMs, isOwnBookmark = false, ...waypoint } = read;
  const time = timeMs === undefined ? {} : { time: formatTime(timeMs) };
  return { ...waypoint, ...time, isCrowded, isOwnBookmark };
}

/** Whether the file holds one of the up to eight identities around this one as well. */
function isCrowded(waypoint: RecordedWaypoint, keys: ReadonlySet<string>): boolean {
  const own = keyOf(waypoint);
  for (const key of keysAround(own))
    if (!isSameIdentity(key, own) && keys.has(identityText(key))) return true;
  return false;
}
