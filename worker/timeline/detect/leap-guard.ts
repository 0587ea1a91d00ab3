import { distanceBetween, fixOf, type Fix } from '../earth.ts';
import { Point } from './point.ts';
import { PointQueue } from './point-queue.ts';

/** Over an hour at a fix a second. */
const capacity = 4_096;
/** A step is a leap if it is longer, metres, and faster, m/s, than any travel from rest to rest. */
const leapM = 3_000;
const leapSpeed = 30;
/** A leap begins at rest, m/s: two fixes a minute or more apart on a motorway are a long fast step, too. */
const restSpeed = 10;
/** How fast a longer step was is not known, ms; it may be one half of a leap there and back. */
const unknownMs = 300_000;
/** Out and back is more than so many times the way without it. */
const detour = 4;
/** A device that is elsewhere for longer is there, ms. */
const longestMs = 3_600_000;

/** A place before a leap. */
interface Home extends Fix {
  /** How many points are held back from before. */
  from: number;
  readonly outM: number;
  /** It was a leap, not only a long step in an unknown time. */
  readonly isLeap: boolean;
}

/** Most places that a leap may lead back to: towers alternate. */
const mostHomes = 16;

/**
 * Holds back what comes after a leap until it is known whether another one leads back: a phone that listens to a cell
 * tower far away says for minutes that it is there. What lies between the two leaps is not believed.
 */
export class LeapGuard {
  readonly #pass: (point: Point) => void;
  readonly #refuse: (point: Point) => void;
  readonly #held = new PointQueue(capacity);
  readonly #last = new Point();
  #isAtRest = true;
  /** In order of time; none while nothing is held back. */
  readonly #homes: Home[] = [];

  /** @param pass gets the observations that are believed; times never go back. */
  constructor(pass: (point: Point) => void, refuse: (point: Point) => void) {
    this.#pass = pass;
    this.#refuse = refuse;
    this.#last.timeMs = Number.NEGATIVE_INFINITY;
  }

  observe(point: Point): void {
    const homes = this.#homes;
    while (homes.length > 0 && point.timeMs - homes[0]!.timeMs > longestMs) this.#releaseFirst();
    const ms = point.timeMs - this.#last.timeMs;
    const metres = ms === Infinity ? 0 : distanceBetween(this.#last, point);
    if (metres > leapM) this.#step(point, metres, ms);
    if (this.#held.isFull) this.finish();
    if (homes.length === 0) this.#pass(point);
    else this.#held.push(point);
    this.#isAtRest = ms > unknownMs || metres * 1_000 <= restSpeed * ms;
    this.#last.copy(point);
  }

  /** Lets go of what is held back. */
  finish(): void {
    while (this.#homes.length > 0) this.#releaseFirst();
  }

  /** Goes far: back to where a leap began, or to where nothing is known yet. */
  #step(point: Point, metres: number, ms: number): void {
    const homes = this.#homes;
    const isLeap = metres * 1_000 > leapSpeed * ms;
    if (!isLeap && ms <= unknownMs) return;
    const back = homes.findIndex(
      (home) =>
        (isLeap || home.isLeap) && home.outM + metres > detour * distanceBetween(home, point),
    );
    if (back >= 0) {
      this.#refuseFrom(homes[back]!.from);
      homes.length = back;
    } else if (this.#isAtRest) {
      if (homes.length === mostHomes) this.#releaseFirst();
      homes.push({ ...fixOf(this.#last), from: this.#held.size, outM: metres, isLeap });
    }
  }

  #refuseFrom(index: number): void {
    const held = this.#held;
    for (let i = index; i < held.size; i += 1) this.#refuse(held.at(i));
    held.truncate(index);
  }

  /** Lets go of what came after the first leap, until the next. */
  #releaseFirst(): void {
    const held = this.#held;
    this.#homes.shift();
    const end = this.#homes[0]?.from ?? held.size;
    for (let i = 0; i < end; i += 1) {
      this.#pass(held.at(0));
      held.dropFirst();
    }
    for (const home of this.#homes) home.from -= end;
  }
}
