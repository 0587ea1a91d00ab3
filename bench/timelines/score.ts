import type { TimelineResult, TimelineStop } from '../../model/timeline-result.ts';
import { metresBetween } from './geometry.ts';
import { tripsOf, type ScoredTrip } from './trip-score.ts';
import type { Truth, TrueStay } from './truth.ts';

/** Score of a timeline; several are added by {@link sumOf}. */
export interface Score {
  readonly found: number;
  readonly missed: readonly TrueStay[];
  readonly wrong: readonly DetectedStay[];
  /** Seconds that were said to be spent at a place, and those of them that were. */
  readonly saidS: number;
  readonly rightS: number;
  /** True stays that several detected ones lie in. */
  readonly pieces: readonly TrueStay[];
  /** Seconds between the true and the detected end, where it was recorded. */
  readonly departureErrorsS: readonly number[];
  /** Countries whose nights (recorded days) are known, and those where the timeline says something else. */
  readonly nights: Exactness;
  readonly recordedDays: Exactness;
  readonly trips: readonly ScoredTrip[];
}

export interface Exactness {
  readonly known: number;
  /** `DE 4 for 5`, the timeline's number first. */
  readonly differences: readonly string[];
}

export interface DetectedStay {
  readonly lat: number;
  readonly lon: number;
  readonly startMs: number;
  readonly endMs: number;
}

/** A detected stay is a true one when their centres are this near and they share half the time of both. */
const sameplaceM = 150;
const commonShare = 0.5;

/**
 * Compares stays one to one. Time bridged over silences counts like any other: who reads the totals cannot tell it from
 * recorded time, so saying that somebody was where they were not is as wrong there.
 */
export function scoreOf(result: TimelineResult, truth: Truth): Score {
  const detected = result.timeline.filter(({ kind }) => kind === 'stay').map(detectedStay);
  const matches = matchStays(detected, truth.stays);
  const matched = new Set(matches.values());
  const right = [...matches].filter(([, stay]) => !stay.isHidden);
  return {
    found: right.length,
    missed: truth.stays.filter((stay) => !stay.isHidden && !matched.has(stay)),
    wrong: detected.filter((stay) => !matches.has(stay) && !isOfHidden(stay, truth)),
    saidS: sum(detected.map(seconds)),
    rightS: sum(detected.map((stay) => sum(truth.stays.map((one) => commonAtPlace(stay, one))))),
    pieces: truth.stays.filter((stay) => piecesOf(stay, detected) > 1),
    departureErrorsS: right
      .filter(([, stay]) => stay.isEndSeen)
      .map(([stay, { endMs }]) => Math.abs(stay.endMs - endMs) / 1_000),
    nights: compared(truth, result, 'nights', 'nights'),
    recordedDays: compared(truth, result, 'recordedDays', 'recorded_days'),
    trips: tripsOf(result, truth),
  };
}

/** Adds scores, as if all were one long timeline. */
export function sumOf(scores: readonly Score[]): Score {
  const exactness = (of: (score: Score) => Exactness): Exactness => ({
    known: sum(scores.map((score) => of(score).known)),
    differences: scores.flatMap((score) => of(score).differences),
  });
  return {
    found: sum(scores.map(({ found }) => found)),
    missed: scores.flatMap(({ missed }) => missed),
    wrong: scores.flatMap(({ wrong }) => wrong),
    saidS: sum(scores.map(({ saidS }) => saidS)),
    rightS: sum(scores.map(({ rightS }) => rightS)),
    pieces: scores.flatMap(({ pieces }) => pieces),
    departureErrorsS: scores.flatMap(({ departureErrorsS }) => departureErrorsS),
    nights: exactness(({ nights }) => nights),
    recordedDays: exactness(({ recordedDays }) => recordedDays),
    trips: scores.flatMap(({ trips }) => trips),
  };
}

export function f1Of({ found, wrong, missed }: Score): number {
  return found === 0 ? 0 : (2 * found) / (2 * found + wrong.length + missed.length);
}

export function dwellPrecisionOf({ saidS, rightS }: Score): number {
  return saidS === 0 ? 0 : rightS / saidS;
}

/** Stays that were told of, for each that could be found. */
export function staysRatioOf({ found, wrong, missed }: Score): number {
  return (found + wrong.length) / Math.max(1, found + missed.length);
}

function detectedStay(stop: TimelineStop): DetectedStay {
  return {
    lat: stop.latitude,
    lon: stop.longitude,
    startMs: Date.parse(stop.first_observation_utc),
    endMs: Date.parse(stop.last_observation_utc),
  };
}

/** Stays of one side do not overlap, so the pairs that share most come first and each has one partner. */
function matchStays(
  detected: readonly DetectedStay[],
  stays: readonly TrueStay[],
): Map<DetectedStay, TrueStay> {
  const pairs = detected.flatMap((stay) =>
    stays.map((truth) => ({ stay, truth, shared: commonAtPlace(stay, truth) })),
  );
  const matches = new Map<DetectedStay, TrueStay>();
  const taken = new Set<TrueStay>();
  for (const { stay, truth, shared } of pairs.toSorted((a, b) => b.shared - a.shared)) {
    const isEnough = shared > 0 && shared >= commonShare * Math.max(seconds(stay), seconds(truth));
    if (!isEnough || matches.has(stay) || taken.has(truth)) continue;
    matches.set(stay, truth);
    taken.add(truth);
  }
  return matches;
}

/** Half of it lies in stays that nobody has to find. */
function isOfHidden(stay: DetectedStay, { stays }: Truth): boolean {
  const hidden = stays.filter(({ isHidden }) => isHidden);
  return sum(hidden.map((one) => commonAtPlace(stay, one))) >= commonShare * seconds(stay);
}

function piecesOf(truth: TrueStay, detected: readonly DetectedStay[]): number {
  const inside = detected.filter(
    (stay) => commonAtPlace(stay, truth) > 0 && commonAtPlace(stay, truth) >= seconds(stay) / 2,
  );
  return inside.length;
}

function commonAtPlace(a: DetectedStay, b: DetectedStay): number {
  const shared = Math.min(a.endMs, b.endMs) - Math.max(a.startMs, b.startMs);
  return shared > 0 && metresBetween(a, b) <= sameplaceM ? shared / 1_000 : 0;
}

function compared(
  { countries }: Truth,
  { places }: TimelineResult,
  known: 'nights' | 'recordedDays',
  said: 'nights' | 'recorded_days',
): Exactness {
  const differences: string[] = [];
  let count = 0;
  for (const [country, truth] of countries) {
    const wanted = truth[known];
    if (wanted === undefined) continue;
    count += 1;
    const row = places.find(({ level, country_id: id }) => level === 'country' && id === country);
    const got = row?.[said] ?? 0;
    if (got !== wanted) differences.push(`${country} ${got} for ${wanted}`);
  }
  return { known: count, differences };
}

function seconds({ startMs, endMs }: Pick<DetectedStay, 'startMs' | 'endMs'>): number {
  return (endMs - startMs) / 1_000;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
