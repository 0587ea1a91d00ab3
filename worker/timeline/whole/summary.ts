import { formatDate } from '../../../model/calendar-date.ts';
import type { Summary } from '../../../model/life.ts';
import { tripModes } from '../../../model/timeline-result.ts';
import { formatTime } from '../../../model/time.ts';
import { distanceM } from '../earth.ts';
import { isWithin, rolesAround, type DaySpan } from './sums.ts';
import type { WholeTimeline } from './whole.ts';

/** Sums a period up. @param today the last day that there can be data of. */
export function summaryOf(whole: WholeTimeline, span: DaySpan, today: number): Summary {
  const { days, pieces } = whole;
  const rows = indexes(days.length).filter((i) => isWithin(span, days.day[i]!));
  const stays = indexes(pieces.length).filter((i) => isWithin(span, pieces.day[i]!));
  const first = Number.isFinite(span.fromDay) ? span.fromDay : (days.day[0] ?? today + 1);
  const last = Math.min(span.toDay, today);
  const withData = rows.filter((i) => days.hasData[i] === 1 && days.day[i]! <= today).length;
  const trips = tripsWithin(whole, span);
  const { home } = rolesAround(whole, span);
  const modes = modesOf(whole, trips);
  return {
    distance_m: modes.reduce((sum, { distance_m: metres }) => sum + metres, 0),
    modes,
    countries: countriesOf(whole, span),
    regions: countOf(stays.map((i) => pieces.region[i]!)),
    towns: countOf(stays.map((i) => pieces.town[i]!)),
    ...longestOf(whole, trips),
    ...(home !== undefined && awayOf(whole, span, home, stays)),
    days_without_data: Math.max(0, last - first + 1 - withData),
  };
}

function indexes(length: number): number[] {
  return Array.from({ length }, (_, at) => at);
}

function countOf(numbers: readonly number[]): number {
  return new Set(numbers.filter((number) => number !== -1)).size;
}

const unknownMode = tripModes.indexOf('unknown');

/** Trips that end in the period, and of which something is known. */
function tripsWithin({ trips }: WholeTimeline, span: DaySpan): number[] {
  return indexes(trips.length).filter(
    (i) =>
      isWithin(span, trips.endDay[i]!) &&
      (trips.observations[i]! > 0 || trips.mode[i] !== unknownMode),
  );
}

/** By the legs of trips: what was walked to a train is walked. */
function modesOf({ legs }: WholeTimeline, trips: readonly number[]): Summary['modes'] {
  const chosen = new Set(trips);
  const sums = tripModes.map((mode) => ({ mode, trips: new Set<number>(), ms: 0, distance_m: 0 }));
  for (let i = 0; i < legs.length; i += 1) {
    if (!chosen.has(legs.trip[i]!)) continue;
    const sum = sums[legs.mode[i]!]!;
    sum.trips.add(legs.trip[i]!);
    sum.ms += legs.ms[i]!;
    sum.distance_m += legs.metres[i]!;
  }
  return sums
    .filter((sum) => sum.trips.size > 0)
    .toSorted((a, b) => b.distance_m - a.distance_m)
    .map(({ mode, trips: { size }, ms, distance_m }) => ({
      mode,
      trips: size,
      seconds: Math.round(ms / 1_000),
      distance_m,
    }));
}

function countriesOf(whole: WholeTimeline, span: DaySpan): Summary['countries'] {
  const { presence, nights, countries } = whole;
  const sums = countries.map(({ id, name }) => ({ id, name, days: 0, nights: 0 }));
  for (let i = 0; i < presence.length; i += 1) {
    const day = presence.day[i]!;
    if (isWithin(span, day)) sums[presence.country[i]!]!.days += 1;
  }
  for (let i = 0; i < nights.length; i += 1) {
    const sum = sums[nights.country[i]!];
    if (sum !== undefined && isWithin(span, nights.day[i]!)) sum.nights += 1;
  }
  return sums
    .filter(({ days, nights: count }) => days + count > 0)
    .toSorted((a, b) => b.days - a.days || b.nights - a.nights || (a.id < b.id ? -1 : 1));
}

function longestOf(
  { trips }: WholeTimeline,
  within: readonly number[],
): Pick<Summary, 'longest_trip'> {
  if (within.length === 0) return {};
  const at = within.reduce((a, b) => (trips.metres[b]! > trips.metres[a]! ? b : a));
  return {
    longest_trip: {
      start_utc: formatTime(trips.startMs[at]!),
      end_utc: formatTime(trips.endMs[at]!),
      distance_m: trips.metres[at]!,
      mode: tripModes[trips.mode[at]!]!,
    },
  };
}

/** Nights elsewhere than at home, and the place farthest from it. @param stays pieces of the period. */
function awayOf(
  whole: WholeTimeline,
  span: DaySpan,
  home: number,
  stays: readonly number[],
): Pick<Summary, 'nights_away' | 'farthest'> {
  const { nights, pieces, places } = whole;
  const away = indexes(nights.length).filter(
    (i) => nights.place[i] !== home && isWithin(span, nights.day[i]!),
  );
  const { lat, lon } = places[home]!;
  const metresTo = places.map((place) =>
    distanceM(lat * 1e7, lon * 1e7, place.lat * 1e7, place.lon * 1e7),
  );
  const farthest = stays.reduce(
    (a, b) => (metresTo[pieces.place[b]!]! > metresTo[pieces.place[a]!]! ? b : a),
    stays[0] ?? -1,
  );
  const place = places[pieces.place[farthest] ?? -1];
  return {
    nights_away: away.length,
    ...(place !== undefined && {
      farthest: {
        distance_m: Math.round(metresTo[pieces.place[farthest]!]!),
        lat: place.lat,
        lon: place.lon,
        date: formatDate(pieces.day[farthest]!),
      },
    }),
  };
}
