import { Random } from '../random.ts';
import { metresBetween, type Position } from './geometry.ts';
import type { Journey } from './journey.ts';
import type { Profile } from './profile.ts';
import { Receiver } from './receiver.ts';

/** Points that a recorder writes. */
export interface Fix extends Position {
  /** ms since 1970; whole seconds. */
  readonly timeMs: number;
}

export interface Span {
  readonly startMs: number;
  readonly endMs: number;
}

export interface Recording {
  /** In order of time. */
  readonly fixes: readonly Fix[];
  /** When the recorder was off altogether: 20 minutes to 8 hours each, and some whole rides. */
  readonly silences: readonly Span[];
  /** When it had no reception indoors: up to 12 minutes each. */
  readonly holes: readonly Span[];
}

const minuteMs = 60_000;
const hourMs = 3_600_000;

/** Records a journey as a profile says. The same journey, profile and seed give the same fixes. */
export function record(
  { trail, visits, rides }: Pick<Journey, 'trail' | 'visits' | 'rides'>,
  profile: Profile,
  seed: number,
): Recording {
  const random = new Random(seed);
  const silences = makeSilences(random, { trail, rides }, profile.silencesADay);
  const receiver = new Receiver(random, profile.indoorsM);
  const sessions = new Sessions(random, profile);
  const { wakeM } = profile;
  const still = wakeM === undefined ? undefined : new StillSilence(random, wakeM);
  const fixes: Fix[] = [];
  let visit = 0;
  let isIndoors: boolean | undefined;
  for (let timeMs = trail.startMs; timeMs < trail.endMs; timeMs += sessions.stepMs(timeMs)) {
    while (visit < visits.length && visits[visit]!.endMs <= timeMs) visit += 1;
    const isInside = visit < visits.length && visits[visit]!.startMs <= timeMs;
    if (isInside !== isIndoors) receiver.enter(isInside);
    isIndoors = isInside;
    const truth = trail.at(timeMs);
    if (still?.isAsleep(timeMs, truth) === true) continue;
    if (sessions.isLost(timeMs, isInside)) continue;
    if (silences.some(({ startMs, endMs }) => timeMs >= startMs && timeMs < endMs)) continue;
    fixes.push({ timeMs, ...receiver.fix(timeMs, truth) });
  }
  return { fixes, silences, holes: sessions.holes };
}

/** One in about three days at random, and two of three rides: phones are in flight mode, or in the luggage. */
function makeSilences(
  random: Random,
  { trail, rides }: Pick<Journey, 'trail' | 'rides'>,
  aDay = random.between(0.1, 0.5),
): Span[] {
  const silences = rides.filter(() => random.unit() < 0.67).map((ride) => ({ ...ride }));
  const span = trail.endMs - trail.startMs;
  const count = Math.round((span / (24 * hourMs)) * aDay);
  for (let i = 0; i < count; i += 1) {
    const startMs = trail.startMs + Math.floor(random.unit() * span);
    silences.push({ startMs, endMs: startMs + logBetween(random, 20 * minuteMs, 8 * hourMs) });
  }
  return silences.toSorted((a, b) => a.startMs - b.startMs);
}

/** Short distances and times are more frequent than long ones. */
export function logBetween(random: Random, low: number, high: number): number {
  return Math.round(low * (high / low) ** random.unit());
}

/** Intervals by session, lost fixes, and holes of up to 12 minutes indoors. */
class Sessions {
  readonly holes: Span[] = [];
  readonly #random: Random;
  readonly #profile: Profile;
  readonly #lossShare: number;
  #intervalS = 0;
  #sessionEndMs = -Infinity;
  #holeEndMs = -Infinity;

  constructor(random: Random, profile: Profile) {
    this.#random = random;
    this.#profile = profile;
    this.#lossShare = random.between(0, 0.05);
  }

  stepMs(timeMs: number): number {
    const { intervalS } = this.#profile;
    const random = this.#random;
    if (intervalS[0] === 'between') {
      return Math.round(random.between(intervalS[1], intervalS[2] as number)) * 1_000;
    }
    if (timeMs >= this.#sessionEndMs) {
      this.#intervalS = random.pick(intervalS as readonly number[]);
      this.#sessionEndMs = timeMs + random.between(1, 9) * hourMs;
    }
    const jitter = this.#intervalS < 5 ? 0 : random.bell() * this.#intervalS * 0.15;
    return Math.round(this.#intervalS + jitter) * 1_000;
  }

  isLost(timeMs: number, isIndoors: boolean): boolean {
    const random = this.#random;
    if (timeMs < this.#holeEndMs) return true;
    const isSparse = this.#intervalS === 0;
    if (isIndoors && !isSparse && random.unit() < this.#intervalS / 10_800) {
      this.#holeEndMs = timeMs + random.between(1, 12) * minuteMs;
      this.holes.push({ startMs: timeMs, endMs: this.#holeEndMs });
      return true;
    }
    return random.unit() < this.#lossShare;
  }
}

/** Falls silent after two to four minutes without a step, and wakes up some way off. */
class StillSilence {
  readonly #random: Random;
  #anchor: Position | undefined;
  #anchorMs = 0;
  #patienceMs = 0;
  #wakeM = 0;
  #isAsleep = false;
  readonly #wakeRangeM: readonly [low: number, high: number];

  constructor(random: Random, wakeRangeM: readonly [low: number, high: number]) {
    this.#random = random;
    this.#wakeRangeM = wakeRangeM;
  }

  isAsleep(timeMs: number, truth: Position): boolean {
    const far = this.#anchor === undefined ? Infinity : metresBetween(this.#anchor, truth);
    if (this.#isAsleep ? far > this.#wakeM : far > 30) {
      this.#isAsleep = false;
      this.#anchor = truth;
      this.#anchorMs = timeMs;
      this.#patienceMs = this.#random.between(2, 4) * minuteMs;
      this.#wakeM = this.#random.between(...this.#wakeRangeM);
    } else if (timeMs - this.#anchorMs > this.#patienceMs) this.#isAsleep = true;
    return this.#isAsleep;
  }
}
