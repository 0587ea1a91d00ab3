import { isUtf8, type Buffer } from 'node:buffer';
import { findBadReference } from '../xml/references.ts';

/** What a byte means in character data. */
const plain = 0;
const lineEnd = 1;
const carriageReturn = 2;
const ampersand = 3;
const foreign = 4;
/** Begins U+F000 to U+FFFF, two of which are illegal. */
const foreignLast = 5;
const stop = 6;
/** Bit of a byte that may begin a name, or go on in one. */
const nameStart = 1;
const nameRest = 2;

const textKinds = new Uint8Array(256);
const nameKinds = new Uint8Array(256);
for (let byte = 0; byte < 256; byte += 1) {
  const char = String.fromCharCode(byte);
  textKinds[byte] = textKind(byte, char);
  if (/[A-Za-z_:]/.test(char)) nameKinds[byte] = nameStart | nameRest;
  else if (/[-.0-9]/.test(char)) nameKinds[byte] = nameRest;
}

/** `>` is legal in a text, but stops: so no loop needs to look for the end of the bytes, which is a `>`, nor for `]]>`. */
function textKind(byte: number, char: string): number {
  if (char === '\n') return lineEnd;
  if (char === '\r') return carriageReturn;
  if (char === '&') return ampersand;
  if (byte >= 0x80) return byte === 0xef ? foreignLast : foreign;
  return char === '<' || char === '>' || (byte < 0x20 && char !== '\t') ? stop : plain;
}

/** Bytes in a name; the scanner's limit is larger, and real ones have up to 30. */
const maxNameBytes = 256;
const doubleQuote = 0x22;
const singleQuote = 0x27;
const dash = 0x2d;
const openAngle = 0x3c;
const closeAngle = 0x3e;
const closeBracket = 0x5d;
const commentStart = new TextEncoder().encode('<!--');
const sectionStart = new TextEncoder().encode('<![CDATA[');

/**
 * A place in bytes that are read without decoding them, and the parts of XML's grammar that can be. Each method passes
 * what it names, or fails: then the place is somewhere in what failed, and the caller begins anew by other means.
 */
export class ByteCursor {
  readonly bytes: Buffer;
  at: number;
  /** The byte before it is a `>`, so what begins before it stops there at the latest. */
  readonly end: number;
  /** Line ends passed. */
  lines = 0;
  /** The last text, value or section holds what is not as it is stored: a reference or a carriage return. */
  hasReference = false;
  hasReturn = false;
  #hasForeign = false;
  /** It may hold an illegal character. */
  #hasForeignLast = false;
  readonly #isUtf8: boolean;
  /** Whether all bytes of the region are valid: looked at when the first foreign one is met. */
  #isValid: boolean | undefined;

  /** @param region - without an unfinished character; in another encoding than UTF-8 only ASCII is passed. */
  constructor(bytes: Buffer, from: number, to: number, isUtf8Document: boolean) {
    this.bytes = bytes;
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

  /** Passes exactly this word, or stays. */
  takes(word: Uint8Array): boolean {
    const { bytes, at } = this;
    if (at + word.length > this.end) return false;
    for (let i = 0; i < word.length; i += 1) if (bytes[at + i] !== word[i]) return false;
    this.at = at + word.length;
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
    this.#forget();
    let at = start;
    for (; ; at += 1) {
      const kind = textKinds[bytes[at]!]!;
      if (kind === plain) continue;
      if (kind === stop) break;
      this.#note(kind);
    }
    this.at = at;
    return bytes[at] === openAngle && this.#isLegal(start);
  }

  /** Passes the value of an attribute with its quotes, if there is no `>` in it. */
  quoted(): boolean {
    const { bytes, end, at: start } = this;
    const quote = bytes[start];
    if (start >= end || (quote !== doubleQuote && quote !== singleQuote)) return false;
    this.#forget();
    let at = start + 1;
    for (; bytes[at] !== quote; at += 1) {
      const kind = textKinds[bytes[at]!]!;
      if (kind === stop) break;
      if (kind !== plain) this.#note(kind);
    }
    this.at = at;
    if (bytes[at] !== quote || !this.#isLegal(start)) return false;
    this.at += 1;
    return true;
  }

  comment(): boolean {
    if (!this.takes(commentStart)) return false;
    const { bytes, at: start } = this;
    this.#forget();
    for (; this.#unparsed(dash); this.at += 1) {
      if (bytes[this.at + 1] !== dash) continue;
      if (bytes[this.at + 2] !== closeAngle || !this.#isLegal(start)) return false;
      this.at += 3;
      return true;
    }
    return false;
  }

  /** Passes a CDATA section. @returns its content; undefined = it failed. */
  section(): string | undefined {
    if (!this.takes(sectionStart)) return undefined;
    const { bytes, at: start } = this;
    this.#forget();
    for (; this.#unparsed(closeAngle); this.at += 1) {
      const contentEnd = this.at - 2;
      if (contentEnd < start || bytes[contentEnd] !== closeBracket) continue;
      if (bytes[contentEnd + 1] !== closeBracket) continue;
      this.at = contentEnd;
      if (!this.#isLegal(start)) return undefined;
      const text = this.textFrom(start);
      this.at += 3;
      return text;
    }
    return undefined;
  }

  /** Passes characters that mean nothing up to the next `byte`. */
  #unparsed(byte: number): boolean {
    const { bytes, end } = this;
    let { at } = this;
    for (; at < end && bytes[at] !== byte; at += 1) {
      const next = bytes[at]!;
      if (next >= 0x20 && next < 0x80) continue;
      const kind = textKinds[next]!;
      if (kind === stop) break;
      this.#note(kind);
    }
    this.at = at;
    return at < end && bytes[at] === byte;
  }

  #forget(): void {
    this.hasReference = false;
    this.hasReturn = false;
    this.#hasForeign = false;
    this.#hasForeignLast = false;
  }

  #note(kind: number): void {
    if (kind === lineEnd) this.lines += 1;
    else if (kind === carriageReturn) this.hasReturn = true;
    else if (kind === ampersand) this.hasReference = true;
    else if (kind >= foreign) {
      this.#hasForeign = true;
      if (kind === foreignLast) this.#hasForeignLast = true;
    }
  }

  /** Whether what was passed since `start` holds only characters and references that a document may hold. */
  #isLegal(start: number): boolean {
    if (this.#hasForeign && !this.#isText(start)) return false;
    return !this.hasReference || findBadReference(this.textFrom(start)) < 0;
  }

  #isText(start: number): boolean {
    if (!this.#isUtf8) return false;
    this.#isValid ??= isUtf8(this.bytes.subarray(start, this.end));
    if (!this.#isValid) return false;
    return !this.#hasForeignLast || !illegal.test(this.textFrom(start));
  }

  /** The bytes from `start` to here, as text. They have been passed as text or as something that is ASCII. */
  textFrom(start: number): string {
    return this.bytes.toString(this.#hasForeign ? 'utf8' : 'latin1', start, this.at);
  }
}

/** The characters beyond ASCII that no XML document may hold. */
const illegal = /[\ufffe\uffff]/;
