import { Buffer } from 'node:buffer';
import type { ByteCursor } from '../xml/byte-cursor.ts';

/** Elements that are points, by their names. */
export type PointElement = 'trkpt' | 'rtept' | 'wpt';

const ascii = (text: string): Buffer => Buffer.from(text, 'latin1');
export const words = {
  trkpt: { start: ascii('<trkpt'), end: ascii('</trkpt') },
  rtept: { start: ascii('<rtept'), end: ascii('</rtept') },
  wpt: { start: ascii('<wpt'), end: ascii('</wpt') },
  ele: { start: ascii('<ele>'), end: ascii('</ele'), tag: ascii('</ele>') },
  time: { start: ascii('<time>'), end: ascii('</time'), tag: ascii('</time>') },
  extensions: ascii('<extensions'),
  tags: ascii('tags'),
  bookmark: ascii('bookmark'),
} as const;

type TextName = 'name' | 'desc' | 'sym' | 'cmt' | 'type' | 'src';
export type Texts = Partial<Record<TextName, string>>;

const texts = (...names: readonly TextName[]) =>
  names.map((name) => ({ name, start: ascii(`<${name}>`), end: ascii(`</${name}`) }));

/** Children that are texts. */
export const textsOf = {
  trkpt: [],
  rtept: texts('name'),
  wpt: texts('name', 'desc', 'sym', 'cmt', 'type', 'src'),
} as const;

/** Children that say something about a point: which must be found whatever their prefix. */
const meaningful = {
  trkpt: ['ele', 'time'].map(ascii),
  rtept: ['ele', 'name'].map(ascii),
  wpt: ['ele', 'time', 'extensions', 'link', 'url', 'urlname']
    .concat(textsOf.wpt.map(({ name }) => name))
    .map(ascii),
} as const;

const openAngle = 0x3c;
const closeAngle = 0x3e;
const slash = 0x2f;
const colon = 0x3a;

/** Whether the element that begins here says something about the point, whatever its prefix. */
export function isMeaningful(element: PointElement, { bytes, at }: ByteCursor): boolean {
  let start = at + 1;
  let end = start;
  let hasPrefix = false;
  for (; isInName(bytes[end]!); end += 1) {
    if (bytes[end] !== colon || hasPrefix) continue;
    hasPrefix = true;
    start = end + 1;
  }
  return meaningful[element].some((name) => isName(name, bytes, start, end));
}

function isName(name: Buffer, bytes: Buffer, start: number, end: number): boolean {
  return end - start === name.length && bytes.compare(name, 0, name.length, start, end) === 0;
}

/** Ends a name at the latest where the tag ends; what is no name at all fails later. */
function isInName(byte: number): boolean {
  return byte > 0x20 && byte !== slash && byte !== closeAngle && byte !== openAngle;
}
