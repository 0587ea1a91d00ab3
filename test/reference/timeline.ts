import type {
  TimelinePlace,
  TimelinePresence,
  TimelineResult,
  TimelineStop,
} from '../../model/timeline-result.ts';

/*
 * The totals of a timeline again, from its stops and the raw observations, in plain slow code: what is wrong is named in
 * a list that must be empty. Nothing here is shared with the worker.
 */

const dayMs = 86_400_000;
const poleE7 = 900_000_000;
const levels = ['country', 'region', 'locality'] as const;
type Level = (typeof levels)[number];
const names = [
  'country',
  'country_id',
  'region',
  'region_id',
  'county',
  'local_admin',
  'locality',
  'locality_id',
] as const;

/** ms since 1970, units of 1e-7 degree. */
export type RawObservation = readonly [timeMs: number, latE7: number, lonE7: number];

interface Span {
  readonly startMs: number;
  readonly endMs: number;
}

/** All that is wrong with a timeline in itself, and against the observations it was made of. */
export function faultsOf(result: TimelineResult, observations: readonly RawObservation[]) {
  return [
    ...stopFaults(result),
    ...markFaults(result, observations),
    ...tripFaults(result),
    ...placeFaults(result),
    ...dayFaults(result, observations),
    ...summaryFaults(result, observations),
    ...coordinateFaults(result),
  ];
}

function periodOf({ period }: TimelineResult): Span {
  return { startMs: Date.parse(period.start_utc), endMs: Date.parse(period.end_utc_exclusive) };
}

function spanOf(stop: TimelineStop): Span {
  return {
    startMs: Date.parse(stop.first_observation_utc),
    endMs: Date.parse(stop.last_observation_utc),
  };
}

function stopFaults(result: TimelineResult): string[] {
  const period = periodOf(result);
  return result.timeline.flatMap((stop, index) => {
    const { startMs, endMs } = spanOf(stop);
    const before = result.timeline[index - 1];
    const pauseMs = before === undefined ? 0 : startMs - spanOf(before).endMs;
    return wrong(`stop ${index}`, {
      index: stop.index === index,
      order: endMs >= startMs && pauseMs >= 0,
      period: startMs >= period.startMs && endMs <= period.endMs,
      duration: isNear(stop.duration_seconds, (endMs - startMs) / 1_000),
      bridged: stop.bridged_seconds <= stop.duration_seconds,
      travel: isNear(stop.travel_seconds, pauseMs / 1_000),
      ...cutChecks(result, stop),
      place: isPlaceNumber(result.timeline, index),
    });
  });
}

/** Each mark of one observation is another one. */
function markFaults({ timeline }: TimelineResult, observations: readonly RawObservation[]) {
  // A pole has every longitude, so two observations there may have one key.
  const keyOf = ([timeMs, latE7, lonE7]: RawObservation): string =>
    [timeMs, latE7, Math.abs(latE7) === poleE7 ? 0 : lonE7].join(' ');
  const unique = new Map(observations.map((one) => [one.join(' '), one]));
  const left = Map.groupBy(unique.values(), keyOf);
  return timeline.flatMap(
    ({ kind, first_observation_utc, lat, lon, recorded_observations }, at) => {
      if (kind !== 'mark' || recorded_observations !== 1) return [];
      const timeMs = Date.parse(first_observation_utc);
      const key = keyOf([timeMs, Math.round(lat * 1e7), Math.round(lon * 1e7)]);
      const isOwn = left.get(key)?.pop() !== undefined;
      return wrong(`mark ${at}`, { isOwn });
    },
  );
}

/** Trips follow one another between stops, and their legs follow one another from end to end. */
function tripFaults({ trips, timeline }: TimelineResult): string[] {
  return trips.flatMap((trip, at) => {
    const [from, to] = [timeline[trip.from_stop]!, timeline[trip.to_stop]!];
    const { legs, mode } = trip;
    const ends = legs.map(({ end_utc }) => end_utc);
    const seconds = (Date.parse(trip.end_utc) - Date.parse(trip.start_utc)) / 1_000;
    const legsM = legs.reduce((sum, { distance_m }) => sum + distance_m, 0);
    const between = timeline.slice(trip.from_stop + 1, trip.to_stop);
    const longestM = Math.max(...legs.map(({ distance_m }) => distance_m));
    return wrong(`trip ${at}`, {
      index: trip.index === at,
      stops: trip.from_stop < trip.to_stop && to !== undefined,
      begins: trip.start_utc === from.last_observation_utc,
      ends: trip.end_utc === to.first_observation_utc,
      follows: at === 0 || trips[at - 1]!.to_stop <= trip.from_stop,
      passes: between.every(({ kind }) => kind !== 'stay'),
      seconds: isNear(trip.duration_seconds, seconds),
      recorded: trip.recorded_seconds <= trip.duration_seconds,
      legsBegin: legs.every(({ start_utc }, i) => start_utc === (ends[i - 1] ?? trip.start_utc)),
      legsEnd: ends.at(-1) === trip.end_utc,
      legsM: Math.abs(legsM - trip.distance_m) <= legs.length,
      mode:
        mode === 'unknown' ||
        legs.some((leg) => leg.mode === mode && leg.distance_m >= longestM - 1),
    });
  });
}

/** Only what is cut off by the period, or said by the user, may be short, or have no observation of its own. */
function cutChecks(result: TimelineResult, stop: TimelineStop): Record<string, boolean> {
  const { continues_before: before, continues_after: after } = stop;
  const period = periodOf(result);
  const { startMs, endMs } = spanOf(stop);
  const isCut = before || after || stop.corrected === true;
  return {
    before: !before || (startMs === period.startMs && stop.index === 0),
    after: !after || (endMs === period.endMs && stop.index === result.timeline.length - 1),
    date: stop.date_utc === new Date(after ? endMs - 1 : endMs).toISOString().slice(0, 10),
    isLongEnough: isCut || stop.kind !== 'stay' || stop.duration_seconds >= 300,
    isObserved: isCut || stop.recorded_observations > 0,
  };
}

/** A place is new with the next number, or one that was there before. */
function isPlaceNumber(timeline: readonly TimelineStop[], index: number): boolean {
  const highest = Math.max(-1, ...timeline.slice(0, index).map(({ place }) => place));
  return timeline[index]!.place <= highest + 1;
}

function isIn(row: TimelinePlace, stop: TimelineStop): boolean {
  return unitOf(row, row.level) === unitOf(stop, row.level);
}

/** What names a unit of a level: everything from the country down to it, but the part of a town that only stops have. */
function unitOf(place: TimelinePlace | TimelineStop, level: Level): string {
  const depth = { country: 2, region: 4, locality: 8 }[level];
  const named = names.slice(0, depth).filter((name) => name !== 'local_admin');
  return JSON.stringify(named.map((name) => place[name]));
}

function hasUnit(stop: TimelineStop, level: Level): boolean {
  return level === 'country' || stop[`${level}_id`] !== '' || stop[level] !== '';
}

function placeFaults(result: TimelineResult): string[] {
  const { timeline, places, timeline_truncated: isTruncated } = result;
  const units = new Set(places.map((row) => `${row.level} ${unitOf(row, row.level)}`));
  const faults = places.flatMap((row, at) => {
    const inside = timeline.filter((stop) => isIn(row, stop));
    const latest = inside.reduce<TimelineStop | undefined>(
      (last, stop) =>
        last === undefined || spanOf(stop).endMs >= spanOf(last).endMs ? stop : last,
      undefined,
    );
    const pointed = timeline[row.timeline_index];
    return wrong(`row ${at} (${row.level})`, {
      pointsToLatest: row.timeline_index === -1 || (pointed !== undefined && pointed === latest),
      pointsSomewhere: isTruncated || inside.length === 0 || row.timeline_index >= 0,
      isSomewhere: inside.length > 0 || isTruncated || row.recorded_observations === 0,
      stopSeconds: isTruncated || isSum(row.stop_seconds, inside, 'duration_seconds'),
      bridged: isTruncated || isSum(row.bridged_seconds, inside, 'bridged_seconds'),
      ...presenceChecks(result, row),
      visits: isTruncated || row.visits === visitsOf(timeline, row),
      files: row.source_files > 0 || row.recorded_observations === 0,
      order: at === 0 || isSorted(places[at - 1]!, row),
      once: places.findIndex((other) => isSame(other, row)) === at,
    });
  });
  if (result.dataset === null)
    return [...faults, ...wrong('places', { none: places.length === 0 })];
  const rowless = timeline.filter(
    (stop) =>
      stop.kind !== 'pass' &&
      levels.some((level) => hasUnit(stop, level) && !units.has(`${level} ${unitOf(stop, level)}`)),
  );
  return [...faults, ...rowless.map(({ index }) => `stop ${index}: no row for its unit`)];
}

function isSame(a: TimelinePlace, b: TimelinePlace): boolean {
  return a.level === b.level && unitOf(a, a.level) === unitOf(b, b.level);
}

function isSorted(a: TimelinePlace, b: TimelinePlace): boolean {
  const [above, below] = [levels.indexOf(a.level), levels.indexOf(b.level)];
  if (above !== below) return above < below;
  return a.recorded_observations >= b.recorded_observations;
}

function presenceChecks(result: TimelineResult, row: TimelinePlace): Record<string, boolean> {
  return {
    days: row.days === row.recorded_days + row.days_inferred,
    daysListed: row.level !== 'country' || row.days === daysIn(result, row.country_id),
    // A day of which the user has said where it was counts without any observation.
    recordedDays:
      row.recorded_days <= result.summary.active_days ||
      result.timeline.some(({ corrected }) => corrected === true),
    nights: row.nights >= row.nights_inferred,
  };
}

/** On how many days a country is listed. */
function daysIn({ days }: TimelineResult, country: string): number {
  const isHere = (of: TimelinePresence): boolean =>
    of.country_id === country && of.kind !== 'transit';
  return days.filter(({ presence }) => presence.some(isHere)).length;
}

/** Stays and marks in a unit that follow one elsewhere, or none. */
function visitsOf(timeline: readonly TimelineStop[], row: TimelinePlace): number {
  const stops = timeline.filter(({ kind }) => kind !== 'pass');
  return stops.filter((stop, at) => isIn(row, stop) && !(at > 0 && isIn(row, stops[at - 1]!)))
    .length;
}

function dayFaults(
  { days, summary, timeline, timeline_truncated: isTruncated }: TimelineResult,
  observations: readonly RawObservation[],
): string[] {
  const faults = days.flatMap((day, at) => {
    const startMs = Date.parse(`${day.date_utc}T00:00:00Z`);
    const span = { startMs, endMs: startMs + dayMs };
    const stopMs = total(timeline.map((stop) => commonMs(spanOf(stop), span)));
    return wrong(`day ${at}`, {
      order: at === 0 || days[at - 1]!.date_utc < day.date_utc,
      stopSeconds:
        isTruncated || Math.abs(day.stop_seconds - stopMs / 1_000) <= timeline.length + 1,
      stops:
        isTruncated || day.stops === timeline.filter((s) => s.date_utc === day.date_utc).length,
      observations: day.recorded_observations === distinctIn(observations, span),
      countries: day.countries.every(
        (id, i) => /^[A-Z]{2}$/.test(id) && id > (day.countries[i - 1] ?? ''),
      ),
      reason: day.recorded_observations > 0 || day.stop_seconds > 0 || day.presence.length > 0,
      present: day.stop_seconds === 0 || day.presence.length > 0,
    });
  });
  const of = (field: 'recorded_observations' | 'stop_seconds' | 'distance_m' | 'stops'): number =>
    total(days.map((day) => day[field]));
  return [
    ...faults,
    ...wrong('days', {
      stopSeconds: of('stop_seconds') === summary.stop_seconds,
      observations: of('recorded_observations') === summary.recorded_observations,
      distance: of('distance_m') === summary.distance_m,
      stops: isTruncated || of('stops') === summary.stops_found,
      active: days.filter((day) => day.recorded_observations > 0).length === summary.active_days,
    }),
  ];
}

function summaryFaults(result: TimelineResult, observations: readonly RawObservation[]): string[] {
  const { summary, timeline, timeline_truncated: isTruncated, places } = result;
  const period = periodOf(result);
  const inside = observations.filter(
    ([timeMs]) => timeMs >= period.startMs && timeMs < period.endMs,
  );
  const countries = places.filter(({ level }) => level === 'country');
  const { recorded_observations: recorded, outlier_observations: outliers } = summary;
  const [first, last] = [summary.first_observation_utc, summary.last_observation_utc];
  const times = inside.map(([timeMs]) => timeMs);
  return wrong('summary', {
    recorded: recorded === distinctIn(observations, period),
    repeats: recorded + summary.duplicate_observations === inside.length,
    parts: recorded === summary.resolved_observations + summary.unresolved_observations + outliers,
    countries:
      result.dataset === null ||
      summary.places_dropped > 0 ||
      total(countries.map((row) => row.recorded_observations)) === recorded - outliers,
    stopSeconds: isTruncated || isSum(summary.stop_seconds, timeline, 'duration_seconds'),
    bridged: isTruncated || isSum(summary.bridged_seconds, timeline, 'bridged_seconds'),
    returned: summary.stops_returned === timeline.length,
    found: isTruncated
      ? summary.stops_found > timeline.length
      : summary.stops_found === timeline.length,
    firstLast:
      times.length === 0
        ? first === null && last === null
        : Date.parse(first ?? '') >= times.reduce((a, b) => Math.min(a, b)) &&
          Date.parse(last ?? '') <= times.reduce((a, b) => Math.max(a, b)),
    days: result.period.days === (period.endMs - period.startMs) / dayMs,
  });
}

/** Latitudes and longitudes are in stops only, and nothing else has decimals. */
function coordinateFaults({ timeline, ...rest }: TimelineResult): string[] {
  const faults: string[] = [];
  const look = (value: unknown, path: string): void => {
    const isShare = path.endsWith('.mode_confidence');
    if (typeof value === 'number' && !Number.isInteger(value) && !isShare) {
      faults.push(`${path}: not whole`);
    }
    if (typeof value !== 'object' || value === null) return;
    for (const [key, part] of Object.entries(value)) {
      if (/^(?:lat|lon)/.test(key)) faults.push(`${path}.${key}: a coordinate`);
      look(part, `${path}.${key}`);
    }
  };
  look(rest, 'result');
  for (const { latitude, longitude, lat, lon, ...stop } of timeline) {
    if (lat !== latitude || lon !== longitude) faults.push(`stop ${stop.index}: two positions`);
    const isShort = [latitude, longitude].every(
      (degrees) => Number(degrees.toFixed(7)) === degrees,
    );
    if (!isShort) faults.push(`stop ${stop.index}: more than seven decimals`);
    look(stop, `stop ${stop.index}`);
  }
  return faults;
}

function distinctIn(observations: readonly RawObservation[], { startMs, endMs }: Span): number {
  const inside = observations.filter(([timeMs]) => timeMs >= startMs && timeMs < endMs);
  return new Set(inside.map((observation) => observation.join())).size;
}

function commonMs(a: Span, b: Span): number {
  return Math.max(0, Math.min(a.endMs, b.endMs) - Math.max(a.startMs, b.startMs));
}

/** Each stop is rounded to a second; the sum is of what they were before. */
function isSum(
  seconds: number,
  stops: readonly TimelineStop[],
  field: 'duration_seconds' | 'bridged_seconds',
): boolean {
  return Math.abs(seconds - total(stops.map((stop) => stop[field]))) <= stops.length / 2 + 1;
}

function total(numbers: readonly number[]): number {
  return numbers.reduce((so, number) => so + number, 0);
}

/** Whole seconds of a time that may have a fraction. */
function isNear(seconds: number, exact: number): boolean {
  return Math.abs(seconds - exact) <= 1;
}

function wrong(what: string, checks: Readonly<Record<string, boolean>>): string[] {
  return Object.entries(checks).flatMap(([name, isRight]) => (isRight ? [] : [`${what}: ${name}`]));
}
