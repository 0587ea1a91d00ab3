import * as z from 'zod';
import { nowhere, placeLevels, type AdminPlace } from './admin-place.ts';
import { lat, lon } from './schema.ts';

/*
 * The result of a timeline job (contract E). The order of the keys here is that of the text. `semantics` in the result says
 * in words what its numbers mean; docs/timelines.md says it at length.
 */

const count = z.int().min(0);
const seconds = z.int().min(0);
const metres = z.int().min(0);
const instant = z.iso.datetime();
const date = z.iso.date();
/** Only where it is so. */
const stated = z.literal(true).optional();
/** A correction of the user's has changed it. */
const corrected = z.literal(true).optional();

/** Names and ids of model/admin-place.ts; unknown ones are empty. */
const adminNames = Object.fromEntries(
  Object.keys(nowhere).map((key) => [key, z.string()]),
) as Readonly<Record<keyof AdminPlace, z.ZodString>>;

/**
 * `stay`: at least five minutes at one place. `mark`: a timed waypoint, or one observation alone, outside all stays.
 * `pass`: the slowest moment in an administrative unit that was only crossed.
 */
export const timelineStopKinds = ['stay', 'mark', 'pass'] as const;

/** One stop; only these have coordinates. */
export const timelineStopSchema = z
  .object({
    /** Its place in `timeline`, from 0. */
    index: count,
    kind: z.enum(timelineStopKinds),
    /** The UTC day of its end; the last one of the period where `continues_after`. */
    date_utc: date,
    latitude: lat,
    longitude: lon,
    /** 90 % of its observations are within this distance of its centre. */
    radius_m: metres,
    /** The start of the period where `continues_before`. */
    first_observation_utc: instant,
    /** The end of the period where `continues_after`. */
    last_observation_utc: instant,
    duration_seconds: seconds,
    /**
     * The part of the duration that nothing was recorded in, inferred from both ends of the silence being within 400 m of
     * one another.
     */
    bridged_seconds: seconds,
    /** Within the period. */
    recorded_observations: count,
    /** Along the way from the stop before in `timeline`, silences included; 0 for the first. */
    distance_from_previous_m: metres,
    /** From the end of the stop before in `timeline`; 0 for the first. */
    travel_seconds: seconds,
    /** Stops at one place share this number; counted from 0 in the order of first visits. */
    place: count,
    continues_before: z.boolean(),
    continues_after: z.boolean(),
    /** Its recorder says so (a visit of Google's), whatever was recorded meanwhile. */
    stated,
    corrected,
    ...adminNames,
    /** Ids of other countries so near that borders are not exact enough to rule them out, ascending. */
    near_border: z.array(z.string()),
    /** `latitude` and `longitude` by the names that every other answer has for them. */
    lat,
    lon,
  })
  .meta({ id: 'TimelineStop' });
export type TimelineStop = z.output<typeof timelineStopSchema>;

/**
 * What was recorded in one administrative unit. The country row whose names are empty is what lies at sea or is unknown.
 * By level, then `recorded_observations` descending, then names by code point.
 */
export const timelinePlaceSchema = z
  .object({
    level: z.enum(placeLevels),
    /** Names below the level are empty. */
    ...adminNames,
    /** Its latest stop in `timeline`; −1 where truncation dropped that one. */
    timeline_index: z.int().min(-1),
    /** Stays and marks that came after one in another unit of the level. */
    visits: count,
    stop_seconds: seconds,
    bridged_seconds: seconds,
    recorded_observations: count,
    /** Days with an observation here that was not in the air. */
    recorded_days: count,
    /** Moments of 03:00 solar time (UTC plus one hour for each 15° of longitude) with observations here before and after. */
    nights: count,
    /** Files with an observation here; an exact repeat counts for one of its files. */
    source_files: count,
    first_observation_utc: instant,
    last_observation_utc: instant,
    /** All days here: those that `days` lists for a country, but for transit. */
    days: count,
    /** The part of `days` without any observation; the nearest ones before and after it are both here. */
    days_inferred: count,
    /** The part of `nights` that is more than six hours from every observation. */
    nights_inferred: count,
  })
  .meta({ id: 'TimelinePlace' });
export type TimelinePlace = z.output<typeof timelinePlaceSchema>;

export const tripModes = [
  'walk',
  'run',
  'bike',
  'car',
  'train',
  'boat',
  'flight',
  'unknown',
] as const;
export type TripMode = (typeof tripModes)[number];

/** A part of a trip that was gone in one way; the legs of a trip follow one another without a pause. */
export const timelineLegSchema = z.object({
  mode: z.enum(tripModes),
  mode_confidence: z.number().min(0).max(1),
  start_utc: instant,
  end_utc: instant,
  distance_m: metres,
  /** The mode is what its recorder says. */
  stated,
  corrected,
});
export type TimelineLeg = z.output<typeof timelineLegSchema>;

/** The way between two stays or marks of `timeline` that follow one another, but for passes. */
export const timelineTripSchema = z
  .object({
    /** Its place in `trips`, from 0. */
    index: count,
    /** Indexes in `timeline`. */
    from_stop: count,
    to_stop: count,
    start_utc: instant,
    end_utc: instant,
    /** Along the way, without what errors of a receiver add; silences in a straight line. */
    distance_m: metres,
    duration_seconds: seconds,
    /** Mode of the longest leg, judged by speed; `unknown` where slow silences hide more than an hour, or half of it. */
    mode: z.enum(tripModes),
    /** From 0, a guess at random, to 1. */
    mode_confidence: z.number().min(0).max(1),
    recorded_observations: count,
    /** The part of the duration outside of silences. */
    recorded_seconds: seconds,
    /** Cut where the mode changes for at least 10 minutes and 500 m. */
    legs: z.array(timelineLegSchema),
    /** The mode is what its recorder says. */
    stated,
    corrected,
  })
  .meta({ id: 'TimelineTrip' });
export type TimelineTrip = z.output<typeof timelineTripSchema>;

/** Where a day was. `transit`: above a country; with an empty one, only where the day was in or above none at all. */
export const timelinePresenceSchema = z.object({
  country_id: z.string(),
  kind: z.enum(['recorded', 'inferred', 'transit']),
});
export type TimelinePresence = z.output<typeof timelinePresenceSchema>;

/** A day with observations, with part of a stay, or whose country is inferred; all days sum to the summary. */
export const timelineDaySchema = z
  .object({
    /** The UTC day of noon: that of `date_local`, but for the zones that are twelve hours and more ahead of UTC. */
    date_utc: date,
    recorded_observations: count,
    /** Stops of all kinds that ended on this day. */
    stops: count,
    /** Stays are cut at midnight. */
    stop_seconds: seconds,
    distance_m: metres,
    /** ISO 3166-1 alpha-2, ascending; known countries only. */
    countries: z.array(z.string()),
    date_local: date,
    /** Offset from UTC at local noon where the day began. */
    utc_offset_minutes: z.int(),
    /** By country; the empty one is the sea. */
    presence: z.array(timelinePresenceSchema),
  })
  .meta({ id: 'TimelineDay' });
export type TimelineDay = z.output<typeof timelineDaySchema>;

export const timelineSummarySchema = z
  .object({
    /** Within the period, exact repeats once: resolved, unresolved and outlier ones. */
    recorded_observations: count,
    /** In a known country. */
    resolved_observations: count,
    unresolved_observations: count,
    /** Total of all imported files, whatever the period: a point without a usable position may have no time either. */
    invalid_coordinates: count,
    /** Exact repeats (time and position) within the period. */
    duplicate_observations: count,
    /** Not believed: jumps there and back, 0°N 0°E, another position at the same time or of another device. */
    outlier_observations: count,
    /** Total of all imported files: points with a usable position and time. */
    indexed_valid_times: count,
    /** Of all imported files. */
    indexed_missing_times: count,
    /** Of all imported files. */
    indexed_invalid_times: count,
    /** Days with an observation. */
    active_days: count,
    stops_found: count,
    stops_returned: count,
    /** Rows beyond the most that `places` may have. */
    places_dropped: count,
    stop_seconds: seconds,
    /** The part of `stop_seconds` that nothing was recorded in. */
    bridged_seconds: seconds,
    /** On the way, from the first to the last observation of the period. */
    moving_seconds: seconds,
    /** Silences that belong to no stay, from the first to the last observation of the period. */
    silent_seconds: seconds,
    /** Along the way between stops, without what silences cross. */
    distance_m: metres,
    silent_distance_m: metres,
    first_observation_utc: instant.nullable(),
    last_observation_utc: instant.nullable(),
    /** Days between two observations of the period that nothing is known of. */
    unknown_days: count,
    unknown_nights: count,
    /** Between two countries, or in the air. */
    transit_nights: count,
    /** Observations of devices that were elsewhere than the followed one; a part of `outlier_observations`. */
    unfollowed_observations: count,
    /** Ids of the imports that these are in; at most 100. */
    unfollowed_sources: z.array(z.int().min(1)),
  })
  .meta({ id: 'TimelineSummary' });
export type TimelineSummary = z.output<typeof timelineSummarySchema>;

/** The geodata generation that named the places. */
export const timelineDatasetSchema = z.object({
  dataset_version: z.string(),
  source_version: z.string(),
  attribution: z.string(),
  license: z.string(),
});
export type TimelineDataset = z.output<typeof timelineDatasetSchema>;

export const timelineResultSchema = z
  .object({
    schema: z.literal(1),
    period: z.object({
      start_utc: instant,
      end_utc_exclusive: instant,
      /** Time zone of the request, by which days are counted. */
      time_zone: z.string(),
      semantics: z.string(),
      days: z.int().min(1),
    }),
    parameters: z.object({
      stop_radius_m: metres,
      min_stop_seconds: seconds,
      silence_seconds: seconds,
      max_bridge_seconds: seconds,
      merge_seconds: seconds,
      excursion_seconds: seconds,
      max_stops: count,
    }),
    /** SHA-256 over the sorted content hashes of the imported files, and the corrections if there are some. */
    observation_revision: z.string().regex(/^[0-9a-f]{64}$/),
    /** Null where no generation could be opened: then there are no names and no `places`. */
    dataset: timelineDatasetSchema.nullable(),
    summary: timelineSummarySchema,
    timeline_stop_separation_meters: z.literal(100),
    timeline_truncated: z.boolean(),
    /** By time; they do not overlap. */
    timeline: z.array(timelineStopSchema),
    places: z.array(timelinePlaceSchema),
    days: z.array(timelineDaySchema),
    /** By time. */
    trips: z.array(timelineTripSchema),
  })
  .meta({ id: 'TimelineResult' });
export type TimelineResult = z.output<typeof timelineResultSchema>;
