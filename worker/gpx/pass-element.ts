import type { ByteCursor } from './byte-cursor.ts';

const equals = 0x3d;
const slash = 0x2f;
const openAngle = 0x3c;
const closeAngle = 0x3e;
const ampersand = 0x26;
const doubleQuote = 0x22;
const singleQuote = 0x27;

/** Elements within each other; those of real points have up to 4. The scanner allows more than this with its own. */
const maxDepth = 16;

/**
 * Passes an element with all that is in it: elements and texts. One with more than one attribute, with a comment, an
 * instruction or a CDATA section fails, so that nothing has to be remembered.
 */
export function passElement(cursor: ByteCursor, depth = 1): boolean {
  const { bytes } = cursor;
  const nameAt = cursor.at + 1;
  cursor.at = nameAt;
  if (depth > maxDepth || !cursor.name()) return false;
  const nameEnd = cursor.at;
  if (bytes[nameEnd] !== closeAngle) {
    if (!passAttribute(cursor)) return false;
    if (bytes[cursor.at] === slash) {
      cursor.at += 1;
      return passByte(cursor, closeAngle);
    }
  }
  if (!passByte(cursor, closeAngle)) return false;
  while (cursor.text()) {
    if (bytes[cursor.at + 1] === slash) return passEndTag(cursor, nameAt, nameEnd);
    if (!passElement(cursor, depth + 1)) return false;
  }
  return false;
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

export function passByte(cursor: ByteCursor, byte: number): boolean {
  if (cursor.bytes[cursor.at] !== byte) return false;
  cursor.at += 1;
  return true;
}

/** Passes at most one attribute and the white space around it. */
function passAttribute(cursor: ByteCursor): boolean {
  const { bytes } = cursor;
  const isSeparate = cursor.blank();
  if (isTagEnd(bytes[cursor.at])) return true;
  if (!isSeparate || !cursor.name() || !passByte(cursor, equals)) return false;
  if (!passQuoted(cursor)) return false;
  cursor.space();
  return isTagEnd(bytes[cursor.at]);
}

function isTagEnd(byte: number | undefined): boolean {
  return byte === closeAngle || byte === slash;
}

/** Passes the value of an attribute in printable ASCII without references. */
function passQuoted(cursor: ByteCursor): boolean {
  const { bytes } = cursor;
  const quote = bytes[cursor.at];
  if (quote !== doubleQuote && quote !== singleQuote) return false;
  for (let at = cursor.at + 1; ; at += 1) {
    const byte = bytes[at]!;
    if (byte === quote) {
      cursor.at = at + 1;
      return true;
    }
    if (byte < 0x20 || byte > 0x7e || isMarkup(byte)) return false;
  }
}

/** `>` is legal here, but where the bytes end there is one. */
function isMarkup(byte: number): boolean {
  return byte === openAngle || byte === closeAngle || byte === ampersand;
}
