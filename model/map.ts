import * as z from 'zod';

/** What the page of the map trades for its session: the one-time code of its address. */
export const mapCodeSchema = z.strictObject({ code: z.string().max(64) });
/** What opens the API of the map's server, as the value of its header. */
export const mapSessionSchema = z.object({ secret: z.string() });
/** What a page learns when it says that it is there. */
export const mapAliveSchema = z.object({ basemap: z.boolean() });

export type MapAlive = z.output<typeof mapAliveSchema>;
export type MapSession = z.output<typeof mapSessionSchema>;
