import type { Buffer } from 'node:buffer';
import { openReader, type Database } from '../database.ts';
import { prepare, prepareValue, type RowOf } from '../prepared.ts';
import { prepareRevision } from '../revision.ts';
import { dayKinds, libraryTables } from '../schema/library.ts';

type Statements = ReturnType<typeof prepareStatements>;

/** An imported file as a source of observations; `lastMs` is null if it has none. */
export type DaySource = RowOf<Statements['sources']>;

/** One blob of a day (schema/library.ts), without the blob. */
export interface DayRow extends Omit<RowOf<Statements['rows']>, 'fileId'> {
  /** Its place in {@link DayReader.sources}. */
  readonly source: number;
}

/** A time that a source says something of: a stay somewhere, or the mode of a way. */
export interface Stated extends Omit<RowOf<Statements['stated']>, 'fileId'> {
  readonly source: number;
}

/** A source that was there when the reader was opened was replaced or removed: what was read does not belong together. */
export class SourcesChanged extends Error {
  override readonly name = 'SourcesChanged';

  constructor() {
    super('An imported file was replaced while observations were read.');
  }
}

/**
 * Reads the observations of the files that were imported when it was opened, a day at a time. Each call is a read
 * transaction of its own: one over the whole of a long job would keep the write-ahead log from ever being emptied.
 */
export class DayReader {
  readonly #db: Database;
  readonly #statements: Statements;
  readonly #sourceOf = new Map<number, number>();
  #revision: string;

  /** In an order that depends on nothing but their content: by hash. */
  readonly sources: readonly DaySource[];

  /** How many files there are, read or not. */
  readonly #files: number;

  /**
   * @param isWanted by import id: other files are as if they were not there.
   * @param isSnapshot reads all in one transaction, so that no source is ever replaced.
   * @throws errors of SQLite
   */
  constructor(
    libraryPath: string,
    isWanted: (id: number) => boolean = () => true,
    isSnapshot = false,
  ) {
    this.#db = openReader(libraryPath);
    if (isSnapshot) this.#db.exec('BEGIN');
    this.#statements = prepareStatements(this.#db);
    const [revision, rows] = this.#db.transaction(
      () => [this.#statements.revision(), this.#statements.sources.all()] as const,
    )();
    this.#revision = revision;
    const wanted = rows.filter(({ id }) => isWanted(id));
    this.#files = rows.length;
    this.sources = wanted;
    for (const [source, { id }] of wanted.entries()) this.#sourceOf.set(id, source);
  }

  /** The first day from `day` on that has observations, even if only of files imported since; undefined after the last. */
  nextDay(day: number): number | undefined {
    return this.#statements.nextDay.get(day);
  }

  /** Observations of some days, `last` included. */
  count(first: number, last: number): number {
    const all = this.#statements.count.get(first, last) ?? 0;
    if (this.sources.length === this.#files) return all;
    return Math.min(
      all,
      this.sources.reduce((sum, { observations }) => sum + observations, 0),
    );
  }

  /**
   * The blobs of a day, by the time of their first point; equal ones by source, kind and part.
   * @throws SourcesChanged, errors of SQLite
   */
  rows(day: number): DayRow[] {
    const rows: DayRow[] = [];
    for (const { fileId, ...row } of this.#statements.rows.all(day)) {
      const source = this.#sourceOf.get(fileId);
      if (source !== undefined) rows.push({ ...row, source });
    }
    this.#checkSources();
    return rows.toSorted(compareRows);
  }

  /**
   * Times that sources say something of and that overlap others from `fromMs` to `toMs`, by their beginning, the longest
   * first.
   * @throws SourcesChanged, errors of SQLite
   */
  stated(fromMs: number, toMs: number): Stated[] {
    const all: Stated[] = [];
    for (const { fileId, ...row } of this.#statements.stated.all(fromMs, toMs)) {
      const source = this.#sourceOf.get(fileId);
      if (source !== undefined) all.push({ ...row, source });
    }
    this.#checkSources();
    return all;
  }

  /** @throws SourcesChanged, errors of SQLite */
  blob({ id, source }: DayRow): Buffer {
    const row = this.#statements.blob.get(id);
    // The id of a row that was deleted may name one of another file by now.
    if (row === undefined || this.#sourceOf.get(row.fileId) !== source) throw new SourcesChanged();
    this.#checkSources();
    return row.blob;
  }

  close(): void {
    this.#db.close();
  }

  #checkSources(): void {
    const revision = this.#statements.revision();
    if (revision === this.#revision) return;
    // A file that was restored, or has grown, has the id it had.
    const contents = new Map(this.#statements.sources.all().map(({ id, sha256 }) => [id, sha256]));
    for (const [id, source] of this.#sourceOf)
      if (contents.get(id) !== this.sources[source]!.sha256) throw new SourcesChanged();
    this.#revision = revision;
  }
}

function compareRows(a: DayRow, b: DayRow): number {
  return a.firstMs - b.firstMs || a.source - b.source || a.kind - b.kind || a.part - b.part;
}

function prepareStatements(db: Database) {
  const files = libraryTables.selectFrom('files');
  const days = libraryTables.selectFrom('days').where('kind', '<', dayKinds.doubtful);
  return {
    revision: prepareRevision(db),
    sources: prepare(db, () =>
      files
        .select(['id', 'sha256', 'observations', 'missing_times as missingTimes'])
        .select(['invalid_times as invalidTimes', 'unusable_points as unusablePoints'])
        .select('last_ms as lastMs')
        .orderBy('sha256')
        .orderBy('path'),
    ),
    nextDay: prepareValue(db, (day: number) =>
      days.select('day').where('day', '>=', day).orderBy('day').limit(1),
    ),
    count: prepareValue(db, (first: number, last: number) =>
      days
        .select((eb) => eb.fn.sum<number | null>('points').as('points'))
        .where((eb) => eb.between('day', first, last)),
    ),
    rows: prepare(db, (day: number) =>
      days
        .select(['id', 'file_id as fileId', 'kind', 'part', 'points'])
        .select(['first_ms as firstMs', 'last_ms as lastMs'])
        .where('day', '=', day),
    ),
    stated: prepare(db, (fromMs: number, toMs: number) =>
      libraryTables
        .selectFrom('stated')
        .select(['file_id as fileId', 'start_ms as startMs', 'end_ms as endMs', 'mode'])
        .select(['lat_e7 as latE7', 'lon_e7 as lonE7'])
        .where('end_ms', '>', fromMs)
        .where('start_ms', '<', toMs)
        .orderBy('start_ms')
        .orderBy('end_ms', 'desc')
        .orderBy('mode')
        .orderBy('lat_e7')
        .orderBy('lon_e7'),
    ),
    blob: prepare(db, (id: number) =>
      days.select(['file_id as fileId', 'blob']).where('id', '=', id),
    ),
  };
}
