import { closeAngle, exclamation, slash, space } from '../ascii.ts';
import type { ByteCursor } from './byte-cursor.ts';
import { passAttributes, passByte } from './pass-attributes.ts';
import { withLineEnds } from './characters.ts';
import { decodeReferences } from './references.ts';

/** Elements within each other; those of real points have up to 4. The scanner allows more than this with its own. */
const maxDepth = 16;

/** Hears of an element that is being passed, which may fail yet; of texts only where no element follows. */
export interface Heard {
  /** @param name as it is written, with its prefix. */
  open(name: string): void;
  text(text: string): void;
  close(): void;
}

/** Passes an element with all that is in it: elements, texts, comments and CDATA sections; an instruction fails. */
export function passElement(cursor: ByteCursor, heard?: Heard, depth = 1): boolean {
  const nameAt = cursor.at + 1;
  cursor.at = nameAt;
  if (depth > maxDepth || !cursor.name()) return false;
  const nameEnd = cursor.at;
  heard?.open(cursor.bytes.toString('latin1', nameAt, nameEnd));
  const rest = passRestOfStart(cursor);
  const isPassed =
    rest === 'empty' ||
    (rest === 'open' && passContent(cursor, heard, depth) && passEndTag(cursor, nameAt, nameEnd));
  if (isPassed) heard?.close();
  return isPassed;
}

/** Passes what follows the name in a start tag. */
function passRestOfStart(cursor: ByteCursor): 'open' | 'empty' | undefined {
  const { bytes } = cursor;
  if (bytes[cursor.at] !== closeAngle && !passAttributes(cursor)) return undefined;
  const isEmpty = passByte(cursor, slash);
  if (!passByte(cursor, closeAngle)) return undefined;
  return isEmpty ? 'empty' : 'open';
}

/** Passes all up to the end tag. */
function passContent(cursor: ByteCursor, heard: Heard | undefined, depth: number): boolean {
  for (let from = cursor.at; cursor.text(); from = cursor.at) {
    const next = cursor.bytes[cursor.at + 1];
    if (next !== slash && next !== exclamation) {
      // Text beside elements is hardly ever valid here: what it means is left to the parser.
      if (heard !== undefined && !isBlank(cursor, from)) return false;
      if (!passElement(cursor, heard, depth + 1)) return false;
      continue;
    }
    if (heard !== undefined) heard.text(textFrom(cursor, from));
    if (next === slash) return true;
    if (!passUnparsed(cursor, heard)) return false;
  }
  return false;
}

function isBlank({ bytes, at: end }: ByteCursor, from: number): boolean {
  for (let at = from; at < end; at += 1) if (bytes[at]! > space) return false;
  return true;
}

function passUnparsed(cursor: ByteCursor, heard: Heard | undefined): boolean {
  if (cursor.comment()) return true;
  const section = cursor.section();
  if (section !== undefined) heard?.text(withLineEnds(section));
  return section !== undefined;
}

/** The text that has just been passed, as the parser hands it on. */
function textFrom(cursor: ByteCursor, from: number): string {
  const text = withLineEnds(cursor.textFrom(from));
  return cursor.hasReference ? decodeReferences(text) : text;
}

/** Passes the rest of an end tag whose name is not known before; its start tag has it at `nameAt`. */
function passEndTag(cursor: ByteCursor, nameAt: number, nameEnd: number): boolean {
  const { bytes } = cursor;
  let at = cursor.at + 2;
  for (let i = nameAt; i < nameEnd; i += 1, at += 1) if (bytes[i] !== bytes[at]) return false;
  cursor.at = at;
  return passTagEnd(cursor);
}

/** Passes what may follow the name in an end tag. */
export function passTagEnd(cursor: ByteCursor): boolean {
  if (cursor.bytes[cursor.at] !== closeAngle) cursor.space();
  return passByte(cursor, closeAngle);
}
