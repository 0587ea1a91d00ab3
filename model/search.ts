import * as z from 'zod';
import { limits } from './limits.ts';
import {
  lat,
  list,
  lon,
  queryBbox,
  queryBoolean,
  queryInteger,
  queryNumber,
  text,
} from './schema.ts';

export const clustersQuery = z.object({
  zoom: queryNumber(0, limits.zoomMax).optional(),
  grid: queryNumber(limits.gridMin, limits.gridMax).optional(),
  bookmarksOnly: queryBoolean.optional(),
  bbox: queryBbox.optional(),
  bounds: queryBoolean.optional(),
});

export const clustersSchema = z.array(
  z.union([
    z.object({ type: z.literal('waypoint'), name: z.string(), lat, lon, bookmark: z.boolean() }),
    z.object({
      type: z.literal('cluster'),
      lat,
      lon,
      count: z.int().min(2),
      bbox: z.array(z.number()).length(4).optional(),
    }),
  ]),
);

export type ClusterItem = z.output<typeof clustersSchema>[number];

/** A blank query is legal and finds nothing. */
const searchText = text(limits.queryCodePoints, 0);

export const suggestQuery = z.object({ q: searchText.optional(), query: searchText.optional() });

export const suggestionSchema = z
  .object({
    name: z.string(),
    lat,
    lon,
    source: z.enum(['bookmark', 'waypoint', 'geocode']),
    class: z.string().optional(),
    type: z.string().optional(),
    /** How far a town or an island reaches from there. */
    radius_m: z.int().min(0).optional(),
    /** Id of a country, and of a region with `region_id`: as in timelines. */
    country_id: z.string().optional(),
    region_id: z.string().optional(),
    /** The name that the query found, where it is another one. */
    other_name: z.string().optional(),
  })
  .meta({ id: 'Suggestion' });
export type Suggestion = z.output<typeof suggestionSchema>;

export const suggestSchema = z.object({
  query: z.string(),
  suggestions: z.array(suggestionSchema),
  /** Whom to credit where the geocoded ones among them are shown. */
  attributions: z.array(z.string()).optional(),
  /** A geocoding server is being asked: the same text finds more in a second or two. */
  pending: z.boolean().optional(),
});
export type SuggestAnswer = z.output<typeof suggestSchema>;

export const recentQuery = z.object({ limit: queryInteger(1, limits.recentMax).optional() });

const historyEntrySchema = z.object({
  query: z.string(),
  lat: lat.optional(),
  lon: lon.optional(),
});
export type HistoryEntry = z.output<typeof historyEntrySchema>;

export const recentSchema = z.object({
  queries: z.array(z.string()),
  entries: z.array(historyEntrySchema),
});

export const newHistorySchema = z
  .object({
    query: text(limits.queryCodePoints).optional(),
    queries: list(text(limits.queryCodePoints), limits.historyPerRequest, 1).optional(),
    lat: lat.optional(),
    lon: lon.optional(),
  })
  .refine(({ query, queries }) => (query === undefined) !== (queries === undefined), {
    path: ['query'],
  })
  .refine((body) => (body.lat === undefined) === (body.lon === undefined), { path: ['lat'] });

export const storedHistorySchema = z.object({ stored: z.int(), multiple: z.boolean() });
export const deleteHistoryQuery = z.object({ query: text(limits.queryCodePoints).optional() });
export const deletedHistorySchema = z.object({ deleted: z.int() });
