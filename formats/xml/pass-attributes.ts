import { closeAngle, equals, slash } from '../ascii.ts';
import type { ByteCursor } from './byte-cursor.ts';

/** Attributes in one tag; those of real points have up to 5. */
const maxAttributes = 16;

/** The names of the attributes of one tag, of which no two may be the same. */
export class AttributeNames {
  readonly #starts = new Int32Array(maxAttributes);
  readonly #ends = new Int32Array(maxAttributes);
  #count = 0;

  clear(): void {
    this.#count = 0;
  }

  /** Passes a name and what stands between it and the value; fails for one that was there, too. */
  pass(cursor: ByteCursor): boolean {
    const start = cursor.at;
    if (this.#count === maxAttributes || !cursor.name()) return false;
    if (this.#has(cursor, start)) return false;
    this.#starts[this.#count] = start;
    this.#ends[this.#count] = cursor.at;
    this.#count += 1;
    cursor.space();
    if (!passByte(cursor, equals)) return false;
    cursor.space();
    return true;
  }

  #has({ bytes, at: end }: ByteCursor, start: number): boolean {
    for (let i = 0; i < this.#count; i += 1) {
      const from = this.#starts[i]!;
      const to = this.#ends[i]!;
      if (to - from === end - start && bytes.compare(bytes, from, to, start, end) === 0)
        return true;
    }
    return false;
  }
}

const names = new AttributeNames();

/** Passes the attributes of a start tag, if any, and the white space around them. */
export function passAttributes(cursor: ByteCursor): boolean {
  names.clear();
  for (;;) {
    const isSeparate = cursor.blank();
    if (isTagEnd(cursor.bytes[cursor.at])) return true;
    if (!isSeparate || !names.pass(cursor) || !cursor.quoted()) return false;
  }
}

/** Whether this byte begins the end of a start tag. */
export function isTagEnd(byte: number | undefined): boolean {
  return byte === closeAngle || byte === slash;
}

export function passByte(cursor: ByteCursor, byte: number): boolean {
  if (cursor.bytes[cursor.at] !== byte) return false;
  cursor.at += 1;
  return true;
}
