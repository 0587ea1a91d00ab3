import { closeAngle, doubleQuote, equals, singleQuote, slash } from '../ascii.ts';
import { wordOf, type ByteCursor } from '../xml/byte-cursor.ts';
import { passDecimal } from './byte-values.ts';
import { AttributeNames, isTagEnd, passByte } from '../xml/pass-attributes.ts';
import { asDegrees, parseDegrees } from '../points/point-values.ts';

const words = {
  lat: wordOf('lat'),
  lon: wordOf('lon'),
  usual: { beforeLat: wordOf(' lat="'), beforeLon: wordOf('" lon="'), end: wordOf('">') },
} as const;

/** Passes the start tags of points behind their names, and keeps the coordinates of the last one. */
export class StartTags {
  /** Degrees; NaN for missing or invalid values. */
  lat = Number.NaN;
  lon = Number.NaN;
  /** The element is over: it was an empty-element tag. */
  isEmpty = false;
  #hasLat = false;
  #hasLon = false;
  readonly #names = new AttributeNames();

  pass(cursor: ByteCursor): boolean {
    const { at } = cursor;
    this.isEmpty = false;
    if (this.#usual(cursor)) return true;
    cursor.at = at;
    return this.#any(cursor);
  }

  /** Reads the start tag that nearly all programs write. */
  #usual(cursor: ByteCursor): boolean {
    const { beforeLat, beforeLon, end } = words.usual;
    if (!cursor.accept(beforeLat)) return false;
    this.#decimal(cursor, 90);
    if (!cursor.accept(beforeLon)) return false;
    this.#decimal(cursor, 180);
    return cursor.accept(end);
  }

  /** Sets the field instead of returning the number, which would cost the machine an object. */
  #decimal(cursor: ByteCursor, limit: 90 | 180): void {
    const degrees = asDegrees(passDecimal(cursor), limit);
    if (limit === 90) this.lat = degrees;
    else this.lon = degrees;
  }

  #any(cursor: ByteCursor): boolean {
    this.lat = Number.NaN;
    this.lon = Number.NaN;
    this.#hasLat = false;
    this.#hasLon = false;
    this.#names.clear();
    for (;;) {
      const isSeparate = cursor.blank();
      if (isTagEnd(cursor.bytes[cursor.at])) break;
      if (!isSeparate || !this.#attribute(cursor)) return false;
    }
    this.isEmpty = passByte(cursor, slash);
    return passByte(cursor, closeAngle);
  }

  #attribute(cursor: ByteCursor): boolean {
    if (acceptName(cursor, words.lat)) {
      if (this.#hasLat) return false;
      this.#hasLat = true;
      const lat = passDegrees(cursor, 90);
      this.lat = lat ?? Number.NaN;
      return lat !== undefined;
    }
    if (acceptName(cursor, words.lon)) {
      if (this.#hasLon) return false;
      this.#hasLon = true;
      const lon = passDegrees(cursor, 180);
      this.lon = lon ?? Number.NaN;
      return lon !== undefined;
    }
    return this.#names.pass(cursor) && cursor.quoted();
  }
}

/** Passes the name of an attribute and the `=` behind it, or stays. */
function acceptName(cursor: ByteCursor, name: DataView): boolean {
  const { at } = cursor;
  if (!cursor.accept(name)) return false;
  cursor.space();
  if (passByte(cursor, equals)) return true;
  cursor.at = at;
  return false;
}

/** Passes a quoted value. @returns NaN for what is no coordinate; undefined = it is not one that can be read here. */
function passDegrees(cursor: ByteCursor, limit: 90 | 180): number | undefined {
  const { bytes } = cursor;
  cursor.space();
  const quote = bytes[cursor.at];
  if (quote !== doubleQuote && quote !== singleQuote) return undefined;
  const start = cursor.at + 1;
  cursor.at = start;
  let degrees = asDegrees(passDecimal(cursor), limit);
  if (bytes[cursor.at] !== quote) {
    while (isInNumber(bytes[cursor.at]!)) cursor.at += 1;
    if (bytes[cursor.at] !== quote) return undefined;
    degrees = parseDegrees(bytes.toString('latin1', start, cursor.at), limit);
  }
  cursor.at += 1;
  return degrees;
}

function isInNumber(byte: number): boolean {
  return (byte >= 0x2b && byte <= 0x39) || byte === 0x65 || byte === 0x45;
}
