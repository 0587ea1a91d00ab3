import { Buffer } from 'node:buffer';
import { TextDecoder } from 'node:util';

type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252' | 'us-ascii';

/** The text of a piece of bytes as far as they are valid, and whether an invalid byte follows. */
interface Decoded {
  readonly text: string;
  readonly isInvalid: boolean;
}

/** Names of encodings in declarations (lower case). ISO-8859-1 is read as its superset, as in browsers. */
const declarable: ReadonlyMap<string, readonly Encoding[]> = new Map([
  ['utf-8', ['utf-8']],
  ['utf8', ['utf-8']],
  ['utf-16', ['utf-16le', 'utf-16be']],
  ['utf-16le', ['utf-16le']],
  ['utf-16be', ['utf-16be']],
  ['iso-8859-1', ['windows-1252']],
  ['iso8859-1', ['windows-1252']],
  ['latin1', ['windows-1252']],
  ['windows-1252', ['windows-1252']],
  ['cp1252', ['windows-1252']],
  ['us-ascii', ['us-ascii']],
  ['ascii', ['us-ascii']],
]);

/** A longer declaration is left to the scanner, which refuses it. */
const declarationBytes = 1024;
const declaredEncoding = /^<\?xml[^>]*?\sencoding\s*=\s*["']([^"'>]*)["']/;
const nonAscii = /[^\0-\x7f]/;
const nothing = new Uint8Array(0);

/** Turns the bytes of an XML document, given in pieces of any size, into text; the byte order mark is left out. */
export class ByteDecoder {
  #encoding: Encoding | undefined;
  #decoder: TextDecoder | undefined;
  /** Bytes kept for the next piece: all until the encoding is known, then at most an unfinished character. */
  #rest: Uint8Array = nothing;

  /** UTF-8, or one of the others whose ASCII characters are the same bytes; undefined for UTF-16 and what is not known. */
  get asciiSuperset(): 'utf-8' | 'other' | undefined {
    if (this.#encoding === undefined || this.#encoding.startsWith('utf-16')) return undefined;
    return this.#encoding === 'utf-8' ? 'utf-8' : 'other';
  }

  /** No byte of what was given is kept back. */
  get isBetweenCharacters(): boolean {
    return this.#rest.length === 0;
  }

  /** Decodes one piece. The caller may reuse `bytes` afterwards. */
  decode(bytes: Uint8Array): Decoded {
    const joined = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    if (this.#encoding === undefined && needsMore(joined)) {
      this.#rest = Uint8Array.from(joined);
      return { text: '', isInvalid: false };
    }
    return this.#decodeJoined(joined);
  }

  /** Decodes what was kept back; a character that the end of the input cut off is invalid. */
  end(): Decoded {
    const decoded = this.#decodeJoined(this.#rest);
    return { text: decoded.text, isInvalid: decoded.isInvalid || this.#rest.length > 0 };
  }

  #decodeJoined(joined: Uint8Array): Decoded {
    let bytes = joined;
    if (this.#encoding === undefined || this.#decoder === undefined) {
      const mark = byteOrderMark(joined);
      this.#encoding = sniffEncoding(joined, mark);
      if (this.#encoding === undefined) return { text: '', isInvalid: true };
      bytes = joined.subarray(mark.length);
      const label = this.#encoding === 'us-ascii' ? 'utf-8' : this.#encoding;
      // ignoreBOM keeps U+FEFF at the start of a later piece, where it is an ordinary character.
      this.#decoder = new TextDecoder(label, { fatal: true, ignoreBOM: true });
    }
    const whole = wholeLength(bytes, this.#encoding);
    this.#rest = Uint8Array.from(bytes.subarray(whole));
    const decoded = decodeValid(this.#decoder, bytes.subarray(0, whole), this.#encoding);
    if (this.#encoding !== 'us-ascii') return decoded;
    const foreign = decoded.text.search(nonAscii);
    return foreign < 0 ? decoded : { text: decoded.text.slice(0, foreign), isInvalid: true };
  }
}

interface Mark {
  readonly length: number;
  readonly encoding?: Encoding;
  /** UTF-32, which XML readers need not know. */
  readonly isForeign?: true;
}

function byteOrderMark(head: Uint8Array): Mark {
  const [a, b, c, d] = head;
  if (a === 0xef && b === 0xbb && c === 0xbf) return { length: 3, encoding: 'utf-8' };
  if (a === 0xff && b === 0xfe) {
    return c === 0 && d === 0
      ? { length: 4, isForeign: true }
      : { length: 2, encoding: 'utf-16le' };
  }
  if (a === 0xfe && b === 0xff) return { length: 2, encoding: 'utf-16be' };
  return { length: 0 };
}

/** Undefined when the encoding is unknown, or declared as something the bytes are not. */
function sniffEncoding(head: Uint8Array, mark: Mark): Encoding | undefined {
  if (mark.isForeign) return undefined;
  const seen = mark.encoding ?? utf16WithoutMark(head);
  const declared = declaredEncoding.exec(asciiOf(head.subarray(mark.length)))?.[1]?.toLowerCase();
  if (declared === undefined) return seen ?? 'utf-8';
  const possible = declarable.get(declared) ?? [];
  if (seen !== undefined) return possible.includes(seen) ? seen : undefined;
  return possible.find((encoding) => !encoding.startsWith('utf-16'));
}

/** A document starts with `<`, whose zero byte tells the byte order. */
function utf16WithoutMark([a, b]: Uint8Array): Encoding | undefined {
  if (a === 0x3c && b === 0) return 'utf-16le';
  return a === 0 && b === 0x3c ? 'utf-16be' : undefined;
}

/** The start of the text in any supported encoding, as far as it is ASCII: enough to read a declaration. */
function asciiOf(head: Uint8Array): string {
  const start = Buffer.from(head.subarray(0, 2 * declarationBytes)).toString('latin1');
  return start.replaceAll('\0', '');
}

/** Tells whether the encoding cannot be known yet: the first bytes or the end of the declaration are missing. */
function needsMore(head: Uint8Array): boolean {
  if (head.length < 4) return true;
  const start = asciiOf(head.subarray(byteOrderMark(head).length));
  const isDeclaration = start.startsWith('<?xml') || '<?xml'.startsWith(start);
  // Bytes are counted, not characters: zero bytes are none.
  return isDeclaration && !start.includes('>') && head.length < 2 * declarationBytes;
}

/** How many bytes from the start hold no unfinished character at their end. */
function wholeLength(bytes: Uint8Array, encoding: Encoding): number {
  if (encoding === 'utf-16le' || encoding === 'utf-16be') return wholeUtf16Length(bytes, encoding);
  return encoding === 'windows-1252' ? bytes.length : wholeUtf8Length(bytes);
}

function wholeUtf16Length(bytes: Uint8Array, encoding: Encoding): number {
  const even = bytes.length - (bytes.length % 2);
  const high = bytes[encoding === 'utf-16le' ? even - 1 : even - 2] ?? 0;
  const isHighSurrogate = even > 0 && high >= 0xd8 && high <= 0xdb;
  return isHighSurrogate ? even - 2 : even;
}

function wholeUtf8Length(bytes: Uint8Array): number {
  const end = bytes.length;
  for (let back = 1; back <= Math.min(3, end); back += 1) {
    const byte = bytes[end - back] ?? 0;
    if (byte < 0x80) return end;
    // A leading byte says how long its character is: C0… 2, E0… 3, F0… 4 bytes.
    if (byte >= 0xc0) return utf8Length(byte) > back ? end - back : end;
  }
  return end;
}

function utf8Length(leading: number): number {
  if (leading >= 0xf0) return 4;
  return leading >= 0xe0 ? 3 : 2;
}

/** Decodes whole characters; of invalid bytes the longest valid start, so that the result does not depend on the piece. */
function decodeValid(decoder: TextDecoder, bytes: Uint8Array, encoding: Encoding): Decoded {
  const text = tryDecode(decoder, bytes);
  if (text !== undefined) return { text, isInvalid: false };
  let valid = '';
  let low = 0;
  let high = bytes.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const start = bytes.subarray(0, middle);
    const decoded = tryDecode(decoder, start.subarray(0, wholeLength(start, encoding)));
    if (decoded === undefined) high = middle - 1;
    else [low, valid] = [middle, decoded];
  }
  return { text: valid, isInvalid: true };
}

function tryDecode(decoder: TextDecoder, bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    // A fatal decoder throws for invalid bytes and for nothing else.
    return undefined;
  }
}
