import * as z from 'zod';
import { limits } from './limits.ts';
import { isInOrder, orderFault, queryInstant, queryPeriod } from './query-instant.ts';
import { lat, lon, queryBbox, queryInteger, queryNames, queryNumber } from './schema.ts';

/** Contents of a tile. */
export const tileLayers = ['tracks', 'points', 'routes', 'waypoints'] as const;
export type TileLayer = (typeof tileLayers)[number];

export const tileParams = z
  .object({
    z: queryInteger(0, limits.tileZoomMax),
    x: queryInteger(0, 2 ** limits.tileZoomMax - 1),
    y: queryInteger(0, 2 ** limits.tileZoomMax - 1),
  })
  .refine(({ z: zoom, x, y }) => Math.max(x, y) < 2 ** zoom);
/** Points without a time are in no period. */
export const tileQuery = z
  .object({ ...queryPeriod, layers: queryNames(tileLayers).optional() })
  .refine(isInOrder, orderFault);
export type TileQuery = z.output<typeof tileQuery>;

export const tileMediaType = 'application/vnd.mapbox-vector-tile';
export const tileSchema = z.string().meta({ mediaTypes: [tileMediaType], format: 'binary' });

export const tileJsonSchema = z
  .object({
    tilejson: z.literal('3.0.0'),
    name: z.string(),
    tiles: z.array(z.string()),
    minzoom: z.int(),
    maxzoom: z.int(),
    bounds: z.array(z.number()).length(4).meta({
      description: 'west, south, east, north of all that was imported; the world if nothing was.',
    }),
    vector_layers: z.array(
      z.object({
        id: z.enum(tileLayers),
        description: z.string(),
        fields: z.record(z.string(), z.string()),
      }),
    ),
  })
  .meta({ id: 'TileJson' });
export type TileJson = z.output<typeof tileJsonSchema>;

export const tracksQuery = z
  .object({
    ...queryPeriod,
    bbox: queryBbox.optional(),
    zoom: queryNumber(0, limits.zoomMax).optional(),
    limit: queryInteger(1, limits.tracksMax).optional(),
  })
  .refine(isInOrder, orderFault);

export const tracksSchema = z
  .object({
    type: z.literal('FeatureCollection'),
    features: z.array(
      z.object({
        type: z.literal('Feature'),
        geometry: z.object({
          type: z.enum(['LineString', 'Point']),
          coordinates: z.array(z.unknown()),
        }),
        properties: z.object({
          kind: z.enum(['track', 'route']),
          import: z.int(),
          day: z.string().optional(),
          first_time: z.string().optional(),
          last_time: z.string().optional(),
          name: z.string().optional(),
          n: z.int(),
        }),
      }),
    ),
    truncated: z.boolean(),
  })
  .meta({ id: 'Tracks', mediaTypes: ['application/json', 'application/geo+json'] });
export type Tracks = z.output<typeof tracksSchema>;

export const trackDaysQuery = z.object(queryPeriod).refine(isInOrder, orderFault);

/** UTC days that have points of tracks, ascending; the newest ones if there are too many. */
export const trackDaysSchema = z.object({
  days: z.array(z.object({ day: z.string(), points: z.int() })),
  truncated: z.boolean(),
});
export type TrackDays = z.output<typeof trackDaysSchema>;

export const trackPointsQuery = z
  .object({
    from: queryInstant('first'),
    to: queryInstant('last'),
    import: queryInteger(1, Number.MAX_SAFE_INTEGER).optional(),
    limit: queryInteger(1, limits.trackPointsMax).optional(),
  })
  .refine(isInOrder, orderFault)
  .refine(({ from, to }) => to - from <= limits.trackPointsMs, orderFault);

/** Points of tracks by time; of more than the limit, one for each equal stretch of time and import. */
export const trackPointsSchema = z.object({
  points: z.array(
    z.object({ time: z.string(), lat, lon, ele: z.number().optional(), import: z.int() }),
  ),
  thinned: z.boolean(),
});
export type TrackPoints = z.output<typeof trackPointsSchema>;
