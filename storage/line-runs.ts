import type { Buffer } from 'node:buffer';
import { NumberReader, NumberWriter } from './number-columns.ts';
import { gapMs } from './outline.ts';

/** Neighbouring points of a line that are of one segment and all timed, or all not. */
export interface Run {
  readonly points: number;
  readonly isTimed: boolean;
  /** Its first point begins a segment. */
  readonly beginsSegment: boolean;
}

/** A part of a line ends with so many bytes, so that none grows without bound. */
const mostBytes = 32_768;
/** With two bits more it fits the numbers. */
const mostPoints = 2 ** 28;

/** Gathers runs, each as one variable-length number: how many points, whether timed, whether of a new segment. */
export class RunWriter {
  readonly #numbers = new NumberWriter();
  #points = 0;
  #isTimed = true;
  #beginsSegment = true;

  get isFull(): boolean {
    return this.#numbers.length >= mostBytes;
  }

  /** Whether a point without a time would go on with the last one. */
  get goesOn(): boolean {
    return this.#points > 0 && !this.#isTimed;
  }

  /** Points from now on are of another segment. */
  segment(): void {
    this.#end();
    this.#beginsSegment = true;
  }

  point(isTimed: boolean): void {
    if (isTimed !== this.#isTimed || this.#points === mostPoints) {
      this.#end();
      this.#isTimed = isTimed;
    }
    this.#points += 1;
  }

  /** @returns all runs since the last call; the next one goes on in the same segment. */
  take(): Buffer {
    this.#end();
    return this.#numbers.take();
  }

  #end(): void {
    if (this.#points === 0) return;
    const kind = (this.#isTimed ? 2 : 0) + (this.#beginsSegment ? 1 : 0);
    this.#numbers.add(this.#points * 4 + kind);
    this.#points = 0;
    this.#beginsSegment = false;
  }
}

/** @throws DayBlobCorrupt */
export function* readRuns(blob: Uint8Array): Generator<Run> {
  const reader = new NumberReader(blob);
  while (!reader.isOver) {
    const number = reader.next();
    const isTimed = (number & 2) !== 0;
    yield { points: number >>> 2, isTimed, beginsSegment: (number & 1) !== 0 };
  }
}

/**
 * Gives points without a time moments that are more than a gap apart where a line ends between them, so that maps treat
 * them as those that have one.
 * @returns whether another line begins with the first of them, and whether the line ends with the last.
 * @throws DayBlobCorrupt
 */
export function fillClock(runs: Uint8Array, timeMs: Float64Array) {
  let [at, clock, isCut] = [0, 0, false];
  let beginsAnew = false;
  for (const { points, isTimed, beginsSegment } of readRuns(runs)) {
    isCut ||= isTimed || beginsSegment;
    if (isTimed) continue;
    if (at === 0) beginsAnew = isCut;
    else if (isCut) clock += gapMs + 1_000;
    timeMs.fill(clock, at, at + points);
    at += points;
    isCut = false;
  }
  return { beginsAnew, endsCut: isCut };
}
