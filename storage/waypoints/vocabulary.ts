import type { Tag } from '../../model/tag.ts';
import type { Database } from '../database.ts';
import { prepare } from '../prepared.ts';
import { waypointTables } from '../schema/waypoints.ts';
import { parseTag } from './tags.ts';

/** Spellings read, or tags written, in one step of a millisecond or two. */
const stepTags = 512;

/**
 * Makes the list of all tags in use piece by piece: of the spellings of a normal form the one most used, the first made on
 * a tie, with the uses of all of them; sorted by raw form. Empty pieces only mark the end of a step. The connection is
 * inside a read transaction, and is busy until the last piece.
 * @param shown tags as the answer has them.
 */
export function* vocabularyPieces(
  db: Database,
  shown: (tags: readonly Tag[]) => readonly unknown[],
): Generator<string> {
  const found = [];
  let normal: string | undefined;
  let read = 0;
  for (const { uses, ...spelling } of prepare(db, spellings).iterate()) {
    if (spelling.normal !== normal)
      found.push({ ...spelling, key: spelling.raw.toLowerCase(), count: 0 });
    found.at(-1)!.count += uses;
    ({ normal } = spelling);
    read += 1;
    if (read % stepTags === 0) yield '';
  }
  // By code unit: an order that no machine's locale changes.
  found.sort((a, b) => compareText(a.key, b.key) || compareText(a.raw, b.raw));
  yield '{"distinct":true,"tags":[';
  for (let at = 0; at < found.length; at += stepTags) {
    const step = found.slice(at, at + stepTags);
    const tags = step.map(({ enriched, count }) => ({ ...parseTag(enriched), count }));
    yield (at > 0 ? ',' : '') + JSON.stringify(shown(tags)).slice(1, -1);
  }
  yield ']}';
}

/** In the order of the table's key, so that nothing waits for all of it. */
const spellings = () =>
  waypointTables
    .selectFrom('tag_spellings')
    .select(['normal', 'raw', 'enriched', 'uses'])
    .orderBy('normal')
    .orderBy('uses', 'desc')
    .orderBy('first_id');

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
