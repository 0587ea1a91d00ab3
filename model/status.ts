import * as z from 'zod';

const count = z.int().min(0);

/** How a running daemon is: what `waypointd status` shows beside the import and the geodata. */
export const statusSchema = z.object({
  uptime_seconds: count,
  /**
   * Reading while what lies below `imports/` is compared with the library after a start; with a lost library that is all
   * of it, and takes a while.
   */
  library: z.object({
    state: z.enum(['reading', 'ready', 'incomplete']),
    files_done: count,
    files_total: count,
  }),
  /** Left out until the library is read. */
  waypoints: count.optional(),
  /** What the imported files hold; left out until the library is read. */
  imported: z
    .object({
      files: count,
      tracks: count,
      routes: count,
      track_points: count,
      observations: count,
      /** Of the observations; left out where there are none. */
      first_time: z.iso.datetime().optional(),
      last_time: z.iso.datetime().optional(),
    })
    .optional(),
  bookmarks: count,
  /** Left out unless the bookmarks file would delete so many bookmarks that this waits for `POST /api/bookmarks/merge`. */
  bookmarks_file: z.object({ deletions_waiting: count }).optional(),
  timelines: z.object({ queued: count, running: count }),
});
export type DaemonStatus = z.output<typeof statusSchema>;
