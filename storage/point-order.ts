import type { Buffer } from 'node:buffer';
import { fail, NumberReader, NumberWriter } from './number-columns.ts';

const writer = new NumberWriter();

/**
 * Encodes in which places the points of a batch lie once they are sorted: `sorted[i]` is where the point lies that is at
 * place `order[i]` of the file. The layout: count, then stretches of neighbours that stay neighbours, each as the distance
 * from the end of the one before (zigzag) and a length.
 */
export function encodeOrder(order: Uint32Array): Buffer {
  const places = new Uint32Array(order.length);
  for (let at = 0; at < order.length; at += 1) places[order[at]!] = at;
  writer.add(places.length);
  let next = 0;
  for (let from = 0; from < places.length;) {
    let to = from + 1;
    while (to < places.length && places[to] === places[to - 1]! + 1) to += 1;
    writer.addSigned(places[from]! - next);
    writer.add(to - from);
    next = places[from]! + to - from;
    from = to;
  }
  return writer.take();
}

/** @returns for each place in the file the place of its point among the sorted ones. @throws DayBlobCorrupt */
export function decodeOrder(blob: Uint8Array): Uint32Array {
  const reader = new NumberReader(blob);
  const places = new Uint32Array(reader.next());
  let next = 0;
  for (let at = 0; at < places.length;) {
    next += reader.nextSigned();
    const end = at + reader.next();
    if (next < 0 || end === at || end > places.length || next + end - at > places.length) fail();
    for (; at < end; at += 1, next += 1) places[at] = next;
  }
  if (!reader.isOver) fail();
  return places;
}
