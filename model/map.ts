import * as z from 'zod';

/** Request of a session: the one-time code of the page's address. */
export const mapCodeSchema = z.strictObject({ code: z.string().max(64) });
/** Secret that opens the API of the map's server, as a header's value. */
export const mapSessionSchema = z.object({ secret: z.string() });
/** Answer to a page that reports that it is open. */
export const mapAliveSchema = z.object({ basemap: z.boolean() });

export type MapAlive = z.output<typeof mapAliveSchema>;
export type MapSession = z.output<typeof mapSessionSchema>;
