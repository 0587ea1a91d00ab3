import { Buffer } from 'node:buffer';
import { identityOf, identityText, neighbourKeys } from '../../model/identity.ts';
import { formatTime } from '../../model/time.ts';
import { readGpx, type GpxWaypoint } from '../gpx/read-gpx.ts';
import type { EditedSlices, EditedWaypoint } from './messages.ts';

/** With maxEditBytes bounds the memory that a file of many tiny waypoints can take. */
const maxWaypoints = 500_000;
/** Rows changed in one slice: a waypoint and each of its tags is one. With the commit about 5 ms of the main thread. */
const sliceRows = 50;

/** More waypoints than are merged. */
export class TooManyWaypoints extends Error {
  override readonly name = 'TooManyWaypoints';
}

/** What a bookmarks file that somebody changed holds. */
export interface EditedFile {
  readonly waypoints: readonly EditedWaypoint[];
  readonly trackPoints: number;
}

/**
 * Reads a whole file before anything of it is merged.
 * @throws GpxRefused, TooManyWaypoints
 */
export function readEdited(path: string): EditedFile {
  const waypoints: GpxWaypoint[] = [];
  let trackPoints = 0;
  readGpx(path, {
    waypoint(waypoint) {
      if (waypoints.length === maxWaypoints) throw new TooManyWaypoints();
      waypoints.push(waypoint);
    },
    trackPoint() {
      trackPoints += 1;
    },
  });
  const keys = new Set(waypoints.map(({ name, lat, lon }) => textOf(name, lat, lon)));
  return {
    waypoints: waypoints.map((waypoint) => toEdited(waypoint, isCrowded(waypoint, keys))),
    trackPoints,
  };
}

/**
 * Cuts waypoints into slices of about sliceRows rows. One with more tags than that comes several times, each time with
 * others of its tags, which merges to the same.
 */
export function* slicesOf(
  waypoints: Iterable<EditedWaypoint>,
): Generator<readonly EditedWaypoint[]> {
  let slice: EditedWaypoint[] = [];
  let rows = 0;
  for (const waypoint of waypoints) {
    for (let at = 0; at === 0 || at < waypoint.tags.length; at += sliceRows) {
      const tags = waypoint.tags.slice(at, at + sliceRows);
      if (rows + 1 + tags.length > sliceRows && slice.length > 0) {
        yield slice;
        slice = [];
        rows = 0;
      }
      slice.push({ ...waypoint, tags });
      rows += 1 + tags.length;
    }
  }
  if (slice.length > 0) yield slice;
}

/** Packs slices for the way to the main thread. */
export function packSlices(slices: Iterable<readonly EditedWaypoint[]>): EditedSlices {
  const parts: Buffer[] = [];
  const ends: number[] = [];
  let length = 0;
  for (const slice of slices) {
    const part = Buffer.from(JSON.stringify(slice));
    parts.push(part);
    length += part.length;
    ends.push(length);
  }
  const bytes = new SharedArrayBuffer(length);
  const whole = Buffer.from(bytes);
  for (const [index, part] of parts.entries()) part.copy(whole, ends[index - 1] ?? 0);
  return { bytes, ends };
}

/** Yields the slices again, each parsed when it is asked for. */
export function* unpackSlices({ bytes, ends }: EditedSlices): Generator<readonly EditedWaypoint[]> {
  let start = 0;
  for (const end of ends) {
    const text = Buffer.from(bytes, start, end - start).toString();
    // Sound: written by packSlices.
    yield JSON.parse(text) as EditedWaypoint[];
    start = end;
  }
}

function toEdited({ timeMs, ...waypoint }: GpxWaypoint, isCrowded: boolean): EditedWaypoint {
  return { ...waypoint, ...(timeMs === undefined ? {} : { time: formatTime(timeMs) }), isCrowded };
}

/** Whether the file holds one of the up to eight identities around this one as well. */
function isCrowded({ name, lat, lon }: GpxWaypoint, keys: ReadonlySet<string>): boolean {
  const own = identityOf(name, lat, lon);
  const { latE6Min, latE6Max, lonE6: lonsE6 } = neighbourKeys(own);
  for (let latE6 = latE6Min; latE6 <= latE6Max; latE6 += 1) {
    for (const lonE6 of lonsE6) {
      if (latE6 === own.latE6 && lonE6 === own.lonE6) continue;
      if (keys.has(identityText({ name: own.name, latE6, lonE6 }))) return true;
    }
  }
  return false;
}

function textOf(name: string, lat: number, lon: number): string {
  return identityText(identityOf(name, lat, lon));
}
