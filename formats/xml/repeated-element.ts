import type { Buffer } from 'node:buffer';
import { wordOf, type ByteCursor } from './byte-cursor.ts';
import { passElement } from './pass-element.ts';

/** Bytes of the longest element that is learnt; the extensions of real points have up to 300. */
const maxBytes = 2_048;

/**
 * Elements that a device repeats in each point with other numbers, such as its extensions: what stands between the numbers is
 * compared, in a tenth of the time of taking it apart. What is taken so is well-formed, as the element that was learnt is.
 */
export class RepeatedElement {
  /** The text between the numbers of the learnt element. */
  #words: readonly DataView[] = [];
  #lines = 0;
  #misses = 0;
  /** Doubles, so that where elements differ hardly any is learnt. */
  #learnsAt = 1;

  /** Passes one that differs from the one that was learnt in its numbers at most, or stays. */
  passAgain(cursor: ByteCursor): boolean {
    const { at } = cursor;
    for (const word of this.#words) {
      cursor.digits();
      if (cursor.accept(word)) continue;
      cursor.at = at;
      return false;
    }
    cursor.lines += this.#lines;
    return cursor.at > at;
  }

  /** Passes any element. */
  pass(cursor: ByteCursor): boolean {
    const { at, lines } = cursor;
    if (!passElement(cursor)) return false;
    this.#misses += 1;
    if (this.#misses === this.#learnsAt) {
      this.#learnsAt *= 2;
      this.#learn(cursor.bytes.subarray(at, cursor.at), cursor.lines - lines);
    }
    return true;
  }

  #learn(element: Buffer, lines: number): void {
    if (element.length > maxBytes) return;
    // In comments and sections, numbers mean no more than in texts.
    this.#words = element
      .toString('latin1')
      .split(/(?<=>)[-.\d]+(?=<)/)
      .map(wordOf);
    this.#lines = lines;
  }
}
