import type { Random } from '../random.ts';
import { moved, type Position } from './geometry.ts';

/**
 * The error of a receiver: it drifts, because the sky, the houses around and the filter in the chip change slowly. Its
 * size is 5–30 m (standard deviation to the east, and to the north) and is another one for each situation; a metre or two
 * of it is independent from fix to fix.
 */
export class Receiver {
  readonly #random: Random;
  readonly #indoorsM: number | undefined;
  #deviationM = 5;
  #memoryMs = 60_000;
  #east = 0;
  #north = 0;
  #timeMs = -Infinity;

  /** @param indoorsM its error indoors, instead of one that differs. */
  constructor(random: Random, indoorsM?: number) {
    this.#random = random;
    this.#indoorsM = indoorsM;
  }

  /** Indoors errors are larger and change more slowly. */
  enter(isIndoors: boolean): void {
    const random = this.#random;
    if (isIndoors && this.#indoorsM !== undefined) {
      this.#deviationM = this.#indoorsM;
      this.#memoryMs = 600_000;
      return;
    }
    this.#deviationM = isIndoors ? random.between(5, 30) : random.between(5, 14);
    this.#memoryMs = (isIndoors ? random.between(90, 900) : random.between(30, 120)) * 1_000;
  }

  /** Reports a position for a real one at a moment, not before the last one. */
  fix(timeMs: number, truth: Position): Position {
    const keep = Math.exp((this.#timeMs - timeMs) / this.#memoryMs);
    const fresh = this.#deviationM * Math.sqrt(1 - keep * keep);
    this.#east = this.#east * keep + fresh * this.#normal();
    this.#north = this.#north * keep + fresh * this.#normal();
    this.#timeMs = timeMs;
    return moved(truth, this.#east + this.#normal(), this.#north + this.#normal());
  }

  /** Deviation 1, as near to normal as six draws make it. */
  #normal(): number {
    return (this.#random.bell() + this.#random.bell()) * 2.1213;
  }
}
