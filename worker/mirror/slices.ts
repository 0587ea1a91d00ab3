import { Buffer } from 'node:buffer';
import type { EditedWaypoint } from './edited-waypoints.ts';

/** Rows changed in one slice: a waypoint and each of its tags is one. With the commit about 5 ms of the main thread. */
const sliceRows = 50;

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

/**
 * Packs slices for the way to the main thread, which gets many waypoints without stopping for them: in shared memory, a
 * line of JSON each.
 */
export function packSlices(slices: Iterable<readonly EditedWaypoint[]>): SharedArrayBuffer {
  const lines = Array.from(slices, (slice) => Buffer.from(`${JSON.stringify(slice)}\n`));
  const length = lines.reduce((sum, line) => sum + line.length, 0);
  const packed = Buffer.from(new SharedArrayBuffer(length));
  let at = 0;
  for (const line of lines) at += line.copy(packed, at);
  return packed.buffer;
}

/** Yields the slices again, each parsed when it is asked for. */
export function* unpackSlices(packed: SharedArrayBuffer): Generator<readonly EditedWaypoint[]> {
  const lines = Buffer.from(packed);
  for (let at = 0; at < lines.length;) {
    const end = lines.indexOf('\n', at);
    // Sound: written by packSlices.
    yield JSON.parse(lines.toString('utf8', at, end)) as EditedWaypoint[];
    at = end + 1;
  }
}
