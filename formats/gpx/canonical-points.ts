import { Buffer } from 'node:buffer';
import { exclamation, openAngle, slash } from '../ascii.ts';
import { ByteTimes, passDecimal } from './byte-values.ts';
import type { Recording } from '../points/recording.ts';
import { missingTime, parseNumber, parsePointTime } from '../points/point-values.ts';
import { isMeaningful, textsOf, words, type PointElement, type Texts } from './point-children.ts';
import { StartTags } from './start-tags.ts';
import { withLineEnds } from '../xml/characters.ts';
import { ByteCursor, type Stretch } from '../xml/byte-cursor.ts';
import { readRun, type RunResult } from '../xml/element-run.ts';
import { passElement, passTagEnd } from '../xml/pass-element.ts';
import { RepeatedElement } from '../xml/repeated-element.ts';
import { decodeReferences } from '../xml/references.ts';

/**
 * Reads runs of points from bytes, 4 to 7 times as fast as the parser. Knows only well-formed points without prefixes,
 * instructions and repeated values; the parser reads all others from their start, so both ways always agree.
 */
export class CanonicalPoints {
  readonly #recording: Recording;
  readonly #byteTimes = new ByteTimes();
  readonly #start = new StartTags();
  /** Extensions, which have no meaning for the points of this element. */
  #repeated = new RepeatedElement();
  #cursor = new ByteCursor({ bytes: Buffer.alloc(0), from: 0, to: 0, isUtf8: true });
  #element: PointElement = 'trkpt';
  #ele = Number.NaN;
  #timeMs = missingTime;
  #texts: Texts = {};
  /** Children seen so far: a duplicate falls back to the parser. */
  #hasEle = false;
  #hasTime = false;

  constructor(recording: Recording) {
    this.#recording = recording;
  }

  /**
   * Reads points that stand side by side, with white space and comments between, and delivers each as it is read.
   * @throws errors of the sink
   */
  read(stretch: Stretch, element: PointElement): RunResult {
    if (element !== this.#element) this.#repeated = new RepeatedElement();
    this.#element = element;
    this.#cursor = new ByteCursor(stretch);
    const word = words[element].start;
    return readRun(
      this.#cursor,
      (cursor) => cursor.accept(word),
      () => {
        const isPoint = this.#point();
        if (isPoint) this.#deliver();
        return isPoint;
      },
    );
  }

  #deliver(): void {
    const { lat, lon } = this.#start;
    if (this.#element === 'trkpt') {
      this.#recording.trackPoint(lat, lon, this.#ele, this.#timeMs);
    }
    if (this.#element === 'rtept')
      this.#recording.routePoint(lat, lon, this.#ele, this.#texts.name);
    if (this.#element === 'wpt')
      this.#recording.waypoint(lat, lon, this.#ele, this.#timeMs, this.#texts);
  }

  /** Passes a point behind its name. */
  #point(): boolean {
    const cursor = this.#cursor;
    this.#forget();
    if (!this.#start.pass(cursor)) return false;
    if (this.#start.isEmpty) return true;
    const { end } = words[this.#element];
    for (;;) {
      cursor.space();
      if (cursor.at >= cursor.end || cursor.bytes[cursor.at] !== openAngle) return false;
      const next = cursor.bytes[cursor.at + 1];
      if (next === slash) return cursor.accept(end) && passTagEnd(cursor);
      if (!(next === exclamation ? cursor.comment() : this.#child())) return false;
    }
  }

  #forget(): void {
    this.#ele = Number.NaN;
    this.#timeMs = missingTime;
    if (this.#element !== 'trkpt') this.#texts = {};
    this.#hasEle = false;
    this.#hasTime = false;
  }

  #child(): boolean {
    const cursor = this.#cursor;
    if (!this.#hasEle && cursor.accept(words.ele.start)) return this.#passEle();
    if (!this.#hasTime && cursor.accept(words.time.start)) return this.#passTime();
    for (const { name, start, end } of textsOf[this.#element])
      if (this.#texts[name] === undefined && cursor.accept(start)) {
        const text = this.#value(cursor.at, end);
        if (text !== undefined) this.#texts[name] = text;
        return text !== undefined;
      }
    if (this.#repeated.passAgain(cursor)) return true;
    if (!isMeaningful(this.#element, cursor)) return this.#repeated.pass(cursor);
    return this.#element === 'wpt' && this.#passExtensions();
  }

  #passEle(): boolean {
    const cursor = this.#cursor;
    const start = cursor.at;
    this.#hasEle = true;
    const ele = passDecimal(cursor);
    if (cursor.accept(words.ele.tag)) {
      // The number may be one that is too large for a double.
      this.#ele = Number.isFinite(ele) ? ele : Number.NaN;
      return true;
    }
    const text = this.#value(start, words.ele.end);
    this.#ele = parseNumber(text);
    return text !== undefined;
  }

  #passTime(): boolean {
    const cursor = this.#cursor;
    const start = cursor.at;
    this.#hasTime = true;
    const timeMs = this.#byteTimes.pass(cursor);
    if (!Number.isNaN(timeMs) && cursor.accept(words.time.tag)) {
      this.#timeMs = timeMs;
      return true;
    }
    const text = this.#value(start, words.time.end);
    this.#timeMs = parsePointTime(text);
    return text !== undefined;
  }

  /** Passes a value, in texts and CDATA sections, and its end tag; undefined = it is not one that can be read here. */
  #value(start: number, end: DataView): string | undefined {
    const cursor = this.#cursor;
    cursor.at = start;
    let value = this.#text();
    while (value !== undefined) {
      if (cursor.accept(end)) return passTagEnd(cursor) ? value : undefined;
      const section = cursor.section();
      if (section === undefined) return undefined;
      const text = this.#text();
      value = text === undefined ? undefined : value + withLineEnds(section) + text;
    }
    return undefined;
  }

  #text(): string | undefined {
    const cursor = this.#cursor;
    const start = cursor.at;
    if (!cursor.text()) return undefined;
    const text = withLineEnds(cursor.textFrom(start));
    return cursor.hasReference ? decodeReferences(text) : text;
  }

  /** Passes extensions of a waypoint in which nothing of ours can be. */
  #passExtensions(): boolean {
    const cursor = this.#cursor;
    const { at } = cursor;
    if (!cursor.accept(words.extensions)) return false;
    cursor.at = at;
    if (!passElement(cursor)) return false;
    const passed = cursor.bytes.subarray(at, cursor.at);
    return !passed.includes(words.tags) && !passed.includes(words.bookmark);
  }
}
