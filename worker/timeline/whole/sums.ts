import { weekdayOf } from '../../../model/calendar-date.ts';
import type { WholeTimeline } from './whole.ts';

/** Calendar days since 1970, both inclusive; infinite where a request names none. */
export interface DaySpan {
  readonly fromDay: number;
  readonly toDay: number;
}

/** What a period has of one place. Times are ms since 1970 UTC. */
export interface PlaceSum {
  readonly place: number;
  visits: number;
  ms: number;
  nights: number;
  /** From 8 to 18 from Monday to Friday, and the days that have some of it. */
  workMs: number;
  workDays: number;
  readonly firstMs: number;
  lastMs: number;
}

export function isWithin({ fromDay, toDay }: DaySpan, day: number): boolean {
  return day >= fromDay && day <= toDay;
}

/** The places of a period, by their numbers. */
export function placeSums(whole: WholeTimeline, span: DaySpan): Map<number, PlaceSum> {
  const { pieces, nights } = whole;
  const sums = new Map<number, PlaceSum>();
  const lastWorkDay = new Map<number, number>();
  let visit = -1;
  for (let i = 0; i < pieces.length; i += 1) {
    const day = pieces.day[i]!;
    if (!isWithin(span, day)) continue;
    const [place, firstMs, lastMs] = [pieces.place[i]!, pieces.firstMs[i]!, pieces.lastMs[i]!];
    const sum = sumOf(sums, place, firstMs, lastMs);
    if (pieces.visit[i] !== visit) sum.visits += 1;
    visit = pieces.visit[i]!;
    sum.ms += lastMs - firstMs;
    sum.lastMs = lastMs;
    if (pieces.workMs[i] === 0) continue;
    sum.workMs += pieces.workMs[i]!;
    if (lastWorkDay.get(place) !== day) sum.workDays += 1;
    lastWorkDay.set(place, day);
  }
  for (let i = 0; i < nights.length; i += 1) {
    const [place, atMs] = [nights.place[i]!, nights.atMs[i]!];
    if (place !== -1 && isWithin(span, nights.day[i]!)) sumOf(sums, place, atMs, atMs).nights += 1;
  }
  return sums;
}

function sumOf(
  sums: Map<number, PlaceSum>,
  place: number,
  firstMs: number,
  lastMs: number,
): PlaceSum {
  const known = sums.get(place);
  if (known !== undefined) return known;
  const none = { place, visits: 0, ms: 0, nights: 0, workMs: 0, workDays: 0, firstMs, lastMs };
  sums.set(place, none);
  return none;
}

/** Fewer visits make no home and no work. */
const leastVisits = 10;
/** A day at work is not shorter on average, ms: shops and gyms are no work… */
const leastWorkMs = 3 * 3_600_000;
/** …and there are more of them, of all working days: three weeks a year at a beach are no work. */
const leastWorkShare = 0.25;
/** Where more nights were, for each day of work, one lives: in a hotel. */
const mostNights = 0.25;
/** In fewer days a hotel may be where most nights are. */
const leastDays = 120;

/** Numbers of places; undefined where none is known to be one. */
export interface Roles {
  readonly home: number | undefined;
  readonly work: number | undefined;
}

/**
 * Home is where most nights and most hours were, work where most hours of office time were that is not home. Who works at
 * night has more nights there than at home: then neither is told.
 */
function rolesIn(whole: WholeTimeline, span: DaySpan, sums: ReadonlyMap<number, PlaceSum>): Roles {
  const all = [...sums.values()];
  const most = (worth: (sum: PlaceSum) => number, of = all): PlaceSum | undefined =>
    of.reduce<PlaceSum | undefined>(
      (best, sum) => (best === undefined || worth(sum) > worth(best) ? sum : best),
      undefined,
    );
  const slept = most(({ nights }) => nights);
  const isHome = slept !== undefined && slept.nights > 0 && slept === most(({ ms }) => ms);
  if (!isHome) return { home: undefined, work: undefined };
  const others = all.filter((sum) => sum !== slept);
  const weekdays = whole.days.day.filter((day) => isWithin(span, day) && weekdayOf(day) < 5).length;
  const worked = most(({ workMs }) => workMs, others);
  const isWork =
    worked !== undefined &&
    worked.workMs >= leastWorkMs * worked.workDays &&
    worked.workDays >= leastWorkShare * weekdays &&
    worked.nights <= mostNights * worked.workDays;
  return {
    home: slept.visits >= leastVisits ? slept.place : undefined,
    work: isWork && worked.visits >= leastVisits ? worked.place : undefined,
  };
}

/** Home and work in the four months around a short period. */
export function rolesAround(whole: WholeTimeline, { fromDay, toDay }: DaySpan): Roles {
  const more = Math.max(0, Math.ceil((leastDays - (toDay - fromDay + 1)) / 2));
  const wider = { fromDay: fromDay - more, toDay: toDay + more };
  return rolesIn(whole, wider, placeSums(whole, wider));
}

/** Home and work in a period, as far as the months around it have the same. @param sums of the period. */
export function rolesOf(
  whole: WholeTimeline,
  span: DaySpan,
  sums: ReadonlyMap<number, PlaceSum>,
): Roles {
  const [around, here] = [rolesAround(whole, span), rolesIn(whole, span, sums)];
  return {
    home: around.home === here.home ? here.home : undefined,
    work: around.work === here.work ? here.work : undefined,
  };
}
