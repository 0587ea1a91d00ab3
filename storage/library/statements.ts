import { sql } from 'kysely';
import type { StatedMode, StatedVisit } from '../../model/recording.ts';
import type { Database } from '../database.ts';
import { prepare, prepareValue } from '../prepared.ts';
import { countedUp, prepareRevision } from '../revision.ts';
import type { DayPart, Outline } from './day-collector.ts';
import type { FileBounds, FileCounts, FileStamp, NewFile, SourceStamp } from './library-file.ts';
import { libraryTables } from '../schema/library.ts';

/** Units of 1e-7 degree. */
interface Place {
  readonly latE7: number;
  readonly lonE7: number;
}

/** A file whose rows are written. */
interface FinishedFile
  extends FileStamp, FileBounds, Omit<FileCounts, 'firstMs' | 'lastMs' | 'broken'> {
  readonly firstWaypoint: number | null;
  readonly firstMs: number | null;
  readonly lastMs: number | null;
  readonly brokenAt: number | null;
}

export type InsertOutline = ReturnType<typeof prepareInsertOutline>;

/** What the writer of a library asks and changes, apart from the rows of waypoints. */
export function prepareStatements(db: Database) {
  return {
    ...prepareFiles(db),
    ...prepareFileChanges(db),
    ...prepareSources(db),
    ...prepareShown(db),
    insertDay: prepareInsertDay(db),
    insertOutline: prepareInsertOutline(db),
    insertOrder: prepare(db, (day_id: number, file_id: number, blob: Buffer) =>
      libraryTables.insertInto('day_orders').values({ day_id, file_id, blob }),
    ),
    insertVisit: prepare(db, ({ startMs, endMs }: StatedVisit, place: Place, file_id: number) =>
      libraryTables.insertInto('stated').values({
        file_id,
        start_ms: startMs,
        end_ms: endMs,
        lat_e7: place.latE7,
        lon_e7: place.lonE7,
      }),
    ),
    insertMode: prepare(db, ({ startMs, endMs, mode }: StatedMode, file_id: number) =>
      libraryTables
        .insertInto('stated')
        .values({ file_id, start_ms: startMs, end_ms: endMs, mode }),
    ),
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
    /** @param id null for the next one. */
    insertFile: prepare(db, ({ path, pathKey, sha256 }: NewFile, id: number | null) =>
      libraryTables.insertInto('files').values({
        id: sql<number>`${id}`,
        path,
        path_key: pathKey,
        sha256,
        size: 0,
        mtime_ns: '',
        format: '',
        waypoints: 0,
        observations: 0,
        track_points: 0,
        tracks: 0,
        route_points: 0,
        routes: 0,
        missing_times: 0,
        invalid_times: 0,
        unusable_points: 0,
      }),
    ),
    finishFile: prepare(db, (file: FinishedFile, id: number) =>
      update
        .set({ size: file.size, mtime_ns: file.mtimeNs, format: file.format })
        .set({ first_waypoint: file.firstWaypoint, waypoints: file.waypoints })
        .set({ track_points: file.trackPoints, tracks: file.tracks })
        .set({ route_points: file.routePoints, routes: file.routes })
        .set({ observations: file.observations, unusable_points: file.unusablePoints })
        .set({ missing_times: file.missingTimes, invalid_times: file.invalidTimes })
        .set({ first_ms: file.firstMs, last_ms: file.lastMs, broken_at: file.brokenAt })
        .set({ south: file.south, west: file.west })
        .set({ north: file.north, east: file.east })
        .where('id', '=', id),
    ),
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

function prepareInsertDay(db: Database) {
  return prepare(db, (part: DayPart, file_id: number, kind: number) =>
    libraryTables.insertInto('days').values({
      day: part.day,
      file_id,
      kind,
      part: part.part,
      ...extentOf(part),
      blob: part.blob,
    }),
  );
}

function prepareInsertOutline(db: Database) {
  return prepare(db, (id: number, file_id: number, outline: Outline) =>
    libraryTables.insertInto('outlines').values({
      id,
      file_id,
      day: outline.day,
      ...extentOf(outline),
      next_ms: outline.nextMs,
      next_lat_e7: outline.nextLatE7,
      next_lon_e7: outline.nextLonE7,
      coarse: outline.coarse,
      fine: outline.fine,
    }),
  );
}

function extentOf(part: Omit<DayPart, 'day' | 'part' | 'blob'>) {
  return {
    points: part.points,
    first_ms: part.firstMs,
    last_ms: part.lastMs,
    south_e7: part.southE7,
    west_e7: part.westE7,
    north_e7: part.northE7,
    east_e7: part.eastE7,
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
