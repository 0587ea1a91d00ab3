import type { TripMode } from '../../../../model/timeline-result.ts';
import { likeliestMode } from './likeliest-mode.ts';
import { speedEnds, type Movement } from './movement.ts';

export interface ModeGuess {
  readonly mode: TripMode;
  /** 0…1 */
  readonly confidence: number;
}

/** m/s. */
const fastestCar = 44;
/** A shorter way says nothing about how it was gone, metres. */
const leastM = 100;
type Limits = Readonly<Record<'walk' | 'run' | 'bike' | 'car', number>>;
/** By the speed that a tenth of the time is faster than, m/s: who goes on foot, runs or cycles is no faster. */
const limits: Limits = { walk: 2.8, run: 3.6, bike: 7.6, car: fastestCar };
/** A shorter run is a hurried walk, metres. */
const shortestRunM = 1_500;
/** Where fixes are so far apart, s, crossings and corners between them make everything look slower. */
const sparse = [
  { leastS: 45, limits: { walk: 2.5, run: 3.1, bike: 7, car: fastestCar } },
  { leastS: 20, limits: { walk: 2.65, run: 3.3, bike: 7.6, car: fastestCar } },
];
/** So short a way has hardly any observations: its mean speed says more than its fastest part, metres and m/s. */
const strollM = 500;
const strollSpeed = 2.5;
/** Where they are this far apart, s, a way is one or two of them, with waiting at both ends. */
const minutesApartS = 150;
/** A longer silence may hide more than one way, ms. */
const longestGapMs = 3_600_000;
/** A mode that is less likely is not said: one in seven of those said is wrong. */
const leastSure = 0.7;
/** Ways differ more than a model of them. */
const modelShare = 0.9;
/** The speed of ships and boats, m/s. */
const boatSpeed = 22;
/** Share of the time below a brisk walk: cars stand still now and then, trains hardly. */
const trainStopShare = 0.08;
const trainSpeed = 24;
/** Longest drive without a rest, ms. */
const longestDriveMs = 5 * 3_600_000;
const trainM = 30_000;
/** Nothing is known of most of the way: its mean speed is a weaker sign. */
const recordedShare = 0.5;

/** Slow silences that last longer, ms, or for a greater share of a way may hide how it was gone. */
const mostSlowMs = 3_600_000;
const mostSlowShare = 0.5;

/** Guesses the mode of travel from speed and evenness. */
export function modeOf(movement: Movement): ModeGuess {
  const { silentM, flownM, seaM, metres } = movement;
  const recordedM = sum(metres);
  const totalM = recordedM + silentM;
  if (totalM < leastM) return { mode: 'unknown', confidence: 0 };
  if (flownM > totalM / 2) return { mode: 'flight', confidence: recordedM > silentM ? 0.98 : 0.9 };
  if (isHidden(movement)) return { mode: 'unknown', confidence: 0 };
  const apartMs = (sum(movement.ms) + movement.silentMs) / (movement.observations + 1);
  const isFew = apartMs >= minutesApartS * 1_000;
  const isSilent = recordedM < recordedShare * totalM;
  if (isSilent && !(isFew && isOneDrive(movement))) return guessSilent(movement);
  const fast = speedAt(movement.ms, 0.9);
  if (seaM > 0.4 * recordedM && fast < boatSpeed) return { mode: 'boat', confidence: 0.8 };
  if (isTrain(movement, recordedM)) return { mode: 'train', confidence: 0.6 };
  if (isFew) return minutesApart(movement, totalM);
  return onLand(movement, recordedM, totalM);
}

/** Whether slow silences hide how a way was gone. */
export function isHidden({ slowSilentMs, silentMs, ms }: Movement): boolean {
  const share = slowSilentMs / (silentMs + sum(ms));
  return slowSilentMs >= mostSlowMs || share > mostSlowShare;
}

/** A silence that is no longer than one way, and no faster than a car. */
function isOneDrive({ silentM, silentMs }: Movement): boolean {
  return silentMs <= longestGapMs && silentM * 1_000 < fastestCar * silentMs;
}

function minutesApart(movement: Movement, totalM: number): ModeGuess {
  const { ms, silentM, silentMs, observations, ends } = movement;
  const recordedS = sum(ms) / 1_000;
  const { mode, share } = likeliestMode({
    metres: totalM,
    seconds: recordedS + silentMs / 1_000,
    fixes: observations,
    ends,
    middle: {
      metres: totalM - silentM - sum(ends.map((leg) => leg.metres)),
      seconds: recordedS - sum(ends.map((leg) => leg.seconds)),
    },
  });
  return share < leastSure
    ? { mode: 'unknown', confidence: 0 }
    : { mode, confidence: Math.round(100 * modelShare * share) / 100 };
}

function onLand(movement: Movement, recordedM: number, totalM: number): ModeGuess {
  const fast = speedAt(movement.ms, 0.9);
  const isStroll = totalM < strollM && totalM * 1_000 < strollSpeed * sum(movement.ms);
  if (isStroll) return { mode: 'walk', confidence: 0.7 };
  const intervalS = sum(movement.ms) / 1_000 / Math.max(1, movement.observations);
  const all = sparse.find(({ leastS }) => intervalS >= leastS)?.limits ?? limits;
  const table = ascending(recordedM >= shortestRunM ? all : withoutRun(all));
  const at = table.findIndex(([, below]) => fast < below);
  const [mode, below] = table[at] ?? (['train', Infinity] as const);
  const above = table[at - 1]?.[1] ?? 0;
  return { mode, confidence: confidenceOf(fast, above, below, recordedM / totalM) };
}

/** Counts running as walking: on a short way both are on foot. */
function withoutRun({ run, bike, car }: Limits): Partial<Limits> {
  return { walk: run, bike, car };
}

function ascending(table: Partial<Limits>): [mode: TripMode, below: number][] {
  return Object.entries(table) as [TripMode, number][];
}

/** Fast for long, and hardly ever slow. */
function isTrain({ ms }: Movement, recordedM: number): boolean {
  if (recordedM < trainM) return false;
  const totalMs = sum(ms);
  const slowMs = sum(ms.slice(0, speedEnds.indexOf(4.5) + 1));
  const isFast = recordedM * 1_000 > trainSpeed * totalMs;
  return (isFast || totalMs > longestDriveMs) && slowMs < trainStopShare * totalMs;
}

function guessSilent({ silentM, silentMs }: Movement): ModeGuess {
  const speed = (silentM * 1_000) / silentMs;
  // Whatever else was done meanwhile, the way was faster than this.
  if (speed < limits.bike) return { mode: 'unknown', confidence: 0 };
  return { mode: speed < limits.car ? 'car' : 'train', confidence: 0.4 };
}

/** Less where another mode is as likely, and where less was recorded. */
function confidenceOf(speed: number, above: number, below: number, share: number): number {
  const margin = Math.min(
    (speed - above) / speed,
    below === Infinity ? 1 : (below - speed) / below,
  );
  return Math.round(100 * share * (0.5 + Math.min(0.45, margin))) / 100;
}

/** The speed that a share of the time is slower than; within a class as if even. */
function speedAt(ms: readonly number[], share: number): number {
  let left = share * sum(ms);
  for (const [at, part] of ms.entries()) {
    if (left <= part && part > 0) {
      const from = speedEnds[at - 1] ?? 0;
      const to = speedEnds[at] ?? from * 1.5;
      return from + ((to - from) * left) / part;
    }
    left -= part;
  }
  return speedEnds.at(-1)!;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
