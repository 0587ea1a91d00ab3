import * as z from 'zod';
import { failureReasons } from './import.ts';

const count = z.int().min(0);

/** A folder of the setting `watch_dirs`, and what came of it since the daemon started. */
const watchedFolderSchema = z
  .object({
    dir: z.string(),
    /** `polling`: its file system tells nothing, so changes are looked for; `absent`: waited for. */
    state: z.enum(['starting', 'following', 'polling', 'absent']),
    files: count,
    /** Not still for long enough, or about to be imported. */
    waiting: count,
    imported: count,
    /** Files that were refused and have not changed since. */
    failed: count,
    /** The first of these, relative to `dir`. */
    failures: z.array(z.object({ file: z.string(), reason: z.enum(failureReasons) })),
    /** Left out unless there are more files than are looked at. */
    full: z.boolean().optional(),
  })
  .meta({ id: 'WatchedFolder' });
export type WatchedFolderStatus = z.output<typeof watchedFolderSchema>;

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
  /** Totals of the imported files; absent until the library is read. */
  imported: z
    .object({
      files: count,
      tracks: count,
      routes: count,
      track_points: count,
      observations: count,
      /** Time of observations; absent if there are none. */
      first_time: z.iso.datetime().optional(),
      last_time: z.iso.datetime().optional(),
    })
    .optional(),
  bookmarks: count,
  bookmarks_file: z
    .object({
      /** Left out unless an edit that deletes so many bookmarks waits for `POST /api/bookmarks/merge`. */
      deletions_waiting: count.optional(),
      /** Why the file cannot be written, as a sentence without its full stop. */
      problem: z.string().optional(),
      /** Left out until an edit of the file was merged. `copy` is the edited file, in `backups/`. */
      last_merge: z
        .object({
          at: z.iso.datetime(),
          added: count,
          changed: count,
          deleted: count,
          copy: z.string(),
        })
        .optional(),
    })
    .optional(),
  timelines: z.object({ queued: count, running: count }),
  /** Left out where none is watched. */
  watch: z.array(watchedFolderSchema).optional(),
});
export type DaemonStatus = z.output<typeof statusSchema>;
