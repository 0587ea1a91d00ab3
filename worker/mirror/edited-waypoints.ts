import {
  identityText,
  isSameIdentity,
  keyOf,
  keysAround,
  placeText,
} from '../../model/identity.ts';
import { formatTime } from '../../model/time.ts';
import { readGpx } from '../../formats/gpx/read-gpx.ts';
import { deafSink, type MirrorMark, type RecordedWaypoint } from '../../model/recording.ts';

/** With maxEditBytes bounds the memory that a file of many tiny waypoints can take. */
const maxWaypoints = 500_000;

/** The file has more bytes, or more waypoints, than are merged. */
export class TooLarge extends Error {
  override readonly name = 'TooLarge';
}

/** A waypoint of a bookmarks file that another program wrote; texts clean, NFC and within their limits. */
export interface EditedWaypoint extends Omit<RecordedWaypoint, 'timeMs' | 'isOwnBookmark'> {
  /** ISO 8601 UTC. */
  readonly time?: string;
  /** The file holds a neighbouring identity too: this waypoint is meant to be one of its own. */
  readonly isCrowded: boolean;
  /** It has an extension of ours: else it is new, or the program that wrote it keeps none, and of tags it says nothing. */
  readonly isMarked: boolean;
}

/** What a bookmarks file that somebody changed holds. */
export interface EditedFile {
  readonly waypoints: readonly EditedWaypoint[];
  /** Undefined for a file that says nothing of the store it is from, or says so of several. */
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
  let trackPoints = 0;
  readGpx(path, {
    ...deafSink,
    waypoint(waypoint) {
      if (waypoints.length === maxWaypoints) throw new TooLarge();
      waypoints.push(waypoint);
    },
    trackPoint() {
      trackPoints += 1;
    },
    mirrorMark: (mark) => void marks.push(mark),
  });
  const keys = new Set(waypoints.map(placeText));
  return {
    waypoints: waypoints.map((waypoint) => toEdited(waypoint, isCrowded(waypoint, keys))),
    mark: marks.length === 1 ? marks[0] : undefined,
    trackPoints,
  };
}

function toEdited(read: RecordedWaypoint, isCrowded: boolean): EditedWaypoint {
  const { timeMs, isOwnBookmark = false, ...waypoint } = read;
  const isMarked = isOwnBookmark || waypoint.isImported === true;
  const time = timeMs === undefined ? {} : { time: formatTime(timeMs) };
  return { ...waypoint, ...time, isCrowded, isMarked };
}

/** Whether the file holds one of the up to eight identities around this one as well. */
function isCrowded(waypoint: RecordedWaypoint, keys: ReadonlySet<string>): boolean {
  const own = keyOf(waypoint);
  for (const key of keysAround(own))
    if (!isSameIdentity(key, own) && keys.has(identityText(key))) return true;
  return false;
}
