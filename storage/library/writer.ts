import type { Transaction } from 'better-sqlite3';
import type { RecordingSink } from '../../model/recording.ts';
import type { Place } from '../../model/waypoint.ts';
import { syncFile } from '../atomic-file.ts';
import { openWriter, orClosed, type Database } from '../database.ts';
import { foldPath, type NameFolding } from '../name-folding.ts';
import { DayCollector, type DayPart } from './day-collector.ts';
import {
  PointBounds,
  type FileCounts,
  type FileStamp,
  type LibraryFile,
  type NewFile,
  type SourceStamp,
} from './library-file.ts';
import { readFolding } from './prepare.ts';
import { LineRows } from './line-rows.ts';
import { dayKinds } from '../schema/library.ts';
import { inUnits } from '../units.ts';
import { prepareStatements, readOf, unread } from './statements.ts';
import { WaypointRows, type ImportedWaypoint } from './waypoint-rows.ts';

export type { FileCounts, FileStamp, LibraryFile, SourceStamp } from './library-file.ts';
export type { ImportedWaypoint } from './waypoint-rows.ts';

/** Takes what a file holds, in file order. */
export interface FileRows extends Omit<RecordingSink, 'waypoint' | 'mirrorMark'> {
  waypoint(waypoint: ImportedWaypoint): void;
}

export interface FileContent {
  /** Reads the file into the rows. */
  readonly load: (rows: FileRows) => FileCounts;
  /** Called when all rows are written, last before the commit: puts the file in its place. */
  readonly place: () => FileStamp;
}

/** Hashes come in any order, so their index must stay in memory. */
const cacheKb = 32_768;
/** A worker may wait: most readers are gone by then, and the log can be emptied. */
const busyMs = 500;
/** Waypoints read at once. */
const pageRows = 1_024;
/** A fix that may be further off says too little of where somebody was, metres. */
const believedM = 200;

/** The one writer of `library.sqlite`. A file's rows change in one transaction, or not at all. */
export class LibraryWriter {
  readonly #db: Database;
  readonly #transaction: Transaction<(changes: () => unknown) => unknown>;
  readonly #statements: ReturnType<typeof prepareStatements>;
  readonly #waypointRows: WaypointRows;
  readonly #trackPoints: DayCollector;
  readonly #doubtfulPoints: DayCollector;
  readonly #timedWaypoints: DayCollector;
  readonly #collectors: readonly DayCollector[];
  readonly #lineRows: LineRows;
  readonly #folding: NameFolding;
  #fileId = 0;
  #bounds = new PointBounds();
  #areWaypointsChanged = false;

  /** @param path of a library that prepareLibrary has made ready. */
  constructor(path: string) {
    this.#db = openWriter(path, 'normal');
    const { statements, waypointRows, folding } = orClosed(this.#db, prepareWriting);
    // Made once: making one costs as much as a statement.
    this.#transaction = this.#db.transaction((changes) => changes());
    this.#statements = statements;
    this.#waypointRows = waypointRows;
    this.#folding = folding;
    this.#trackPoints = new DayCollector(
      (part, outline) => {
        const id = this.#insertDay(dayKinds.trackPoint, part);
        statements.insertOutline.run({ id, file_id: this.#fileId, ...outline() });
        return id;
      },
      (day_id, blob) => void statements.insertOrder.run({ day_id, file_id: this.#fileId, blob }),
    );
    this.#lineRows = new LineRows(this.#db);
    this.#timedWaypoints = this.#collectorOf(dayKinds.waypoint);
    this.#doubtfulPoints = this.#collectorOf(dayKinds.doubtful);
    this.#collectors = [this.#trackPoints, this.#timedWaypoints, this.#doubtfulPoints];
  }

  /** All files, in byte order of their paths. */
  files(): LibraryFile[] {
    return this.#statements.allFiles.all();
  }

  /** The form in which the paths of files are compared. */
  keyOf(path: string): string {
    return foldPath(path, this.#folding);
  }

  findByKey(pathKey: string): LibraryFile | undefined {
    return this.#statements.fileByKey.get(pathKey);
  }

  /** The files with a content, in no order: sorting none costs ten times looking for them. */
  findByContent(sha256: string): LibraryFile[] {
    return this.#statements.filesByContent.all(sha256);
  }

  /** The highest id that a file ever had. */
  lastId(): number {
    return this.#statements.lastId.get() ?? 0;
  }

  /** The SHA-256 noted for a source that still has this very stamp. */
  findSource(stamp: SourceStamp): string | undefined {
    return this.#statements.findSource.get(stamp);
  }

  /** Notes what sources hash to, and forgets those whose content is no longer imported. */
  noteSources(sources: Iterable<{ readonly stamp: SourceStamp; readonly sha256: string }>): void {
    const { noteSource, forgetSources } = this.#statements;
    this.transaction(() => {
      for (const { stamp, sha256 } of sources) noteSource.run(stamp, sha256);
      forgetSources.run();
    });
  }

  /**
   * Makes changes in one transaction: they are undone when anything throws. Within another they are undone alone, and
   * are committed with it; one commit costs much less than one for each of many files.
   */
  transaction<T>(changes: () => T): T {
    if (this.#db.inTransaction) return this.#transaction(changes) as T;
    return this.#transaction.immediate(() => {
      const result = changes();
      // Not for each file: where all have a place of one name, each would look at those of all before.
      this.#waypointRows.merge();
      return result;
    }) as T;
  }

  /**
   * Replaces the rows of the file at a path, or adds them; undone when anything throws.
   * @throws what `load` and `place` throw, and errors of SQLite.
   */
  replaceFile(file: NewFile, { load, place }: FileContent): FileCounts {
    return this.transaction(() => {
      const before = this.findByKey(file.pathKey);
      if (before !== undefined) this.#remove(before.id);
      const id = file.id ?? this.lastId() + 1;
      const { insertFile, finishFile, touch } = this.#statements;
      const { path, pathKey: path_key, sha256 } = file;
      insertFile.run({ ...unread, id, path, path_key, sha256 });
      this.#waypointRows.begin(id);
      const counts = load(this.#rowsOf(id));
      const waypoints = this.#waypointRows.finish();
      if (waypoints.from < waypoints.to) this.#areWaypointsChanged = true;
      for (const points of this.#collectors) points.flush();
      this.#lineRows.finish();
      touch.run();
      finishFile.run({ ...readOf(counts, waypoints, place()), ...this.#bounds.box }, id);
      return counts;
    });
  }

  removeFile(id: number): void {
    this.transaction(() => {
      this.#remove(id);
      this.#statements.touch.run();
    });
  }

  /** Notes that a file with the content it had is another file on the disk now. */
  restamp(id: number, stamp: FileStamp): void {
    this.#statements.restamp.run(stamp, id);
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
    const { allWaypoints, notShown } = this.#statements;
    return (allWaypoints.get() ?? 0) - (notShown.get() ?? 0);
  }

  /** The waypoints that show, each identity once, by path and position. */
  *shownWaypoints(): Generator<Place> {
    const { waypointRanges, shownPage } = this.#statements;
    for (const { from, waypoints } of waypointRanges.all())
      for (let at = from; at < from + waypoints; at += pageRows)
        yield* shownPage.all(at, Math.min(at + pageRows, from + waypoints));
  }

  /** Makes all that was committed durable, and empties the write-ahead log unless somebody is reading in it. */
  checkpoint(): void {
    const [row] = this.#db.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[];
    if (row?.busy === 0) return;
    // A reader of an older state keeps the log from being emptied; its commits must reach the disk all the same.
    syncFile(`${this.#db.name}-wal`);
  }

  close(): void {
    this.#db.close();
  }

  #rowsOf(id: number): FileRows {
    this.#fileId = id;
    this.#bounds = new PointBounds();
    for (const points of this.#collectors) points.reset();
    const lines = this.#lineRows;
    lines.begin(id);
    return {
      waypoint: (waypoint) => {
        this.#waypointRows.insert(waypoint);
        this.#bounds.add(waypoint.lat, waypoint.lon);
        const { lat, lon, ele = Number.NaN, timeMs, isOwnBookmark = false } = waypoint;
        if (timeMs !== undefined && !isOwnBookmark) this.#timedWaypoints.add(lat, lon, ele, timeMs);
      },
      trackPoint: (lat, lon, ele, timeMs, accuracyM = Number.NaN) => {
        this.#bounds.add(lat, lon);
        if (Number.isNaN(timeMs)) lines.untimed(lat, lon, ele);
        else if (accuracyM > believedM) this.#doubtfulPoints.add(lat, lon, ele, timeMs);
        else {
          lines.timed();
          this.#trackPoints.add(lat, lon, ele, timeMs);
        }
      },
      routePoint: (lat, lon, ele, name) => {
        this.#bounds.add(lat, lon);
        lines.untimed(lat, lon, ele, name);
      },
      visit: ({ startMs: start_ms, endMs: end_ms, lat, lon }) => {
        const [lat_e7, lon_e7] = [inUnits(lat), inUnits(lon)];
        this.#statements.insertStated.run({ file_id: id, start_ms, end_ms, lat_e7, lon_e7 });
      },
      mode: ({ startMs: start_ms, endMs: end_ms, mode }) =>
        void this.#statements.insertStated.run({ file_id: id, start_ms, end_ms, mode }),
      line: (kind, line) => lines.line(kind, line),
      segment: () => lines.segment(),
      lineTexts: (line, texts) => lines.texts(line, texts),
    };
  }

  #collectorOf(kind: number): DayCollector {
    return new DayCollector((part) => this.#insertDay(kind, part));
  }

  #insertDay(kind: number, part: DayPart): number {
    const row = { ...part, file_id: this.#fileId, kind };
    return Number(this.#statements.insertDay.run(row).lastInsertRowid);
  }

  #remove(id: number): void {
    const range = this.#statements.waypointsOf.get(id);
    this.#statements.deleteFile.run(id);
    if (range === undefined) return;
    this.#areWaypointsChanged = true;
    this.#waypointRows.remove({ from: range.from, to: range.from + range.waypoints });
  }
}

function prepareWriting(db: Database) {
  db.pragma(`cache_size = -${cacheKb}`);
  db.pragma(`busy_timeout = ${busyMs}`);
  const waypointRows = new WaypointRows(db);
  return { statements: prepareStatements(db), waypointRows, folding: readFolding(db) };
}
