import * as z from 'zod';
import { limits } from './limits.ts';
import { queryInstant } from './query-instant.ts';
import { queryInteger, queryNames } from './schema.ts';

/** What a tile may show. */
export const tileLayers = ['tracks', 'points', 'routes', 'waypoints'] as const;
export type TileLayer = (typeof tileLayers)[number];

/** Both ends belong to it; what has no time is in no period. */
const period = {
  from: queryInstant('first').optional(),
  to: queryInstant('last').optional(),
};

export const tileParams = z
  .object({
    z: queryInteger(0, limits.tileZoomMax),
    x: queryInteger(0, 2 ** limits.tileZoomMax - 1),
    y: queryInteger(0, 2 ** limits.tileZoomMax - 1),
  })
  .refine(({ z: zoom, x, y }) => Math.max(x, y) < 2 ** zoom);
export const tileQuery = z.object({ ...period, layers: queryNames(tileLayers).optional() });
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
