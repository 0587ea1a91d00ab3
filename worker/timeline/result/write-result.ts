import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { AdminLookup } from '../../../model/admin-place.ts';
import type { TimelineDataset, TimelineResult } from '../../../model/timeline-result.ts';
import type { DaySource } from '../../../storage/library/day-reader.ts';
import type { AdminRow } from '../aggregate/admin-rows.ts';
import { compareStops, compareWorth, type Stop } from '../aggregate/stop.ts';
import type { TimelineFacts } from '../engine.ts';
import type { TimelineOptions } from '../options.ts';
import type { Period } from '../period.ts';
import type { Correction } from '../stated.ts';
import { dayEntry, placeEntry, stopEntries, summaryEntry } from './entries.ts';
import { instantText } from './instants.ts';
import { inOrder, largestRows } from './ordered-rows.ts';
import { addPasses } from './passes.ts';
import { tripEntry, tripsBetween } from './trips.ts';

/** Parts of the result besides the facts. */
export interface ResultFrame {
  readonly dataset: TimelineDataset | null;
  readonly lookup: AdminLookup | undefined;
  readonly sources: readonly DaySource[];
  readonly options: TimelineOptions;
  readonly unfollowedIds: readonly number[];
  readonly corrections: readonly Correction[];
  readonly timeZone: string;
}

const semantics =
  'Days are those of time_zone; local ones are those of the place. A stop is of the day of its end; where it crosses an ' +
  'edge of the period it is cut there and says so. Day rows cut stops at midnight. A silence is part of a stop only if its ends are ' +
  'within 400 m of one another, without a way back; it counts in bridged_seconds. Other silences count from the first to the last ' +
  'observation of the period. A day is of each country with an observation of that day (recorded), not those flown over; ' +
  'one without is of the country that the observations before and after it share, if these are at most 72 hours apart ' +
  '(inferred). A night is a moment of 03:00 solar time (UTC plus one hour for each 15 degrees of longitude, rounded): of ' +
  'the country that the observations before and after it share, at most 72 hours apart, inferred if both are more than 6 ' +
  'hours off; between countries at most 36 hours apart, or in the air, in transit. Regions and localities likewise. Visits are stops that came after one in another unit of the level. timeline_index is the ' +
  'latest stop in the unit, or -1 where that one was left out.';

/** Writes the result (contract E) as JSON; the same facts give the same bytes. Uses the facts up. */
export function writeResult(facts: TimelineFacts, frame: ResultFrame): Buffer {
  const { stays, maxPlaceRows } = frame.options;
  const { totals } = facts;
  const allRows = frame.dataset === null ? [] : totals.rows.rows;
  const rows = largestRows(allRows, maxPlaceRows);
  const passes = addPasses(totals.rows, rows, totals.stopsFound);
  for (const { firstMs, latE7, lonE7 } of passes) {
    totals.days.stop(firstMs, firstMs, facts.calendar.zoneAt(latE7, lonE7));
  }
  const found = totals.stopsFound + passes.length;
  const stops = selectStops([...totals.stops.stops, ...passes], found, rows, stays.maxStops);
  const indexes = new Map(stops.map((stop, index) => [stop, index]));
  const days = totals.days.rows();
  const summary = summaryEntry(facts, days, frame, {
    stops_found: found,
    stops_returned: stops.length,
    places_dropped: allRows.length - rows.length,
  });
  const result = {
    ...headOf(facts.period, frame),
    summary,
    timeline_stop_separation_meters: 100,
    timeline_truncated: found > stops.length,
    timeline: [...stopEntries(stops, facts.period, stays.stopRadiusM, frame.lookup)],
    places: inOrder(rows).map((row) => placeEntry(row, indexes, facts.period)),
    days: days.map(dayEntry),
    trips: [...tripsBetween(stops, facts.period, facts.stated)].map(tripEntry),
  };
  return Buffer.from(JSON.stringify(result));
}

type Head = Pick<
  TimelineResult,
  'schema' | 'period' | 'parameters' | 'observation_revision' | 'dataset'
>;

function headOf({ startDay, endDay, startMs, endMs }: Period, frame: ResultFrame): Head {
  const { stays } = frame.options;
  return {
    schema: 1,
    period: {
      start_utc: instantText(startMs),
      end_utc_exclusive: instantText(endMs),
      time_zone: frame.timeZone,
      semantics,
      days: endDay - startDay + 1,
    },
    parameters: {
      stop_radius_m: stays.stopRadiusM,
      min_stop_seconds: stays.minStopSeconds,
      silence_seconds: stays.silenceSeconds,
      max_bridge_seconds: stays.maxBridgeSeconds,
      merge_seconds: stays.mergeSeconds,
      excursion_seconds: stays.excursionSeconds,
      max_stops: stays.maxStops,
    },
    observation_revision: revisionOf(frame.sources, frame.corrections),
    dataset: frame.dataset,
  };
}

/** Sources come sorted by hash. */
function revisionOf(sources: readonly DaySource[], corrections: readonly Correction[]): string {
  const hash = createHash('sha256');
  for (const { sha256 } of sources) hash.update(`${sha256}\n`);
  if (corrections.length > 0) hash.update(JSON.stringify(corrections));
  return hash.digest('hex');
}

/**
 * Chooses the stops of a result, in order of time. Where there are too many: first the latest of each row, rows with most
 * observations first, up to half of all; then the longest.
 * @param stops all that were found, or at least the `most` longest of them.
 * @param rows those with most observations first.
 */
function selectStops(
  stops: readonly Stop[],
  found: number,
  rows: readonly AdminRow[],
  most: number,
): Stop[] {
  if (found <= most) return stops.toSorted(compareStops);
  const chosen = new Set<Stop>();
  for (const { latest } of rows) {
    if (chosen.size >= Math.floor(most / 2)) break;
    if (latest !== undefined) chosen.add(latest);
  }
  for (const stop of stops.toSorted(compareWorth)) {
    if (chosen.size >= most) break;
    chosen.add(stop);
  }
  return [...chosen].toSorted(compareStops);
}
