import { Buffer } from 'node:buffer';
import { closeAngle, colon, openAngle, slash } from '../ascii.ts';
import { textFields, type TextField } from '../../model/waypoint-fields.ts';
import { wordOf, type ByteCursor } from '../xml/byte-cursor.ts';

/** Elements that are points, by their names. */
export type PointElement = 'trkpt' | 'rtept' | 'wpt';

const ascii = (text: string): Buffer => Buffer.from(text, 'latin1');
export const words = {
  trkpt: { start: wordOf('<trkpt'), end: wordOf('</trkpt') },
  rtept: { start: wordOf('<rtept'), end: wordOf('</rtept') },
  wpt: { start: wordOf('<wpt'), end: wordOf('</wpt') },
  ele: { start: wordOf('<ele>'), end: wordOf('</ele'), tag: wordOf('</ele>') },
  time: { start: wordOf('<time>'), end: wordOf('</time'), tag: wordOf('</time>') },
  extensions: wordOf('<extensions'),
  tags: ascii('tags'),
  bookmark: ascii('bookmark'),
} as const;

type TextName = 'name' | TextField;
export type Texts = Partial<Record<TextName, string>>;

const texts = (...names: readonly TextName[]) =>
  names.map((name) => ({ name, start: wordOf(`<${name}>`), end: wordOf(`</${name}`) }));

/** Children that are texts. */
export const textsOf = {
  trkpt: [],
  rtept: texts('name'),
  wpt: texts('name', ...textFields),
} as const;

/** Children that say something about a point: which must be found whatever their prefix. */
const meaningful = {
  trkpt: ['ele', 'time'].map(ascii),
  rtept: ['ele', 'name'].map(ascii),
  wpt: ['ele', 'time', 'extensions', 'link', 'url', 'urlname']
    .concat(textsOf.wpt.map(({ name }) => name))
    .map(ascii),
} as const;

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
  for (const name of meaningful[element]) if (isName(name, bytes, start, end)) return true;
  return false;
}

function isName(name: Buffer, bytes: Buffer, start: number, end: number): boolean {
  return end - start === name.length && bytes.compare(name, 0, name.length, start, end) === 0;
}

/** Ends a name at the latest where the tag ends; what is no name at all fails later. */
function isInName(byte: number): boolean {
  return byte > 0x20 && byte !== slash && byte !== closeAngle && byte !== openAngle;
}
