import { Buffer } from 'node:buffer';
import type { EditedSlices, EditedWaypoint } from './messages.ts';

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
