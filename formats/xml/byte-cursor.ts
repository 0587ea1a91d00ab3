import { isUtf8, type Buffer } from 'node:buffer';
import { closeAngle, closeBracket, doubleQuote, minus, openAngle, singleQuote } from '../ascii.ts';
import {
  ampersand,
  angle,
  foreign,
  last,
  lineEnd,
  nameKinds,
  nameRest,
  nameStart,
  plain,
  stop,
  textKinds,
} from './byte-kinds.ts';
import { findBadReference } from '../xml/references.ts';

/** Bytes in a name; the scanner's limit is larger, and real ones have up to 30. */
const maxNameBytes = 256;
const commentStart = wordOf('<!--');
const sectionStart = wordOf('<![CDATA[');

/** Makes a word for {@link ByteCursor.accept}. @param text a character for each byte. */
export function wordOf(text: string): DataView {
  return new DataView(Uint8Array.from(text, (char) => char.charCodeAt(0)).buffer);
}

/** A stretch of a document's bytes. */
export interface Stretch {
  readonly bytes: Buffer;
  readonly from: number;
  /** Not within a character of several bytes. */
  readonly to: number;
  /** In other encodings only ASCII is passed. */
  readonly isUtf8: boolean;
}

/**
 * A position in undecoded bytes, with a method for each part of XML's grammar that needs no decoding. A method passes what
 * it names, or fails: the position is then undefined, and the caller starts again with another reader.
 */
export class ByteCursor {
  readonly bytes: Buffer;
  readonly #view: DataView;
  at: number;
  /** The byte before it is a `>`, so what begins before it stops there at the latest. */
  readonly end: number;
  /** Line ends passed. */
  lines = 0;
  /** Kinds of bytes in the last text, value or section. */
  #seen = plain;
  readonly #isUtf8: boolean;
  /** Whether all bytes of the region are valid: looked at when the first foreign one is met. */
  #isValid: boolean | undefined;

  constructor({ bytes, from, to, isUtf8: isUtf8Document }: Stretch) {
    this.bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.at = from;
    this.end = bytes.subarray(from, to).lastIndexOf('>') + 1 + from;
    this.#isUtf8 = isUtf8Document;
  }

  space(): void {
    const { bytes, end } = this;
    let { at } = this;
    for (; at < end; at += 1) {
      const byte = bytes[at]!;
      if (byte === 0x0a) this.lines += 1;
      else if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d) break;
    }
    this.at = at;
  }

  /** Passes white space of which there must be some. */
  blank(): boolean {
    const { at } = this;
    this.space();
    return this.at > at;
  }

  /** Passes digits, points and signs, if there are any. */
  digits(): void {
    const { bytes, end } = this;
    let { at } = this;
    while (at < end && nameKinds[bytes[at]!] === nameRest) at += 1;
    this.at = at;
  }

  /** Passes exactly this word, or stays. Four bytes compared at once cost hardly more than one. */
  accept(word: DataView): boolean {
    const { at } = this;
    const view = this.#view;
    const length = word.byteLength;
    if (at + length > this.end) return false;
    let i = 0;
    for (; i + 4 <= length; i += 4) if (view.getInt32(at + i) !== word.getInt32(i)) return false;
    for (; i < length; i += 1) if (view.getUint8(at + i) !== word.getUint8(i)) return false;
    this.at = at + length;
    return true;
  }

  name(): boolean {
    const { bytes, at: start } = this;
    if ((nameKinds[bytes[start]!]! & nameStart) === 0) return false;
    let at = start + 1;
    while (nameKinds[bytes[at]!] !== 0) at += 1;
    this.at = at;
    return at - start <= maxNameBytes;
  }

  /** Passes character data up to the next `<`. */
  text(): boolean {
    const { bytes, end, at: start } = this;
    if (start >= end) return false;
    let seen = plain;
    let lines = 0;
    let at = start;
    for (; ; at += 1) {
      const kind = textKinds[bytes[at]!]!;
      if (kind === plain) continue;
      if (kind === stop || (kind === angle && at + 1 >= end)) break;
      if (kind === lineEnd) lines += 1;
      seen |= kind;
    }
    this.#passed(at, seen, lines);
    if ((seen & angle) !== 0 && bytes.subarray(start, at).includes(']]>')) return false;
    return bytes[at] === openAngle && this.#isLegal(start);
  }

  /** Passes the value of an attribute with its quotes. */
  quoted(): boolean {
    const { bytes, end, at: start } = this;
    const quote = bytes[start];
    if (start >= end || (quote !== doubleQuote && quote !== singleQuote)) return false;
    let seen = plain;
    let lines = 0;
    let at = start + 1;
    for (; bytes[at] !== quote; at += 1) {
      const kind = textKinds[bytes[at]!]!;
      if (kind === plain) continue;
      if (kind === stop || (kind === angle && at + 1 >= end)) break;
      if (kind === lineEnd) lines += 1;
      seen |= kind;
    }
    this.#passed(at, seen, lines);
    if (bytes[at] !== quote || !this.#isLegal(start)) return false;
    this.at += 1;
    return true;
  }

  comment(): boolean {
    if (!this.accept(commentStart) || !this.#unparsed(minus)) return false;
    this.at += 3;
    return true;
  }

  /** Passes a CDATA section. @returns its content; undefined = it failed. */
  section(): string | undefined {
    if (!this.accept(sectionStart)) return undefined;
    const { at: start } = this;
    if (!this.#unparsed(closeBracket)) return undefined;
    const text = this.textFrom(start);
    this.at += 3;
    return text;
  }

  /** Passes characters that mean nothing up to two of `mark` and a `>`. */
  #unparsed(mark: number): boolean {
    const { bytes, end, at: start } = this;
    let seen = plain;
    let lines = 0;
    let at = start;
    for (; at < end; at += 1) {
      const byte = bytes[at]!;
      const isEnd = byte === closeAngle && at - start >= 2;
      if (isEnd && bytes[at - 1] === mark && bytes[at - 2] === mark) break;
      if (byte >= 0x20 && byte < 0x80) continue;
      const kind = textKinds[byte]!;
      if (kind === stop) break;
      if (kind === lineEnd) lines += 1;
      seen |= kind;
    }
    this.#passed(at, seen, lines);
    if (at >= end || bytes[at] !== closeAngle) return false;
    this.at -= 2;
    return this.#isLegal(start);
  }

  /** The last text, value or section holds a reference. */
  get hasReference(): boolean {
    return (this.#seen & ampersand) !== 0;
  }

  #passed(at: number, seen: number, lines: number): void {
    this.at = at;
    this.#seen = seen;
    this.lines += lines;
  }

  /** Whether what was passed since `start` holds only characters and references that a document may hold. */
  #isLegal(start: number): boolean {
    if ((this.#seen & foreign) !== 0 && !this.#isText(start)) return false;
    return !this.hasReference || findBadReference(this.textFrom(start)) < 0;
  }

  #isText(start: number): boolean {
    if (!this.#isUtf8) return false;
    this.#isValid ??= isUtf8(this.bytes.subarray(start, this.end));
    if (!this.#isValid) return false;
    return (this.#seen & last) === 0 || !illegal.test(this.textFrom(start));
  }

  /** The bytes from `start` to here, as text. They have been passed as text or as something that is ASCII. */
  textFrom(start: number): string {
    return this.bytes.toString((this.#seen & foreign) === 0 ? 'latin1' : 'utf8', start, this.at);
  }
}

/** The characters beyond ASCII that no XML document may hold. */
const illegal = /[\ufffe\uffff]/;
