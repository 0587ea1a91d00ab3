import * as z from 'zod';
import { parseDate } from './calendar-date.ts';
import { limits } from './limits.ts';
import { isInOrder, orderFault } from './query-instant.ts';
import { lat, lon, queryBbox, queryInteger, type Schema } from './schema.ts';
import { tripModes } from './timeline-result.ts';

/*
 * What a life of recordings comes to: places of stays, and the sums of a period. Days are those of the place.
 */

/** A date of a query; yields days since 1970-01-01. */
const queryDay: Schema<number> = z
  .string()
  .refine((text) => parseDate(text) !== undefined)
  .transform((text) => parseDate(text) ?? 0)
  .meta({ openapi: { type: 'string', format: 'date' } });

/** Both days belong to it; without one the period is open. */
const period = { from: queryDay.optional(), to: queryDay.optional() };

export const placesQuery = z
  .object({
    ...period,
    bbox: queryBbox.optional(),
    limit: queryInteger(1, limits.placesMax).optional(),
  })
  .refine(isInOrder, orderFault);
export type PlacesQuery = z.output<typeof placesQuery>;

export const summaryQuery = z.object(period).refine(isInOrder, orderFault);
export type SummaryQuery = z.output<typeof summaryQuery>;

const count = z.int().min(0);
const metres = z.int().min(0);
const instant = z.iso.datetime();

export const lifePlaceSchema = z
  .object({
    /** Opaque; the same as long as its centre is. */
    id: z.string(),
    /** Of its longest stay. */
    lat,
    lon,
    radius_m: metres,
    /** As a timeline names it; unknown ones are empty. */
    country: z.string(),
    country_id: z.string(),
    region: z.string(),
    locality: z.string(),
    /** How often the user came. */
    visits: count,
    seconds: count,
    /** Moments of 03:00 solar time. */
    nights: count,
    first_utc: instant,
    /** The end of the last stay, or of the period that cuts it. */
    last_utc: instant,
    role: z.enum(['home', 'work']).optional().meta({
      description:
        'Of at least ten visits. `home`: most nights and hours; `work`: most hours from 8 to 18 on weekdays at a place that is not home. Of less than four months, only where the four months around agree.',
    }),
    bookmark: z
      .object({ name: z.string() })
      .optional()
      .meta({ description: 'The nearest one within 150 m.' }),
  })
  .meta({ id: 'LifePlace' });
export type LifePlace = z.output<typeof lifePlaceSchema>;

export const placesSchema = z.object({
  /** Those with most time first. */
  places: z.array(lifePlaceSchema),
});
export type PlacesAnswer = z.output<typeof placesSchema>;

export const summarySchema = z
  .object({
    /** The sum of `modes`. */
    distance_m: metres,
    /** Those with most metres first, by the legs of the trips that end in the period and of which something is known. */
    modes: z.array(
      z.object({ mode: z.enum(tripModes), trips: count, seconds: count, distance_m: metres }),
    ),
    /** Those with most days first, as a timeline counts days and nights. */
    countries: z.array(z.object({ id: z.string(), name: z.string(), days: count, nights: count })),
    /** In which the user stayed. */
    regions: count,
    towns: count,
    /** Absent without a home, as is `farthest`. */
    nights_away: count.optional(),
    longest_trip: z
      .object({
        start_utc: instant,
        end_utc: instant,
        distance_m: metres,
        mode: z.enum(tripModes),
      })
      .optional(),
    /** The place of a stay that is farthest from home. */
    farthest: z.object({ distance_m: metres, lat, lon, date: z.iso.date() }).optional(),
    /** From the first day of the period, or that was recorded, until its last one or today. */
    days_without_data: count,
  })
  .meta({ id: 'Summary' });
export type Summary = z.output<typeof summarySchema>;
