import { cityRadiusM, solarHours, type City } from './cities.ts';
import { metresBetween } from './geometry.ts';
import type { Journey } from './journey.ts';
import type { Fix, Span } from './recorder.ts';
import type { Ride, Visit } from './traveller.ts';

/** A stay that really was. */
export interface TrueStay extends Visit {
  /**
   * Silences hide half of it and more, or leave less than eight minutes: nobody can find it, so it is neither missed nor
   * wrong if it is found. A recorder that sleeps meanwhile tells of a stay by falling asleep and by waking up: where a
   * silence hides one of these, the stay is hidden.
   */
  readonly isHidden: boolean;
  /** Something was recorded about when it ended. */
  readonly isEndSeen: boolean;
}

/** Truth about one country. */
export interface CountryTruth {
  /** Undefined where a silence or a boundary of a stay makes it a matter of opinion. */
  readonly nights: number | undefined;
  readonly recordedDays: number | undefined;
}

export interface Truth {
  readonly stays: readonly TrueStay[];
  readonly ways: readonly Ride[];
  readonly countries: ReadonlyMap<string, CountryTruth>;
  /** UTC days with a fix. */
  readonly activeDays: number;
}

const minuteMs = 60_000;
const hourMs = 3_600_000;
const dayMs = 86_400_000;
const shortestMs = 8 * minuteMs;
/** A recorder that sleeps while one is still is awake for so long at least. */
const fallsAsleepMs = 2 * minuteMs;

/** Recording of a journey. */
export interface Evidence {
  /** In order of time, without flaws. */
  readonly fixes: readonly Fix[];
  /** When no device recorded at all. */
  readonly silences: readonly Span[];
  /** When none had reception for some minutes. */
  readonly holes: readonly Span[];
  /** Recorders sleep while the person is still. */
  readonly isAsleepWhenStill: boolean;
}

export function truthOf({ visits, ways, towns, trail }: Journey, evidence: Evidence): Truth {
  const { fixes, silences, holes, isAsleepWhenStill } = evidence;
  const stays = visits.map((visit) => {
    const seen = visiblePart(visit, silences);
    const seenMs = seen.endMs - seen.startMs;
    const isEndHidden = visit.endMs >= trail.endMs || isSilentAround(visit.endMs, silences);
    const isStartSeen = !isIn(visit.startMs + fallsAsleepMs, silences);
    const isTold = !isAsleepWhenStill || (isStartSeen && !isEndHidden);
    const isEndSeen = !isEndHidden && !isIn(visit.endMs, holes);
    const isEnough = seenMs >= shortestMs && seenMs >= (visit.endMs - visit.startMs) / 2;
    return { ...visit, isHidden: !isTold || !isEnough, isEndSeen };
  });
  const flights = ways.filter(({ mode }) => mode === 'flight');
  const days = daysByTown(fixes, towns, flights);
  const countries = towns.map((town): [string, CountryTruth] => [
    town.country,
    { nights: nightsIn(town, towns, fixes), recordedDays: days.get(town.country) },
  ]);
  const activeDays = new Set(fixes.map(({ timeMs }) => Math.floor(timeMs / dayMs))).size;
  return { stays, ways, countries: new Map(countries), activeDays };
}

/** A stay without the silences at its ends. */
function visiblePart({ startMs, endMs }: Span, silences: readonly Span[]): Span {
  let [from, to] = [startMs, endMs];
  for (const silence of silences) if (silence.startMs <= from) from = Math.max(from, silence.endMs);
  for (const silence of silences.toReversed()) {
    if (silence.startMs < to && silence.endMs >= to) to = silence.startMs;
  }
  return { startMs: from, endMs: Math.max(from, to) };
}

function isIn(timeMs: number, spans: readonly Span[]): boolean {
  return spans.some(({ startMs, endMs }) => startMs <= timeMs && timeMs <= endMs);
}

function isSilentAround(timeMs: number, silences: readonly Span[]): boolean {
  return silences.some(
    ({ startMs, endMs }) => startMs - 10 * minuteMs < timeMs && endMs + 10 * minuteMs > timeMs,
  );
}

/**
 * Moments of 03:00 solar time with a fix in the country before and after; undefined where one of these fixes was between
 * towns within its reach, and so perhaps in it.
 */
function nightsIn(town: City, towns: readonly City[], fixes: readonly Fix[]): number | undefined {
  const shiftMs = (solarHours(town) - 3) * hourMs;
  const nightOf = ({ timeMs }: Fix): number => Math.floor((timeMs + shiftMs) / dayMs);
  let nights = 0;
  for (const [index, fix] of fixes.entries()) {
    const next = fixes[index + 1];
    if (next === undefined || nightOf(next) === nightOf(fix)) continue;
    const here = [fix, next].map((one) =>
      towns.find((each) => metresBetween(each, one) < cityRadiusM),
    );
    const isThere = here.every((one) => one === town);
    const mayBeThere = [fix, next].every((one, i) =>
      here[i] === undefined ? metresBetween(town, one) < town.reachKm * 1_000 : here[i] === town,
    );
    if (mayBeThere && !isThere) return undefined;
    if (isThere && next.timeMs - fix.timeMs <= 72 * hourMs) nights += nightOf(next) - nightOf(fix);
  }
  return nights;
}

/**
 * UTC days with a fix, by country. A day on which the person was seen in no town of the country, but somewhere between
 * towns within its reach, or in the air above it, makes the count a matter of where the border and the ground are: then there
 * is none.
 */
function daysByTown(
  fixes: readonly Fix[],
  towns: readonly City[],
  flights: readonly Span[],
): Map<string, number | undefined> {
  const certain = new Map(towns.map(({ country }) => [country, new Set<number>()]));
  const doubtful = new Map(towns.map(({ country }) => [country, new Set<number>()]));
  for (const fix of fixes) {
    const day = Math.floor(fix.timeMs / dayMs);
    const here = towns.find((town) => metresBetween(town, fix) < cityRadiusM);
    if (here !== undefined && !isIn(fix.timeMs, flights)) certain.get(here.country)!.add(day);
    else {
      for (const town of towns) {
        if (metresBetween(town, fix) < town.reachKm * 1_000) doubtful.get(town.country)!.add(day);
      }
    }
  }
  return new Map(
    [...certain].map(([country, days]) => {
      const isCertain = [...doubtful.get(country)!].every((day) => days.has(day));
      return [country, isCertain ? days.size : undefined];
    }),
  );
}
