import { sql } from 'kysely';
import type { Database } from '../database.ts';
import { prepare, prepareValue } from '../prepared.ts';
import { countedUp, prepareRevision } from '../revision.ts';
import type { FileCounts, FileStamp, SourceStamp } from './library-file.ts';
import type { RowRange } from './waypoint-rows.ts';
import { libraryTables, prepareInsert, type NewRow } from '../schema/library.ts';

/** What the writer of a library asks and changes, apart from the rows of waypoints. */
export function prepareStatements(db: Database) {
  return {
    ...prepareFiles(db),
    ...prepareFileChanges(db),
    ...prepareSources(db),
    ...prepareShown(db),
    insertDay: prepareInsert(db, 'days'),
    insertOutline: prepareInsert(db, 'outlines'),
    insertOrder: prepareInsert(db, 'day_orders'),
    insertStated: prepareInsert(db, 'stated'),
    revision: prepareRevision(db),
    touch: prepare(db, () =>
      libraryTables.updateTable('meta').set({ value: countedUp }).where('key', '=', 'revision'),
    ),
    markWhole: prepare(db, () => libraryTables.deleteFrom('meta').where('key', '=', 'unread')),
  };
}

function prepareFiles(db: Database) {
  const files = libraryTables
    .selectFrom('files')
    .select(['id', 'path', 'path_key as pathKey', 'sha256', 'size', 'mtime_ns as mtimeNs']);
  return {
    allFiles: prepare(db, () => files.orderBy('path')),
    fileByKey: prepare(db, (pathKey: string) => files.where('path_key', '=', pathKey)),
    filesByContent: prepare(db, (sha256: string) => files.where('sha256', '=', sha256)),
    lastId: prepareValue(
      db,
      () => sql<{ seq: number }>`SELECT seq FROM sqlite_sequence WHERE name = 'files'`,
    ),
  };
}

function prepareFileChanges(db: Database) {
  const update = libraryTables.updateTable('files');
  return {
    insertFile: prepareInsert(db, 'files'),
    finishFile: prepare(db, (read: FileDetails, id: number) => {
      const names = Object.keys(unread) as (keyof FileDetails)[];
      return update.set(Object.fromEntries(names.map((of) => [of, read[of]]))).where('id', '=', id);
    }),
    restamp: prepare(db, ({ size, mtimeNs }: FileStamp, id: number) =>
      update.set({ size, mtime_ns: mtimeNs }).where('id', '=', id),
    ),
    // Days go with it, by foreign key.
    deleteFile: prepare(db, (id: number) => libraryTables.deleteFrom('files').where('id', '=', id)),
  };
}

function prepareSources(db: Database) {
  return {
    findSource: prepareValue(db, ({ device, inode, size, mtimeNs, ctimeNs }: SourceStamp) =>
      libraryTables
        .selectFrom('sources')
        .select('sha256')
        .where((eb) => eb.and({ device, inode, size, mtime_ns: mtimeNs, ctime_ns: ctimeNs })),
    ),
    noteSource: prepare(
      db,
      ({ device, inode, size, mtimeNs, ctimeNs }: SourceStamp, sha256: string) =>
        libraryTables
          .insertInto('sources')
          .orReplace()
          .values({ device, inode, size, mtime_ns: mtimeNs, ctime_ns: ctimeNs, sha256 }),
    ),
    forgetSources: prepare(db, () =>
      libraryTables
        .deleteFrom('sources')
        .where('sha256', 'not in', (eb) => eb.selectFrom('files').select('sha256')),
    ),
  };
}

function prepareShown(db: Database) {
  const ranges = libraryTables
    .selectFrom('files')
    .select(['first_waypoint as from', 'waypoints'])
    .$narrowType<{ from: number }>()
    .where('first_waypoint', 'is not', null);
  return {
    waypointsOf: prepare(db, (id: number) => ranges.where('id', '=', id)),
    waypointRanges: prepare(db, () => ranges.orderBy('path')),
    allWaypoints: prepareValue(db, () =>
      libraryTables
        .selectFrom('files')
        .select((eb) => eb.fn.sum<number | null>('waypoints').as('count')),
    ),
    notShown: prepareValue(db, () =>
      libraryTables
        .selectFrom('duplicates')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .where('shown', '=', 0),
    ),
    shownPage: prepare(db, (from: number, to: number) =>
      libraryTables
        .selectFrom('waypoints as w')
        .leftJoin('duplicates as d', 'd.waypoint', 'w.id')
        .select(['w.name', 'w.lat', 'w.lon'])
        .where('w.id', '>=', from)
        .where('w.id', '<', to)
        .where('d.shown', 'is not', 0)
        .orderBy('w.id'),
    ),
  };
}

type FileDetails = Required<Omit<NewRow<'files'>, 'id' | 'path' | 'path_key' | 'sha256'>>;

/** Columns of a file that has not been read yet. */
export const unread: FileDetails = {
  size: 0,
  mtime_ns: '',
  format: '',
  first_waypoint: null,
  waypoints: 0,
  observations: 0,
  track_points: 0,
  tracks: 0,
  route_points: 0,
  routes: 0,
  missing_times: 0,
  invalid_times: 0,
  unusable_points: 0,
  first_ms: null,
  last_ms: null,
  broken_at: null,
  south: null,
  west: null,
  north: null,
  east: null,
};

/** The same once it is read, but for the box. */
export function readOf(counts: FileCounts, waypoints: RowRange, placed: FileStamp) {
  return {
    size: placed.size,
    mtime_ns: placed.mtimeNs,
    format: counts.format,
    first_waypoint: waypoints.from === waypoints.to ? null : waypoints.from,
    waypoints: waypoints.to - waypoints.from,
    observations: counts.observations,
    track_points: counts.trackPoints,
    tracks: counts.tracks,
    route_points: counts.routePoints,
    routes: counts.routes,
    missing_times: counts.missingTimes,
    invalid_times: counts.invalidTimes,
    unusable_points: counts.unusablePoints,
    first_ms: counts.firstMs ?? null,
    last_ms: counts.lastMs ?? null,
    broken_at: counts.broken?.at ?? null,
  };
}
