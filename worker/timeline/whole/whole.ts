import { createHash } from 'node:crypto';
import type { AdminPlace } from '../../../model/admin-place.ts';
import { weekdayOf } from '../../../model/calendar-date.ts';
import { tripModes } from '../../../model/timeline-result.ts';
import type { Zone } from '../calendar/zone.ts';
import { compareStops, type Stop } from '../aggregate/stop.ts';
import { distanceBetween } from '../earth.ts';
import type { TimelineFacts } from '../engine.ts';
import { placeNumbers } from '../result/place-numbers.ts';
import { tripsBetween, type Trip } from '../result/trips.ts';
import { overlaps } from '../stated.ts';
import { Table, type Columns } from './table.ts';

/** How far from its centre a stay is at a place, metres. */
const placeRadiusM = 150;

/** A place where the user has stayed: that of its longest stay. */
export interface StayedAt {
  readonly id: string;
  /** Degrees. */
  readonly lat: number;
  readonly lon: number;
  /** All its stays are within, as far as the longest one reaches at least. */
  readonly radiusM: number;
  readonly names: Pick<AdminPlace, 'country' | 'country_id' | 'region' | 'locality'>;
}

const pieceColumns = [
  'place',
  'visit',
  'day',
  'firstMs',
  'lastMs',
  'workMs',
  'region',
  'town',
] as const;
const nightColumns = ['day', 'atMs', 'country', 'place'] as const;
const tripColumns = ['endDay', 'startMs', 'endMs', 'mode', 'metres', 'observations'] as const;
const legColumns = ['trip', 'mode', 'ms', 'metres'] as const;
const dayColumns = ['day', 'hasData'] as const;

/**
 * All that was recorded, as places and summaries need it: plain data. Times are ms since 1970 UTC; days count from
 * 1970-01-01, by the clock of the place.
 */
export interface WholeTimeline {
  readonly places: readonly StayedAt[];
  /** Stays, cut at midnight, in order of time; `visit` counts up when the user comes to a place. `region`, `town`: −1 unknown. */
  readonly pieces: Columns<(typeof pieceColumns)[number]>;
  /** Known moments of 03:00 solar time, by the day at the place; `place` is −1 elsewhere than at a place, `country` an index, −1 in transit. */
  readonly nights: Columns<(typeof nightColumns)[number]>;
  /** `mode` is an index of tripModes. */
  readonly trips: Columns<(typeof tripColumns)[number]>;
  readonly legs: Columns<(typeof legColumns)[number]>;
  readonly days: Columns<(typeof dayColumns)[number]>;
  /** Days in a country, with the indexes of both. */
  readonly presence: Columns<'day' | 'country'>;
  readonly countries: readonly { readonly id: string; readonly name: string }[];
  /** Ids of the corrections that had something to correct. */
  readonly applied: readonly number[];
}

/** Gives things numbers in the order in which they come. */
class Numbers<T> {
  readonly all: T[] = [];
  readonly #numbers = new Map<T, number>();

  of(thing: T): number {
    const known = this.#numbers.get(thing);
    if (known !== undefined) return known;
    this.#numbers.set(thing, this.all.length);
    return this.all.push(thing) - 1;
  }
}

/** Makes the whole of facts; uses them up. */
export function wholeOf(facts: TimelineFacts): WholeTimeline {
  const { totals, calendar, stated } = facts;
  const stops = [...totals.stops.stops].toSorted(compareStops);
  const trips = [...tripsBetween(stops, facts.period, stated)];
  const countries = new Numbers<string>();
  const { places, placeOf } = placesOf(stops);
  const days = totals.days.rows();
  const dayTable = new Table(dayColumns);
  const presence = new Table(['day', 'country']);
  for (const { day, observations, stopSeconds, presence: there } of days) {
    const hasData = Number(observations + stopSeconds > 0);
    dayTable.add(day, hasData);
    for (const { country_id: id, kind } of there)
      if (id !== '' && kind !== 'transit') presence.add(day, countries.of(id));
  }
  const nights = new Table(nightColumns);
  const zoneOf = (stop: Stop | undefined): Zone =>
    calendar.zoneAt(stop?.latE7 ?? 0, stop?.lonE7 ?? 0);
  const stopAt = nightFinder(stops, trips, placeOf);
  for (const { atMs, country } of totals.presence.nights) {
    const { stop, place } = stopAt(atMs);
    nights.add(zoneOf(stop).dayOf(atMs), atMs, country === '' ? -1 : countries.of(country), place);
  }
  const names = new Map(
    totals.rows.rows
      .filter(({ level }) => level === 'country')
      .map(({ place }) => [place.country_id, place.country]),
  );
  return {
    places,
    pieces: piecesOf(stops, trips, placeOf, zoneOf),
    nights: nights.columns(),
    ...wayOf(trips, ({ to, endMs }) => zoneOf(stops[to]).dayOf(endMs)),
    days: dayTable.columns(),
    presence: presence.columns(),
    countries: countries.all.map((id) => ({ id, name: names.get(id) ?? id })),
    applied: [...facts.applied, ...appliedModes(facts, trips)],
  };
}

type PlaceOf = ReadonlyMap<Stop, number>;

/** The longest stay first: each is at the nearest place there is, or makes one. */
function placesOf(stops: readonly Stop[]): { places: StayedAt[]; placeOf: PlaceOf } {
  const numberOf = placeNumbers(placeRadiusM);
  const placeOf = new Map<Stop, number>();
  const centres: Stop[] = [];
  const radii: number[] = [];
  const stays = stops.filter(({ kind }) => kind === 'stay');
  for (const stay of stays.toSorted((a, b) => b.durationSeconds - a.durationSeconds)) {
    const number = numberOf(stay);
    const centre = (centres[number] ??= stay);
    const awayM = distanceBetween(centre, stay);
    radii[number] = Math.max(radii[number] ?? centre.radiusM, awayM);
    placeOf.set(stay, number);
  }
  const places = centres.map(({ latE7, lonE7, place }, number) => ({
    id: placeId(latE7, lonE7),
    lat: latE7 / 1e7,
    lon: lonE7 / 1e7,
    radiusM: Math.round(radii[number]!),
    names: {
      country: place.country,
      country_id: place.country_id,
      region: place.region,
      locality: place.locality,
    },
  }));
  return { places, placeOf };
}

/** An opaque name that a place has as long as its centre stays. */
function placeId(latE7: number, lonE7: number): string {
  return createHash('sha256').update(`${latE7} ${lonE7}`).digest('hex').slice(0, 16);
}

/** A shorter way out and back is no leaving, metres. */
const leavingM = 300;

function piecesOf(
  stops: readonly Stop[],
  trips: readonly Trip[],
  placeOf: PlaceOf,
  zoneOf: (stop: Stop) => Zone,
): WholeTimeline['pieces'] {
  const pieces = new Table(pieceColumns);
  const [regions, towns] = [new Numbers<string>(), new Numbers<string>()];
  const numberOf = (numbers: Numbers<string>, id: string): number =>
    id === '' ? -1 : numbers.of(id);
  const tripTo = new Map(trips.map((trip) => [trip.to, trip]));
  let [visit, lastPlace] = [-1, -1];
  for (const [at, stop] of stops.entries()) {
    const place = placeOf.get(stop) ?? -1;
    const trip = tripTo.get(at);
    const hasLeft = trip === undefined || (trip.observations > 0 && trip.metres >= leavingM);
    if (place !== lastPlace || hasLeft) visit += 1;
    lastPlace = place;
    if (place === -1) continue;
    const zone = zoneOf(stop);
    const region = numberOf(regions, stop.place.region_id);
    const town = numberOf(towns, stop.place.locality_id);
    const last = zone.dayOf(Math.max(stop.firstMs, stop.lastMs - 1));
    for (let day = zone.dayOf(stop.firstMs); day <= last; day += 1) {
      const startMs = zone.startOf(day);
      const firstMs = Math.max(stop.firstMs, startMs);
      const lastMs = Math.min(stop.lastMs, zone.startOf(day + 1));
      if (lastMs < firstMs) continue;
      const workMs = workMsOf(day, firstMs - startMs, lastMs - startMs);
      pieces.add(place, visit, day, firstMs, lastMs, workMs, region, town);
    }
  }
  return pieces.columns();
}

const hourMs = 3_600_000;
const [workFromMs, workToMs] = [8 * hourMs, 18 * hourMs];

/** The part of a time of a day that is from 8 to 18 of a day from Monday to Friday, ms. */
function workMsOf(day: number, fromMs: number, toMs: number): number {
  if (weekdayOf(day) >= 5) return 0;
  return Math.max(0, Math.min(toMs, workToMs) - Math.max(fromMs, workFromMs));
}

/**
 * Finds where a night was: at the place of the stay that it lies in, or that the stays before and after it share, if
 * nothing was recorded or said of the time between; −1 else. The stop is the one that it lies in, or the next one.
 */
function nightFinder(stops: readonly Stop[], trips: readonly Trip[], placeOf: PlaceOf) {
  const unseen = new Set(
    trips
      .filter(({ observations, origin }) => observations === 0 && origin !== 'corrected')
      .map(({ to }) => to),
  );
  let at = 0;
  return (atMs: number): { stop: Stop | undefined; place: number } => {
    while (at < stops.length && stops[at]!.lastMs < atMs) at += 1;
    const [before, after] = [stops[at - 1], stops[at]];
    if (after === undefined) return { stop: before, place: -1 };
    const place = placeOf.get(after) ?? -1;
    if (after.firstMs <= atMs) return { stop: after, place };
    const isShared = before !== undefined && placeOf.get(before) === place && unseen.has(at);
    return { stop: after, place: isShared ? place : -1 };
  };
}

function wayOf(
  trips: readonly Trip[],
  endDayOf: (trip: Trip) => number,
): Pick<WholeTimeline, 'trips' | 'legs'> {
  const [all, legs] = [new Table(tripColumns), new Table(legColumns)];
  for (const [at, trip] of trips.entries()) {
    const { startMs, endMs, mode, metres, observations } = trip;
    const modeAt = tripModes.indexOf(mode);
    all.add(endDayOf(trip), startMs, endMs, modeAt, Math.round(metres), observations);
    for (const leg of trip.legs) {
      const ms = leg.to.timeMs - leg.from.timeMs;
      legs.add(at, tripModes.indexOf(leg.mode), ms, Math.round(leg.metres));
    }
  }
  return { trips: all.columns(), legs: legs.columns() };
}

/** The corrections of modes within whose time a trip was made. */
function appliedModes({ stated }: TimelineFacts, trips: readonly Trip[]): Set<number> {
  const spans = trips.map(({ startMs, endMs }) => ({ startMs, endMs }));
  const applied = new Set<number>();
  for (const { correction, startMs, endMs } of stated.modes)
    if (correction !== undefined && overlaps(spans, startMs, endMs)) applied.add(correction);
  return applied;
}
