import { Buffer } from 'node:buffer';
import { ByteCursor } from './byte-cursor.ts';
import { ByteTimes, passDecimal } from './byte-values.ts';
import { passByte, passElement, passTagEnd } from './pass-element.ts';
import type { PointCounts } from './point-counts.ts';
import { missingTime, parseDegrees, parseNumber, PointTimes } from './point-values.ts';
import { decodeReferences } from './xml-values.ts';

/** Elements that are points, by their names. */
export type PointElement = 'trkpt' | 'wpt';

/** A stretch of a document's bytes. */
export interface Stretch {
  readonly bytes: Buffer;
  readonly from: number;
  /** Not within a character of several bytes. */
  readonly to: number;
  /** In other encodings only points in ASCII are taken. */
  readonly isUtf8: boolean;
}

/** What was taken from the beginning of a stretch. */
export interface Taken {
  /** Where it ends; the place it began if it was nothing. */
  readonly end: number;
  /** Line ends in it. */
  readonly lines: number;
  /** What follows is a point that is not canonical, not one that this stretch cuts off. */
  readonly isRefused: boolean;
  /** Bytes looked at, taken or not. */
  readonly looked: number;
}

const ascii = (text: string): Buffer => Buffer.from(text, 'latin1');
const words = {
  trkpt: { start: ascii('<trkpt'), end: ascii('</trkpt') },
  wpt: { start: ascii('<wpt'), end: ascii('</wpt') },
  lat: ascii('lat='),
  lon: ascii('lon='),
  ele: { start: ascii('<ele>'), end: ascii('</ele') },
  time: { start: ascii('<time>'), end: ascii('</time') },
  name: { start: ascii('<name>'), end: ascii('</name') },
  desc: { start: ascii('<desc>'), end: ascii('</desc') },
  tags: ascii('tags'),
} as const;

/** Children that say something about a point: which must be found whatever their prefix. */
const meaningful = {
  trkpt: new Set(['ele', 'time']),
  wpt: new Set(['ele', 'time', 'name', 'desc', 'extensions']),
} as const;
const extensions = 'extensions';
const longest = extensions.length;
const noTags: readonly string[] = [];

const doubleQuote = 0x22;
const singleQuote = 0x27;
const openAngle = 0x3c;
const closeAngle = 0x3e;
const slash = 0x2f;
const colon = 0x3a;

/**
 * Takes runs of points as nearly all programs write them straight from the bytes, about ten times as fast as by way of
 * text, scanner and parser. It knows only well-formed points without comments, CDATA and repeated values; what is
 * anything else is left to the others from its start, so nothing is ever decided here that they would decide otherwise.
 */
export class CanonicalPoints {
  readonly #counts: PointCounts;
  readonly #byteTimes = new ByteTimes();
  readonly #times = new PointTimes();
  #cursor = new ByteCursor(Buffer.alloc(0), 0, 0, true);
  #element: PointElement = 'trkpt';
  #lat = Number.NaN;
  #lon = Number.NaN;
  #ele = Number.NaN;
  #timeMs = missingTime;
  #name = '';
  #desc = '';
  /** Which children the point has had: a second one of a kind is not for us. */
  #hasEle = false;
  #hasTime = false;
  #hasName = false;
  #hasDesc = false;

  constructor(counts: PointCounts) {
    this.#counts = counts;
  }

  /**
   * Takes points from a place where such elements stand side by side, with white space between. Every one is whole, and
   * handed on as it is taken.
   * @throws errors of the sink
   */
  take({ bytes, from, to, isUtf8 }: Stretch, element: PointElement): Taken {
    const cursor = new ByteCursor(bytes, from, to, isUtf8);
    this.#cursor = cursor;
    this.#element = element;
    const word = words[element].start;
    let end = from;
    let lines = 0;
    let isRefused = false;
    cursor.space();
    while (cursor.takes(word)) {
      if (!this.#point()) {
        isRefused = cursor.at < cursor.end;
        break;
      }
      this.#deliver();
      cursor.space();
      end = cursor.at;
      lines = cursor.lines;
    }
    return { end, lines, isRefused, looked: cursor.at - from };
  }

  #deliver(): void {
    if (this.#element === 'trkpt') {
      this.#counts.trackPoint(this.#lat, this.#lon, this.#ele, this.#timeMs);
      return;
    }
    const texts = { name: this.#name, desc: this.#desc, tags: noTags };
    this.#counts.waypoint(this.#lat, this.#lon, this.#ele, this.#timeMs, texts);
  }

  /** Passes a point behind its name. */
  #point(): boolean {
    const cursor = this.#cursor;
    this.#forget();
    if (!this.#coordinates()) return false;
    cursor.space();
    if (cursor.bytes[cursor.at] === slash) {
      cursor.at += 1;
      return passByte(cursor, closeAngle);
    }
    if (!passByte(cursor, closeAngle)) return false;
    const { end } = words[this.#element];
    for (;;) {
      cursor.space();
      if (cursor.at >= cursor.end || cursor.bytes[cursor.at] !== openAngle) return false;
      if (cursor.takes(end)) return passTagEnd(cursor);
      if (!this.#child()) return false;
    }
  }

  #forget(): void {
    this.#ele = Number.NaN;
    this.#timeMs = missingTime;
    this.#name = '';
    this.#desc = '';
    this.#hasEle = false;
    this.#hasTime = false;
    this.#hasName = false;
    this.#hasDesc = false;
  }

  /** Passes `lat` and `lon` in either order, and nothing else. */
  #coordinates(): boolean {
    const cursor = this.#cursor;
    if (!cursor.blank()) return false;
    const isLatFirst = cursor.takes(words.lat);
    if (isLatFirst ? !this.#degrees(90) : !(cursor.takes(words.lon) && this.#degrees(180))) {
      return false;
    }
    if (!cursor.blank()) return false;
    if (isLatFirst) return cursor.takes(words.lon) && this.#degrees(180);
    return cursor.takes(words.lat) && this.#degrees(90);
  }

  #degrees(limit: 90 | 180): boolean {
    const cursor = this.#cursor;
    const { bytes } = cursor;
    const quote = bytes[cursor.at];
    if (quote !== doubleQuote && quote !== singleQuote) return false;
    const start = cursor.at + 1;
    cursor.at = start;
    let degrees = passDecimal(cursor);
    if (bytes[cursor.at] === quote) {
      if (!(Math.abs(degrees) <= limit)) degrees = Number.NaN;
    } else {
      while (isInNumber(bytes[cursor.at]!)) cursor.at += 1;
      if (bytes[cursor.at] !== quote) return false;
      degrees = parseDegrees(cursor.textFrom(start), limit) ?? Number.NaN;
    }
    cursor.at += 1;
    if (limit === 90) this.#lat = degrees;
    else this.#lon = degrees;
    return true;
  }

  #child(): boolean {
    const cursor = this.#cursor;
    if (!this.#hasEle && cursor.takes(words.ele.start)) return this.#passEle();
    if (!this.#hasTime && cursor.takes(words.time.start)) return this.#passTime();
    if (this.#element === 'trkpt') return !this.#isMeaningful() && passElement(cursor);
    if (!this.#hasName && cursor.takes(words.name.start)) return this.#passName();
    if (!this.#hasDesc && cursor.takes(words.desc.start)) return this.#passDesc();
    if (!this.#isMeaningful()) return passElement(cursor);
    return this.#passExtensions();
  }

  #passEle(): boolean {
    const cursor = this.#cursor;
    const start = cursor.at;
    this.#hasEle = true;
    const ele = passDecimal(cursor);
    if (cursor.takes(words.ele.end)) {
      // The number may be one that is too large for a double.
      this.#ele = Number.isFinite(ele) ? ele : Number.NaN;
      return passTagEnd(cursor);
    }
    const text = this.#value(start, words.ele.end);
    this.#ele = parseNumber(text) ?? Number.NaN;
    return text !== undefined;
  }

  #passTime(): boolean {
    const cursor = this.#cursor;
    const start = cursor.at;
    this.#hasTime = true;
    const timeMs = this.#byteTimes.pass(cursor);
    if (!Number.isNaN(timeMs) && cursor.takes(words.time.end)) {
      this.#timeMs = timeMs;
      return passTagEnd(cursor);
    }
    const text = this.#value(start, words.time.end);
    this.#timeMs = this.#times.parse(text);
    return text !== undefined;
  }

  #passName(): boolean {
    const text = this.#value(this.#cursor.at, words.name.end);
    this.#hasName = true;
    this.#name = text ?? '';
    return text !== undefined;
  }

  #passDesc(): boolean {
    const text = this.#value(this.#cursor.at, words.desc.end);
    this.#hasDesc = true;
    this.#desc = text ?? '';
    return text !== undefined;
  }

  /** Passes a text and its end tag; undefined = it is not one that can be read here. */
  #value(start: number, end: Uint8Array): string | undefined {
    const cursor = this.#cursor;
    cursor.at = start;
    // Line ends become one character for the parser, however they are written: that is left to it.
    if (!cursor.text() || cursor.hasReturn) return undefined;
    const text = cursor.textFrom(start);
    if (!cursor.takes(end) || !passTagEnd(cursor)) return undefined;
    return cursor.hasReference ? decodeReferences(text) : text;
  }

  /** Whether the element here says something about the point; one that was not taken until now is not for us then. */
  #isMeaningful(): boolean {
    const { bytes, at } = this.#cursor;
    let start = at + 1;
    let end = start;
    let hasPrefix = false;
    for (; isInName(bytes[end]!); end += 1) {
      if (bytes[end] !== colon || hasPrefix) continue;
      hasPrefix = true;
      start = end + 1;
    }
    return (
      end - start <= longest && meaningful[this.#element].has(bytes.toString('latin1', start, end))
    );
  }

  /** Passes extensions of a waypoint in which our tags cannot be. */
  #passExtensions(): boolean {
    const cursor = this.#cursor;
    const { at } = cursor;
    if (cursor.bytes.toString('latin1', at + 1, at + 1 + longest) !== extensions) return false;
    return passElement(cursor) && !cursor.bytes.subarray(at, cursor.at).includes(words.tags);
  }
}

function isInNumber(byte: number): boolean {
  return (byte >= 0x2b && byte <= 0x39) || byte === 0x65 || byte === 0x45;
}

/** Ends a name at the latest where the tag ends; what is no name at all fails later. */
function isInName(byte: number): boolean {
  return byte > 0x20 && byte !== slash && byte !== closeAngle && byte !== openAngle;
}
