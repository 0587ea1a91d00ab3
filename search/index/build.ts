import { worldY } from '../../model/mercator.ts';
import type { Place } from '../../model/waypoint.ts';
import { blocksLength, fillBlocks } from './blocks.ts';
import { emptySearchIndex, type SearchIndexData } from './data.ts';
import { NameColumns } from './name-columns.ts';
import { rankNames, type RankedNames } from './name-order.ts';
import { pairSignature } from './pair-signature.ts';
import { release, sharedBytes, sharedDoubles, sharedIntegers } from './memory.ts';
import { copyText, type TextColumn } from './text-column.ts';
import { WordStarts } from './word-starts.ts';
import { zOrder } from './z-order.ts';

interface Columns {
  readonly lat: Float64Array<ArrayBuffer>;
  readonly lon: Float64Array<ArrayBuffer>;
  readonly y: Float64Array<ArrayBuffer>;
  readonly names: TextColumn;
  readonly folded: TextColumn;
}

/**
 * Builds the search index of the imported waypoints, about one second for a million of them. Runs in the worker.
 * @param rows The waypoints shown, each identity once, in list order; exactly `count` of them are taken.
 * @throws RangeError if there are fewer rows than `count`.
 */
export function buildSearchIndex(
  rows: Iterable<Place>,
  count: number,
  revision: string,
): SearchIndexData {
  if (count === 0) return emptySearchIndex(revision);
  // Each step gives back what only it needs before the next one takes more.
  const columns = readColumns(rows, count);
  const ranked = rankNames(columns);
  const positions = zOrder(columns.lon, columns.y);
  const raw = rawNames(columns.names, positions);
  const lat = inOrder(columns.lat, positions);
  const lon = inOrder(columns.lon, positions);
  const y = inOrder(columns.y, positions);
  const blocks = sharedDoubles(blocksLength(count));
  fillBlocks(blocks, lat, lon);
  const folded = foldedNames(ranked, positions);
  return { revision, count, lat, lon, y, blocks, ...raw, ...folded };
}

function readColumns(rows: Iterable<Place>, count: number): Columns {
  const lat = new Float64Array(count);
  const lon = new Float64Array(count);
  const y = new Float64Array(count);
  const texts = new NameColumns();
  const { names, folded } = texts;
  for (const row of rows) {
    const at = names.count;
    if (at === count) break;
    lat[at] = row.lat;
    lon[at] = row.lon;
    y[at] = worldY(row.lat);
    texts.append(row.name);
  }
  if (names.count < count) throw new RangeError('Fewer waypoints than announced.');
  return { lat, lon, y, names, folded };
}

function rawNames(
  texts: TextColumn,
  positions: Uint32Array,
): Pick<SearchIndexData, 'names' | 'nameStart'> {
  const { bytes, start, count } = texts;
  const nameStart = sharedIntegers(count + 1);
  const names = sharedBytes(start[count]!);
  let end = 0;
  for (let position = 0; position < count; position += 1) {
    const at = positions[position]!;
    end = copyText(bytes, start[at]!, start[at + 1]!, names, end);
    nameStart[position + 1] = end;
  }
  texts.release();
  return { names, nameStart };
}

function foldedNames(
  { order, folded, foldedStart }: RankedNames,
  positions: Uint32Array<ArrayBuffer>,
): FoldedNames {
  const byName = sharedIntegers(order.length);
  const pairs = sharedIntegers(order.length);
  const words = new WordStarts();
  const positionOf = inverse(positions);
  for (let rank = 0; rank < order.length; rank += 1) {
    const start = foldedStart[rank]!;
    const end = foldedStart[rank + 1]! - 1;
    byName[rank] = positionOf[order[rank]!]!;
    pairs[rank] = pairSignature(folded, start, end);
    words.add(folded, start, end);
  }
  release(order, positions, positionOf);
  return { byName, folded, foldedStart, pairs, wordStarts: words.take() };
}
type FoldedNames = Pick<
  SearchIndexData,
  'byName' | 'folded' | 'foldedStart' | 'pairs' | 'wordStarts'
>;

function inverse(order: Uint32Array): Uint32Array<ArrayBuffer> {
  const inverted = new Uint32Array(order.length);
  for (let i = 0; i < order.length; i += 1) inverted[order[i]!] = i;
  return inverted;
}

/** Gives the memory of `values` back. */
function inOrder(values: Float64Array<ArrayBuffer>, order: Uint32Array): Float64Array {
  const shared = sharedDoubles(order.length);
  // Adding 0 turns −0 into 0.
  for (let i = 0; i < order.length; i += 1) shared[i] = values[order[i]!]! + 0;
  release(values);
  return shared;
}
