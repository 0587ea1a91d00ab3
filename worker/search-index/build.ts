import { foldName } from '../../model/fold.ts';
import { worldY } from '../../model/mercator.ts';
import { blocksLength, fillBlocks } from './blocks.ts';
import { emptySearchIndex, type IndexedWaypoint, type SearchIndexData } from './data.ts';
import { nameOrder } from './name-order.ts';
import { pairSignature } from './pair-signature.ts';
import { TextColumn } from './text-column.ts';
import { WordStarts } from './word-starts.ts';
import { zOrder } from './z-order.ts';

interface Columns {
  readonly lat: Float64Array;
  readonly lon: Float64Array;
  readonly y: Float64Array;
  readonly names: TextColumn;
  readonly folded: TextColumn;
}

/**
 * Builds the search index of the imported waypoints, about one second for a million of them. Runs in the worker.
 * @param rows The waypoints shown, each identity once, in list order; exactly `count` of them are taken.
 * @throws RangeError if there are fewer rows than `count`.
 */
export function buildSearchIndex(
  rows: Iterable<IndexedWaypoint>,
  count: number,
  revision: string,
): SearchIndexData {
  if (count === 0) return emptySearchIndex(revision);
  const columns = readColumns(rows, count);
  const positions = zOrder(columns.lon, columns.y);
  const lat = sharedDoubles(columns.lat, positions);
  const lon = sharedDoubles(columns.lon, positions);
  const blocks = new Float64Array(new SharedArrayBuffer(blocksLength(count) * 8));
  fillBlocks(blocks, lat, lon);
  return {
    revision,
    count,
    lat,
    lon,
    y: sharedDoubles(columns.y, positions),
    blocks,
    ...rawNames(columns.names, positions),
    ...foldedNames(columns, positions),
  };
}

function readColumns(rows: Iterable<IndexedWaypoint>, count: number): Columns {
  const lat = new Float64Array(count);
  const lon = new Float64Array(count);
  const y = new Float64Array(count);
  const names = new TextColumn();
  const folded = new TextColumn();
  for (const row of rows) {
    const at = names.count;
    if (at === count) break;
    lat[at] = row.lat;
    lon[at] = row.lon;
    y[at] = worldY(row.lat);
    names.append(jsonText(row.name));
    folded.append(searchText(row.name));
  }
  if (names.count < count) throw new RangeError('Fewer waypoints than announced.');
  return { lat, lon, y, names, folded };
}

/** Surrogates only because a lone one would need it. */
const needsEscape = /["\\\p{Cc}\ud800-\udfff]/u;

/** The text as it stands between the quotes of a JSON string. */
function jsonText(text: string): string {
  return needsEscape.test(text) ? JSON.stringify(text).slice(1, -1) : text;
}

/** Zero bytes end names; the import lets none in, but then a search would find the wrong name. */
function searchText(name: string): string {
  const folded = foldName(name);
  return folded.includes('\0') ? folded.replaceAll('\0', ' ') : folded;
}

function rawNames(names: TextColumn, positions: Uint32Array): RawNames {
  const nameStart = sharedIntegers(positions.length + 1);
  const bytes = sharedBytes(names.start[names.count]!);
  let end = 0;
  for (let position = 0; position < positions.length; position += 1) {
    end = copyText(names, positions[position]!, bytes, end);
    nameStart[position + 1] = end;
  }
  return { names: bytes, nameStart };
}
type RawNames = Pick<SearchIndexData, 'names' | 'nameStart'>;

function foldedNames(columns: Columns, positions: Uint32Array): FoldedNames {
  const { folded } = columns;
  const byName = sharedIntegers(folded.count);
  const foldedStart = sharedIntegers(folded.count + 1);
  const bytes = sharedBytes(folded.start[folded.count]! + folded.count);
  const pairs = sharedIntegers(folded.count);
  const words = new WordStarts();
  const positionOf = inverse(positions);
  const order = nameOrder(columns);
  let start = 0;
  for (let rank = 0; rank < order.length; rank += 1) {
    const at = order[rank]!;
    byName[rank] = positionOf[at]!;
    const end = copyText(folded, at, bytes, start);
    pairs[rank] = pairSignature(bytes, start, end);
    words.add(bytes, start, end);
    start = end + 1;
    foldedStart[rank + 1] = start;
  }
  const places = words.places();
  const wordStarts = sharedIntegers(places.length);
  wordStarts.set(places);
  return { byName, folded: bytes, foldedStart, pairs, wordStarts };
}
type FoldedNames = Pick<
  SearchIndexData,
  'byName' | 'folded' | 'foldedStart' | 'pairs' | 'wordStarts'
>;

/** A loop, because a native copy costs more than a name is long. */
function copyText(texts: TextColumn, at: number, target: Uint8Array, targetStart: number): number {
  const { bytes } = texts;
  const end = texts.start[at + 1]!;
  let to = targetStart;
  for (let from = texts.start[at]!; from < end; from += 1, to += 1) target[to] = bytes[from]!;
  return to;
}

function inverse(order: Uint32Array): Uint32Array {
  const inverted = new Uint32Array(order.length);
  for (let i = 0; i < order.length; i += 1) inverted[order[i]!] = i;
  return inverted;
}

function sharedDoubles(values: Float64Array, order: Uint32Array): Float64Array {
  const shared = new Float64Array(new SharedArrayBuffer(order.length * 8));
  // Adding 0 turns −0 into 0.
  for (let i = 0; i < order.length; i += 1) shared[i] = values[order[i]!]! + 0;
  return shared;
}

function sharedIntegers(length: number): Uint32Array {
  return new Uint32Array(new SharedArrayBuffer(length * 4));
}

function sharedBytes(length: number): Uint8Array {
  return new Uint8Array(new SharedArrayBuffer(length));
}
