import { closeSync, fsyncSync, openSync } from 'node:fs';
import type { Transaction } from 'better-sqlite3';
import { openWriter, type Database } from '../database.ts';
import { prepareLibraryRevision } from '../revision.ts';
import { DayCollector, type DayPart } from './day-collector.ts';
import type { RowRange } from './identity-rows.ts';
import { WaypointRows, type ImportedWaypoint } from './waypoint-rows.ts';

export type { ImportedWaypoint } from './waypoint-rows.ts';

/** An imported file as the library knows it. */
export interface LibraryFile {
  readonly id: number;
  /** Relative to `imports/`, with `/`. */
  readonly path: string;
  /** The path as paths are compared. */
  readonly pathKey: string;
  /** 64 lower-case hex digits. */
  readonly sha256: string;
  readonly size: number;
  /** Decimal digits: a double cannot hold it. */
  readonly mtimeNs: string;
}

/** What tells whether a file was changed since. */
export type FileStamp = Pick<LibraryFile, 'size' | 'mtimeNs'>;

/** What tells that a source is the very file it was, unchanged; decimal digits where a double would not do. */
export interface SourceStamp {
  readonly device: string;
  readonly inode: string;
  readonly size: number;
  readonly mtimeNs: string;
  readonly ctimeNs: string;
}

/** A waypoint as searches need it. */
interface ShownWaypoint {
  readonly name: string;
  readonly lat: number;
  readonly lon: number;
}

/** Counts of one file. */
export interface FileCounts {
  readonly waypoints: number;
  readonly observations: number;
  /** Points with usable coordinates and no time, or an empty one. */
  readonly missingTimes: number;
  /** Points with usable coordinates and a time that is none. */
  readonly invalidTimes: number;
  readonly unusablePoints: number;
  readonly firstMs?: number;
  readonly lastMs?: number;
}

/** Takes what a file holds, in file order. */
export interface FileRows {
  waypoint(waypoint: ImportedWaypoint): void;
  /** @param ele in metres, NaN for none. */
  trackPoint(lat: number, lon: number, ele: number, timeMs: number): void;
}

export interface FileContent {
  /** Reads the file into the rows. */
  readonly load: (rows: FileRows) => FileCounts;
  /** Called when all rows are written, last before the commit: puts the file in its place. */
  readonly place: () => PlacedFile;
}

interface PlacedFile extends FileStamp {
  /** Where it was not known before. */
  readonly sha256?: string;
}

/** A file that gets rows. */
interface NewFile extends Pick<LibraryFile, 'path' | 'pathKey'> {
  /** Undefined where it is known only when all is read; then `place` tells it. */
  readonly sha256: string | undefined;
}

/** Hashes come in any order, so their index must stay in memory. */
const cacheKb = 32_768;
/** A worker may wait: most readers are gone by then, and the log can be emptied. */
const busyMs = 500;
/** Waypoints read at once. */
const pageRows = 1_024;
const trackPointKind = 0;
const waypointKind = 1;

/** The one writer of `library.sqlite`. A file's rows change in one transaction, or not at all. */
export class LibraryWriter {
  readonly #db: Database;
  readonly #transaction: Transaction<(changes: () => unknown) => unknown>;
  readonly #statements: ReturnType<typeof prepareStatements>;
  readonly #waypointRows: WaypointRows;
  readonly #trackPoints: DayCollector;
  readonly #timedWaypoints: DayCollector;
  #fileId = 0;
  #areWaypointsChanged = false;

  /** @param path of a library that prepareLibrary has made ready. */
  constructor(path: string) {
    this.#db = openWriter(path, 'normal');
    this.#db.pragma(`cache_size = -${cacheKb}`);
    this.#db.pragma(`busy_timeout = ${busyMs}`);
    // Made once: making one costs as much as a statement.
    this.#transaction = this.#db.transaction((changes) => changes());
    this.#statements = prepareStatements(this.#db);
    this.#waypointRows = new WaypointRows(this.#db);
    this.#trackPoints = new DayCollector((part) => this.#insertDay(trackPointKind, part));
    this.#timedWaypoints = new DayCollector((part) => this.#insertDay(waypointKind, part));
  }

  /** All files, in byte order of their paths. */
  files(): LibraryFile[] {
    return this.#statements.allFiles.all();
  }

  findByKey(pathKey: string): LibraryFile | undefined {
    return this.#statements.fileByKey.get(pathKey);
  }

  /** The files with a content, in no order: sorting none costs ten times looking for them. */
  findByContent(sha256: string): LibraryFile[] {
    return this.#statements.filesByContent.all(sha256);
  }

  /** How many bytes the files have, in no order. */
  sizes(): number[] {
    return this.#statements.sizes.all();
  }

  /** The SHA-256 noted for a source that still has this very stamp. */
  findSource(stamp: SourceStamp): string | undefined {
    return this.#statements.findSource.get(stamp);
  }

  /** Notes what sources hash to, and forgets those whose content is no longer imported. */
  noteSources(sources: Iterable<{ readonly stamp: SourceStamp; readonly sha256: string }>): void {
    const { noteSource, forgetSources } = this.#statements;
    this.together(() => {
      for (const { stamp, sha256 } of sources) noteSource.run({ ...stamp, sha256 });
      forgetSources.run();
    });
  }

  /**
   * Makes changes in one transaction: they are undone when anything throws. Within another they are undone alone, and
   * are committed with it; one commit costs much less than one for each of many files.
   */
  together<T>(changes: () => T): T {
    return this.#transaction.immediate(changes) as T;
  }

  /**
   * Replaces the rows of the file at a path, or adds them; undone when anything throws.
   * @throws what `load` and `place` throw, and errors of SQLite.
   */
  replaceFile(file: NewFile, { load, place }: FileContent): FileCounts {
    return this.together(() => {
      const before = this.findByKey(file.pathKey);
      if (before !== undefined) this.#deleteRows(before.id);
      const { insertFile, finishFile, setContent, touch } = this.#statements;
      const id = Number(insertFile.run({ ...file, sha256: file.sha256 ?? '' }).lastInsertRowid);
      const counts = load(this.#rowsOf(id, file.path));
      const { from, to } = this.#waypointRows.finish();
      if (from < to) this.#areWaypointsChanged = true;
      this.#trackPoints.flush();
      this.#timedWaypoints.flush();
      touch.run();
      const placed = place();
      if (placed.sha256 !== undefined) setContent.run(placed.sha256, id);
      const firstWaypoint = from === to ? null : from;
      const times = { firstMs: null, lastMs: null };
      finishFile.run({ id, firstWaypoint, ...times, ...counts, waypoints: to - from, ...placed });
      return counts;
    });
  }

  removeFile(id: number): void {
    this.together(() => {
      this.#deleteRows(id);
      this.#statements.touch.run();
    });
  }

  /** Notes that a file with the content it had is another file on the disk now. */
  restamp(id: number, stamp: FileStamp): void {
    this.#statements.restamp.run({ id, ...stamp });
  }

  /** Notes that all files below `imports/` have been read since this library was made. */
  markWhole(): void {
    this.#statements.markWhole.run();
  }

  /** Names the present content: changes with every file added, replaced or removed, and with a rebuilt library. */
  revision(): string {
    return this.#statements.revision();
  }

  /** Whether waypoints were written or removed since this writer was made, be it undone since or not. */
  get areWaypointsChanged(): boolean {
    return this.#areWaypointsChanged;
  }

  shownCount(): number {
    return this.#statements.shownCount.get() ?? 0;
  }

  /** The waypoints that show, each identity once, by path and position. */
  *shownWaypoints(): Generator<ShownWaypoint> {
    const { waypointRanges, shownPage } = this.#statements;
    for (const { from, to } of waypointRanges.all())
      for (let at = from; at < to; at += pageRows)
        yield* shownPage.all(at, Math.min(at + pageRows, to));
  }

  /** Makes all that was committed durable, and empties the write-ahead log unless somebody is reading in it. */
  checkpoint(): void {
    const [row] = this.#db.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[];
    if (row?.busy === 0) return;
    // A reader of an older state keeps the log from being emptied; its commits must reach the disk all the same.
    const log = openSync(`${this.#db.name}-wal`, 'r+');
    try {
      fsyncSync(log);
    } finally {
      closeSync(log);
    }
  }

  close(): void {
    this.#db.close();
  }

  #rowsOf(id: number, path: string): FileRows {
    this.#fileId = id;
    this.#trackPoints.reset();
    this.#timedWaypoints.reset();
    this.#waypointRows.begin(path);
    return {
      waypoint: (waypoint) => {
        this.#waypointRows.insert(waypoint);
        const { lat, lon, ele = Number.NaN, timeMs } = waypoint;
        if (timeMs !== undefined) this.#timedWaypoints.add(lat, lon, ele, timeMs);
      },
      trackPoint: (lat, lon, ele, timeMs) => this.#trackPoints.add(lat, lon, ele, timeMs),
    };
  }

  #insertDay(kind: number, part: DayPart): void {
    this.#statements.insertDay.run({ ...part, fileId: this.#fileId, kind });
  }

  #deleteRows(id: number): void {
    const range = this.#statements.waypointsOf.get(id);
    if (range !== undefined) {
      this.#waypointRows.remove(range);
      this.#areWaypointsChanged = true;
    }
    this.#statements.deleteFile.run(id);
  }
}

const fileColumns = 'id, path, path_key AS pathKey, sha256, size, mtime_ns AS mtimeNs';

const waypointRange = 'first_waypoint AS "from", first_waypoint + waypoints AS "to"';

function prepareStatements(db: Database) {
  return {
    allFiles: db.prepare<[], LibraryFile>(`SELECT ${fileColumns} FROM files ORDER BY path`),
    fileByKey: db.prepare<[string], LibraryFile>(
      `SELECT ${fileColumns} FROM files WHERE path_key = ?`,
    ),
    filesByContent: db.prepare<[string], LibraryFile>(
      `SELECT ${fileColumns} FROM files WHERE sha256 = ?`,
    ),
    sizes: db.prepare<[], number>('SELECT DISTINCT size FROM files').pluck(),
    findSource: db
      .prepare<[SourceStamp], string>(
        `SELECT sha256 FROM sources WHERE device = @device AND inode = @inode AND size = @size
           AND mtime_ns = @mtimeNs AND ctime_ns = @ctimeNs`,
      )
      .pluck(),
    noteSource: db.prepare(`
      INSERT OR REPLACE INTO sources (device, inode, size, mtime_ns, ctime_ns, sha256)
      VALUES (@device, @inode, @size, @mtimeNs, @ctimeNs, @sha256)`),
    forgetSources: db.prepare('DELETE FROM sources WHERE sha256 NOT IN (SELECT sha256 FROM files)'),
    insertFile: db.prepare(`
      INSERT INTO files (path, path_key, sha256, size, mtime_ns,
        waypoints, observations, missing_times, invalid_times, unusable_points)
      VALUES (@path, @pathKey, @sha256, 0, '', 0, 0, 0, 0, 0)`),
    finishFile: db.prepare(`
      UPDATE files SET size = @size, mtime_ns = @mtimeNs,
        first_waypoint = @firstWaypoint, waypoints = @waypoints,
        observations = @observations, missing_times = @missingTimes,
        invalid_times = @invalidTimes, unusable_points = @unusablePoints, first_ms = @firstMs, last_ms = @lastMs
      WHERE id = @id`),
    setContent: db.prepare('UPDATE files SET sha256 = ? WHERE id = ?'),
    restamp: db.prepare('UPDATE files SET size = @size, mtime_ns = @mtimeNs WHERE id = @id'),
    waypointsOf: db.prepare<[number], RowRange>(
      `SELECT ${waypointRange} FROM files WHERE id = ? AND first_waypoint IS NOT NULL`,
    ),
    // Days go with it, by foreign key.
    deleteFile: db.prepare('DELETE FROM files WHERE id = ?'),
    insertDay: db.prepare(`
      INSERT INTO days (day, file_id, kind, part, points, first_ms, last_ms,
        south_e7, west_e7, north_e7, east_e7, blob)
      VALUES (@day, @fileId, @kind, @part, @points, @firstMs, @lastMs,
        @southE7, @westE7, @northE7, @eastE7, @blob)`),
    touch: db.prepare(
      "UPDATE meta SET value = CAST(CAST(value AS INTEGER) + 1 AS TEXT) WHERE key = 'revision'",
    ),
    markWhole: db.prepare("DELETE FROM meta WHERE key = 'unread'"),
    revision: prepareLibraryRevision(db),
    shownCount: db
      .prepare<[], number>(
        `SELECT (SELECT coalesce(sum(waypoints), 0) FROM files)
           - (SELECT count(*) FROM waypoints WHERE shown = 0)`,
      )
      .pluck(),
    waypointRanges: db.prepare<[], RowRange>(
      `SELECT ${waypointRange} FROM files WHERE first_waypoint IS NOT NULL ORDER BY path`,
    ),
    shownPage: db.prepare<[number, number], ShownWaypoint>(
      `SELECT name, lat, lon FROM waypoints WHERE id >= ? AND id < ? AND +shown = 1 ORDER BY id`,
    ),
  };
}
