import { Buffer } from 'node:buffer';
import { putNumber, zigzag } from './day-blob.ts';
import { fail, NumberReader, unzigzag } from './number-columns.ts';

/** Two numbers of at most five bytes for each point. */
const worstBytes = 10;

/**
 * Encodes in which places the points of a batch lie once they are sorted: `sorted[i]` is where the point lies that is at
 * place `order[i]` of the file. The layout: count, then stretches of neighbours that stay neighbours, each as the distance
 * from the end of the one before (zigzag) and a length.
 */
export function encodeOrder(order: Uint32Array): Buffer {
  const places = new Uint32Array(order.length);
  for (let at = 0; at < order.length; at += 1) places[order[at]!] = at;
  const out = Buffer.allocUnsafe(5 + worstBytes * places.length);
  let at = putNumber(out, 0, places.length);
  let next = 0;
  for (let from = 0; from < places.length;) {
    let to = from + 1;
    while (to < places.length && places[to] === places[to - 1]! + 1) to += 1;
    at = putNumber(out, at, zigzag(places[from]! - next));
    at = putNumber(out, at, to - from);
    next = places[from]! + to - from;
    from = to;
  }
  return Buffer.from(out.subarray(0, at));
}

/** @returns for each place in the file the place of its point among the sorted ones. @throws DayBlobCorrupt */
export function decodeOrder(blob: Uint8Array): Uint32Array {
  const reader = new NumberReader(blob, 0);
  const places = new Uint32Array(reader.next());
  let next = 0;
  for (let at = 0; at < places.length;) {
    next += unzigzag(reader.next());
    const end = at + reader.next();
    if (next < 0 || end === at || end > places.length || next + end - at > places.length) fail();
    for (; at < end; at += 1, next += 1) places[at] = next;
  }
  if (reader.at !== blob.length) fail();
  return places;
}
