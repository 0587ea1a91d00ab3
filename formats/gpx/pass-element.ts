import type { ByteCursor } from './byte-cursor.ts';
import { passAttributes, passByte } from './pass-attributes.ts';

const exclamation = 0x21;
const slash = 0x2f;
const closeAngle = 0x3e;

/** Elements within each other; those of real points have up to 4. The scanner allows more than this with its own. */
const maxDepth = 16;

/** Passes an element with all that is in it: elements, texts, comments and CDATA sections; an instruction fails. */
export function passElement(cursor: ByteCursor, depth = 1): boolean {
  const { bytes } = cursor;
  const nameAt = cursor.at + 1;
  cursor.at = nameAt;
  if (depth > maxDepth || !cursor.name()) return false;
  const nameEnd = cursor.at;
  if (bytes[nameEnd] !== closeAngle) {
    if (!passAttributes(cursor)) return false;
    if (bytes[cursor.at] === slash) {
      cursor.at += 1;
      return passByte(cursor, closeAngle);
    }
  }
  if (!passByte(cursor, closeAngle)) return false;
  while (cursor.text()) {
    const next = bytes[cursor.at + 1];
    if (next === slash) return passEndTag(cursor, nameAt, nameEnd);
    const isPassed = next === exclamation ? passUnparsed(cursor) : passElement(cursor, depth + 1);
    if (!isPassed) return false;
  }
  return false;
}

function passUnparsed(cursor: ByteCursor): boolean {
  return cursor.comment() || cursor.section() !== undefined;
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
