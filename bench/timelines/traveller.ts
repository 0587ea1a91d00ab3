import type { Random } from '../random.ts';
import { between, metresBetween, moved, type Position } from './geometry.ts';
import type { Customs, Mode } from './customs.ts';
import { StreetPath } from './path.ts';
import { Trail } from './trail.ts';

/** Time spent at one place on purpose; ms since 1970, `end` is the first step away. */
export interface Visit extends Position {
  readonly startMs: number;
  readonly endMs: number;
  readonly country: string;
}

/** One way by one means. */
export interface Ride {
  readonly startMs: number;
  readonly endMs: number;
  readonly mode: 'walk' | 'bike' | 'car' | 'train' | 'flight';
  readonly metres: number;
}

const modeNames = { walk: 'walk', cycle: 'bike', drive: 'car', motorway: 'car' } as const;

/** Jams and stops for fuel are this far from where a way begins and ends, so that they are no part of a visit. */
const clearOfEndsM = 500;
const minuteMs = 60_000;

/** Moves and stays, second by second, and writes down the truth. */
export class Traveller {
  readonly trail = new Trail();
  readonly visits: Visit[] = [];
  readonly rides: Ride[] = [];
  timeMs: number;
  position: Position;
  readonly #random: Random;
  readonly #customs: Customs;

  constructor(random: Random, customs: Customs, timeMs: number, position: Position) {
    this.#random = random;
    this.#customs = customs;
    this.timeMs = timeMs;
    this.position = position;
    this.trail.add(timeMs, position);
  }

  /** Stays about the present position, walking about in rooms; asleep they lie still. */
  stay(untilMs: number, country: string): void {
    const random = this.#random;
    const centre = this.position;
    const roomM = random.between(3, 18);
    this.visits.push({ ...centre, startMs: Math.round(this.timeMs), endMs: untilMs, country });
    for (;;) {
      const next = this.timeMs + random.between(2, 25) * minuteMs;
      if (next + minuteMs > untilMs) break;
      this.#to(next, this.position);
      const spot = moved(centre, random.bell() * roomM * 2, random.bell() * roomM * 2);
      this.#to(next + random.between(10, 40) * 1_000, spot);
    }
    // Who leaves does so by the door.
    this.#to(untilMs, centre);
  }

  /** Goes through streets. Waits at crossings, crawls in jams, and may stop for fuel; none of that is a visit. */
  go(to: Position, mode: Mode): void {
    const random = this.#random;
    const path = new StreetPath(random, this.#customs.streets, this.position, to);
    const startMs = this.timeMs;
    const habits = this.#customs.traffic[mode];
    const cruise = random.between(...habits.speed);
    let jamAt = this.#heldUpAt(path.metres, habits.jamShare);
    let fuelAt = this.#heldUpAt(path.metres, habits.fuelShare);
    let at = 0;
    while (at < path.metres) {
      if (at >= jamAt) {
        at = this.#jam(path, at);
        jamAt = Infinity;
      } else if (at >= fuelAt) {
        at = this.#fuel(path, at);
        fuelAt = Infinity;
      }
      const step = Math.min(random.between(0.3, 1.7) * habits.crossingM, path.metres - at);
      at = this.#cruise(path, at, step, cruise);
      if (at < path.metres && random.unit() < habits.waitShare) {
        this.wait(random.between(...habits.waitS) * 1_000);
      }
    }
    this.position = to;
    this.trail.add(this.timeMs, to);
    const { metres } = path;
    this.rides.push({ startMs, endMs: this.timeMs, mode: modeNames[mode], metres });
  }

  /** Stands still without that being a visit. */
  wait(ms: number): void {
    this.#to(this.timeMs + ms, this.position);
  }

  /** Flies or rides straight, at a speed that ends it after about `hours`; stops of up to three minutes on the way. */
  ride(to: Position, hours: number, mode: 'train' | 'flight'): void {
    const random = this.#random;
    const from = this.position;
    const startMs = this.timeMs;
    const halts = mode === 'train' ? random.below(8) : 0;
    const stepKm = 4;
    const steps = Math.max(20, Math.round(metresBetween(from, to) / 1_000 / stepKm));
    const stepMs = (hours * 3_600_000) / steps;
    const haltAt = new Set(Array.from({ length: halts }, () => 5 + random.below(steps - 10)));
    for (let i = 1; i <= steps; i += 1) {
      this.#to(this.timeMs + stepMs, i === steps ? to : between(from, to, i / steps));
      if (haltAt.has(i)) this.wait(random.between(1, 3) * minuteMs);
    }
    this.rides.push({ startMs, endMs: this.timeMs, mode, metres: metresBetween(from, to) });
  }

  #heldUpAt(metres: number, share: number): number {
    const room = metres - 2 * clearOfEndsM;
    const happens = this.#random.unit() < share;
    return happens && room > 500 ? clearOfEndsM + this.#random.unit() * (room - 500) : Infinity;
  }

  #cruise(path: StreetPath, from: number, metres: number, cruise: number): number {
    const speed = cruise * this.#random.between(0.85, 1.15);
    const pieces = Math.max(1, Math.ceil(metres / 60));
    for (let i = 1; i <= pieces; i += 1) {
      const pieceM = metres / pieces;
      this.#to(this.timeMs + (pieceM / speed) * 1_000, path.at(from + pieceM * i));
    }
    return from + metres;
  }

  #jam(path: StreetPath, from: number): number {
    const random = this.#random;
    const [minutes, speed] = [random.between(3, 14), random.between(0.5, 2.5)];
    return this.#crawl(path, from, minutes * minuteMs, speed);
  }

  /** Stop and go: stands for 3–50 s, rolls on, so that the mean is as given; never near the end of the way. */
  #crawl(path: StreetPath, from: number, durationMs: number, meanSpeed: number): number {
    const random = this.#random;
    const endMs = this.timeMs + durationMs;
    let at = from;
    while (this.timeMs < endMs && at < path.metres - clearOfEndsM) {
      const standS = random.between(3, 50);
      const rollSpeed = meanSpeed + random.between(1.5, 4);
      const metres = (meanSpeed * standS) / (1 - meanSpeed / rollSpeed);
      this.wait(standS * 1_000);
      at = this.#cruise(path, at, metres, rollSpeed);
    }
    return at;
  }

  /** Rolls into the queue, is at the pump for one to three minutes, and rolls out. */
  #fuel(path: StreetPath, from: number): number {
    const random = this.#random;
    const rollMs = (): number => random.between(1, 5) * minuteMs;
    const queued = this.#crawl(path, from, rollMs(), random.between(0.5, 1.2));
    this.wait(random.between(1, 3) * minuteMs);
    return this.#crawl(path, queued, rollMs(), random.between(0.5, 1.2));
  }

  #to(timeMs: number, position: Position): void {
    this.timeMs = timeMs;
    this.position = position;
    this.trail.add(timeMs, position);
  }
}
