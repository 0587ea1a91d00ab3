import type { Selectable } from 'kysely';
import type { ImportSummary } from '../../model/imports.ts';
import { formatTime } from '../../model/time.ts';
import type { Database } from '../database.ts';
import { prepare, prepareValue } from '../prepared.ts';
import { prepareRevision } from '../revision.ts';
import { joinedTables } from '../schema/joined.ts';
import type { LibraryDb } from '../schema/library.ts';

/** A file of the library, as the list of imports adds it. */
export type ListedSource = ReturnType<typeof toFile>;

/** Compares the library with the list of imports, through a joined reader. */
export type LibraryFiles = ReturnType<typeof prepareLibraryFiles>;

export function prepareLibraryFiles(joined: Database) {
  const files = joinedTables.selectFrom('library.files as f');
  const after = prepare(joined, (id: number) =>
    files.selectAll().where('id', '>', id).orderBy('id'),
  );
  const byId = prepare(joined, (id: number) => files.selectAll().where('id', '=', id));
  const unlisted = prepare(joined, () =>
    files
      .selectAll()
      .where((eb) =>
        eb.not(
          eb.exists(
            eb
              .selectFrom('imports as i')
              .select('i.id')
              .whereRef('i.id', '=', 'f.id')
              .where('i.state', '=', 'active')
              .whereRef('i.sha256', '=', 'f.sha256'),
          ),
        ),
      )
      .orderBy('id'),
  );
  const missing = prepareValue(joined, () =>
    joinedTables
      .selectFrom('imports as i')
      .select('i.id')
      .where('i.state', '=', 'active')
      .where((eb) =>
        eb.not(
          eb.exists(
            eb
              .selectFrom('library.files as f')
              .select('f.id')
              .whereRef('f.id', '=', 'i.id')
              .whereRef('f.sha256', '=', 'i.sha256'),
          ),
        ),
      ),
  );
  const lastId = prepareValue(joined, () => files.select((eb) => eb.fn.max('f.id').as('id')));
  return {
    /** Files of later imports than one, oldest first. */
    filesAfter: (id: number) => after.all(id).map(toFile),
    find(id: number): ListedSource | undefined {
      const row = byId.get(id);
      return row && toFile(row);
    },
    /** Files that are not active in the list, or there have other content. */
    unlisted: () => unlisted.all().map(toFile),
    /** The ids of active files that the library does not have. */
    missing: () => missing.all(),
    /** The newest file; 0 for none. */
    lastId: () => lastId.get() ?? 0,
    /** As LibraryWriter.revision. */
    revision: prepareRevision(joined, 'library'),
  };
}

function toFile(row: Selectable<LibraryDb['files']>) {
  return {
    id: row.id,
    path: row.path,
    pathKey: row.path_key,
    sha256: row.sha256,
    size: row.size,
    format: row.format,
    /** The time of its copy. */
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
    ...(row.broken_at === null ? {} : { salvaged: true, broken_at: row.broken_at }),
    ...(hasBox ? { bbox: [west, south, east, north] } : {}),
  };
}
