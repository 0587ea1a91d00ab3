import type { Selectable } from 'kysely';
import type { ImportSummary } from '../../model/imports.ts';
import { formatTime } from '../../model/time.ts';
import type { Database } from '../database.ts';
import { prepare, prepareValue } from '../prepared.ts';
import { prepareAttachedRevision } from '../revision.ts';
import { joinedTables } from '../schema/joined.ts';
import type { LibraryDb } from '../schema/library.ts';

/** A file of the library as the list of imported files takes it over. */
export type SyncedFile = ReturnType<typeof toFile>;

/** What the list of imported files reads of the library, through a joined reader. */
export type SyncReader = ReturnType<typeof prepareSyncReader>;

export function prepareSyncReader(joined: Database) {
  const files = joinedTables.selectFrom('library.files as f');
  const after = prepare(joined, (id: number, limit: number) =>
    files.selectAll().where('id', '>', id).orderBy('id').limit(limit),
  );
  const gone = prepareValue(joined, (after: number, until: number) =>
    joinedTables
      .selectFrom('imports as i')
      .select('i.id')
      .where('i.id', '>', after)
      .where('i.id', '<=', until)
      .where('i.state', '=', 'active')
      .where((eb) =>
        eb.not(
          eb.exists(
            eb
              .selectFrom('library.files as f')
              .select('f.id')
              .whereRef('f.path_key', '=', 'i.path_key')
              .whereRef('f.sha256', '=', 'i.sha256'),
          ),
        ),
      ),
  );
  const has = prepareValue(joined, (pathKey: string, sha256: string) =>
    files.select('f.id').where('path_key', '=', pathKey).where('sha256', '=', sha256),
  );
  const lastId = prepareValue(joined, () => files.select((eb) => eb.fn.max('f.id').as('id')));
  return {
    /** Files that came after another one, in the order in which they came; `limit` at most. */
    filesAfter: (id: number, limit: number) => after.all(id, limit).map(toFile),
    /** Active files, of ids above one and up to another, that the library does not have with that content. */
    goneAmong: (after: number, until: number) => gone.all(after, until),
    has: (pathKey: string, sha256: string) => has.get(pathKey, sha256) !== undefined,
    /** The newest file; 0 for none. */
    lastId: () => lastId.get() ?? 0,
    /** As LibraryWriter.revision. */
    revision: prepareAttachedRevision(joined),
  };
}

function toFile(row: Selectable<LibraryDb['files']>) {
  return {
    /** Of the library; ascends with every file. */
    libraryId: row.id,
    path: row.path,
    pathKey: row.path_key,
    sha256: row.sha256,
    size: row.size,
    format: row.format,
    /** When its copy was made; exactly, in ns since 1970, and as a time. */
    copiedNs: row.mtime_ns,
    copiedAt: timeOf(row.mtime_ns),
    summary: summaryOf(row),
  };
}

/** A time of the file system; one before 1970 is that of a clock that was not set. */
function timeOf(mtimeNs: string): string {
  return formatTime(Math.max(0, Math.floor(Number(mtimeNs) / 1e6)));
}

function summaryOf(row: Selectable<LibraryDb['files']>): ImportSummary {
  const { first_ms, last_ms, west, south, east, north } = row;
  const hasBox = west !== null && south !== null && east !== null && north !== null;
  return {
    waypoints: row.waypoints,
    track_points: row.track_points,
    route_points: row.route_points,
    observations: row.observations,
    untimed_points: row.missing_times + row.invalid_times,
    unusable_points: row.unusable_points,
    ...(first_ms === null ? {} : { first_time: formatTime(first_ms) }),
    ...(last_ms === null ? {} : { last_time: formatTime(last_ms) }),
    ...(hasBox ? { bbox: [west, south, east, north] } : {}),
  };
}
