import { Buffer } from 'node:buffer';
import type { MergeStep } from './plan-merge.ts';

/** Rows changed in one slice: a waypoint and each of its tags is one. With the commit about 5 ms of the main thread. */
const sliceRows = 50;

/**
 * Cuts steps into slices of about sliceRows rows. A waypoint with more tags than that comes several times, each time with
 * others of its tags, which merges to the same.
 */
export function* slicesOf(steps: Iterable<MergeStep>): Generator<readonly MergeStep[]> {
  let slice: MergeStep[] = [];
  let rows = 0;
  for (const whole of steps) {
    for (const step of partsOf(whole)) {
      if (rows + rowsOf(step) > sliceRows && slice.length > 0) {
        yield slice;
        slice = [];
        rows = 0;
      }
      slice.push(step);
      rows += rowsOf(step);
    }
  }
  if (slice.length > 0) yield slice;
}

function* partsOf(step: MergeStep): Generator<MergeStep> {
  if (step.do !== 'add') return yield step;
  const { waypoint } = step;
  for (let at = 0; at === 0 || at < waypoint.tags.length; at += sliceRows) {
    const tags = waypoint.tags.slice(at, at + sliceRows);
    yield { do: 'add', waypoint: { ...waypoint, tags } };
  }
}

function rowsOf(step: MergeStep): number {
  if (step.do === 'add') return 1 + step.waypoint.tags.length;
  return step.do === 'change' ? 1 + step.addTags.length + step.removeTags.length : 1;
}

/**
 * Packs slices for the way to the main thread, which gets many steps without stopping for them: in shared memory, a
 * line of JSON each.
 */
export function packSlices(slices: Iterable<readonly MergeStep[]>): SharedArrayBuffer {
  const lines = Array.from(slices, (slice) => Buffer.from(`${JSON.stringify(slice)}\n`));
  const length = lines.reduce((sum, line) => sum + line.length, 0);
  const packed = Buffer.from(new SharedArrayBuffer(length));
  let at = 0;
  for (const line of lines) at += line.copy(packed, at);
  return packed.buffer;
}

/** Yields the slices again, each parsed when it is asked for. */
export function* unpackSlices(packed: SharedArrayBuffer): Generator<readonly MergeStep[]> {
  const lines = Buffer.from(packed);
  for (let at = 0; at < lines.length;) {
    const end = lines.indexOf('\n', at);
    // Sound: written by packSlices.
    yield JSON.parse(lines.toString('utf8', at, end)) as MergeStep[];
    at = end + 1;
  }
}
