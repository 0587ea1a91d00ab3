import { nowhere, type AdminLookup } from '../../../model/admin-place.ts';
import { formatDate } from '../../../model/calendar-date.ts';
import type {
  TimelineDay,
  TimelinePlace,
  TimelineStop,
  TimelineSummary,
} from '../../../model/timeline-result.ts';
import { dayMs, dayOf } from '../../../storage/day-blob.ts';
import type { DaySource } from '../../../storage/library/day-reader.ts';
import type { AdminRow } from '../aggregate/admin-rows.ts';
import type { DayRow } from '../aggregate/day-rows.ts';
import type { Stop } from '../aggregate/stop.ts';
import { unitsPerDegree } from '../earth.ts';
import type { TimelineFacts } from '../engine.ts';
import { secondsWithin, type Period } from '../period.ts';
import type { Origin } from '../stated.ts';
import { instantText } from './instants.ts';
import { placeNumbers } from './place-numbers.ts';

const minuteMs = 60_000;

/*
 * The parts of the result (model/timeline-result.ts); the keys stand in the order of contract E.
 */

/** @param stops in order of time. */
export function* stopEntries(
  stops: readonly Stop[],
  period: Period,
  placeRadiusM: number,
  lookup: AdminLookup | undefined,
): Iterable<TimelineStop> {
  const placeOf = placeNumbers(placeRadiusM);
  for (const [index, stop] of stops.entries()) {
    const [lat, lon] = [degrees(stop.latE7), degrees(stop.lonE7)];
    const before = stops[index - 1] ?? { ...stop, lastMs: stop.firstMs };
    yield {
      index,
      kind: stop.kind,
      date_utc: formatDate(dayOf(Math.min(stop.lastMs, period.endMs - 1))),
      latitude: lat,
      longitude: lon,
      radius_m: stop.radiusM,
      first_observation_utc: instantText(stop.firstMs),
      last_observation_utc: instantText(stop.lastMs),
      duration_seconds: stop.durationSeconds,
      bridged_seconds: stop.bridgedSeconds,
      recorded_observations: stop.observations,
      distance_from_previous_m: Math.round(stop.wayBeforeM - before.wayBeforeM),
      travel_seconds: secondsWithin(period, before.lastMs, stop.firstMs),
      place: placeOf(stop),
      continues_before: stop.continuesBefore,
      continues_after: stop.continuesAfter,
      ...originMark(stop.origin),
      ...nowhere,
      ...stop.place,
      near_border: [...(lookup?.nearBorder?.(lat, lon) ?? [])],
      lat,
      lon,
    };
  }
}

export function placeEntry(
  row: AdminRow,
  indexes: ReadonlyMap<Stop, number>,
  { startMs }: Period,
): TimelinePlace {
  // A unit without observations has its inferred days.
  const isSilent = row.firstMs === Number.POSITIVE_INFINITY;
  const [inferredMs, untilMs] =
    row.inferredDays.size > 0 ? [row.inferredFromMs, row.inferredToMs] : [startMs, startMs];
  return {
    level: row.level,
    ...nowhere,
    ...row.place,
    timeline_index: row.latest === undefined ? -1 : (indexes.get(row.latest) ?? -1),
    visits: row.visits,
    stop_seconds: row.stopSeconds,
    bridged_seconds: row.bridgedSeconds,
    recorded_observations: row.observations,
    recorded_days: row.recordedDays.size,
    nights: row.nights,
    source_files: row.sources.size,
    first_observation_utc: instantText(isSilent ? inferredMs : row.firstMs),
    last_observation_utc: instantText(isSilent ? untilMs : row.lastMs),
    days: row.recordedDays.size + row.inferredDays.size,
    days_inferred: row.inferredDays.size,
    nights_inferred: row.nightsInferred,
  };
}

export function dayEntry(row: DayRow): TimelineDay {
  const noonMs = row.zone.noonOf(row.day);
  return {
    date_utc: formatDate(dayOf(noonMs)),
    recorded_observations: row.observations,
    stops: row.stops,
    stop_seconds: row.stopSeconds,
    distance_m: row.distanceM,
    countries: row.presence
      .filter(({ country_id: id, kind }) => id !== '' && kind !== 'transit')
      .map((each) => each.country_id),
    date_local: formatDate(row.day),
    utc_offset_minutes: Math.round(((row.day + 0.5) * dayMs - noonMs) / minuteMs),
    presence: [...row.presence],
  };
}

export function summaryEntry(
  facts: TimelineFacts,
  days: readonly DayRow[],
  {
    sources,
    unfollowedIds,
  }: { readonly sources: readonly DaySource[]; readonly unfollowedIds: readonly number[] },
  counts: Pick<TimelineSummary, 'stops_found' | 'stops_returned' | 'places_dropped'>,
): TimelineSummary {
  const { totals } = facts;
  const { way, presence } = totals;
  return {
    recorded_observations: facts.recorded,
    resolved_observations: totals.resolved,
    unresolved_observations: totals.unresolved,
    invalid_coordinates: sum(sources, ({ unusablePoints }) => unusablePoints),
    duplicate_observations: facts.repeats,
    outlier_observations: facts.outliers,
    indexed_valid_times: sum(sources, ({ observations }) => observations),
    indexed_missing_times: sum(sources, ({ missingTimes }) => missingTimes),
    indexed_invalid_times: sum(sources, ({ invalidTimes }) => invalidTimes),
    active_days: days.filter(({ observations }) => observations > 0).length,
    ...counts,
    stop_seconds: totals.stopSeconds,
    bridged_seconds: totals.bridgedSeconds,
    moving_seconds: way.movingSeconds,
    silent_seconds: way.silentSeconds,
    // The days are rounded, and add up to the whole.
    distance_m: sum(days, ({ distanceM }) => distanceM),
    silent_distance_m: Math.round(way.silentM),
    first_observation_utc: facts.recorded === 0 ? null : instantText(facts.firstMs),
    last_observation_utc: facts.recorded === 0 ? null : instantText(facts.lastMs),
    unknown_days: presence.unknownDays,
    unknown_nights: presence.unknownNights,
    transit_nights: presence.transitNights,
    unfollowed_observations: sum([...facts.unfollowed.values()], (count) => count),
    unfollowed_sources: [...unfollowedIds],
  };
}

/** Says of what is not found by rules how it came to be known. */
export function originMark(origin: Origin): { stated?: true; corrected?: true } {
  return origin === 'found' ? {} : { [origin]: true };
}

/** Adding 0 turns −0 into 0. */
function degrees(units: number): number {
  return units / unitsPerDegree + 0;
}

function sum<T>(items: readonly T[], amount: (item: T) => number): number {
  return items.reduce((total, item) => total + amount(item), 0);
}
