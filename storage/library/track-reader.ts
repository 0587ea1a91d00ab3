import type { Buffer } from 'node:buffer';
import { openReader, type Database } from '../database.ts';
import { fail } from '../number-columns.ts';
import { prepare, prepareValue, type RowOf } from '../prepared.ts';
import { libraryTables } from '../schema/library.ts';
import type { OutlineName } from '../outline.ts';
import type { BoxE7 } from '../units.ts';
import type { LineKind, LineTexts } from '../../model/recording.ts';
import { lineKinds } from './line-rows.ts';

/** Milliseconds since 1970, both ends included. */
export interface Period {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Rows read at once; part of the text, for SQLite would plan anew for each limit that it is given. */
const pageRows = 4_096;

type Statements = ReturnType<typeof prepareStatements>;
/** Points of a track, without their blobs. */
export type TrackRow = RowOf<Statements['days']>;
/** Points without a time of a part of a track or route. */
export type UntimedRow = RowOf<Statements['untimed']>;

/** Reads the tracks and routes of all imported files for maps. Holds a connection of its own. */
export class TrackReader {
  readonly #db: Database;
  readonly #statements: Statements;

  /** @throws errors of SQLite */
  constructor(libraryPath: string) {
    this.#db = openReader(libraryPath);
    this.#statements = prepareStatements(this.#db);
  }

  /** Has all that is read meanwhile be of one moment. */
  snapshot<T>(read: () => T): T {
    return this.#db.transaction(read)();
  }

  /**
   * Rows that touch the box and the period, by file, in its order; that is one of time where the file has one. Page by
   * page: an open iterator makes other statements fail.
   */
  *days(box: BoxE7, period: Period): Generator<TrackRow, undefined> {
    for (let after = 0; ;) {
      const page = this.#statements.days.all(box, period, after);
      yield* page;
      if (page.length < pageRows) return;
      after = page.at(-1)!.id;
    }
  }

  /** An outline, as outline.ts says. @throws DayBlobCorrupt */
  outline({ id }: TrackRow, name: OutlineName): Buffer {
    return this.#statements[name].get(id) ?? fail();
  }

  /** The points of a day, or those without times, as day-blob.ts says. @throws DayBlobCorrupt */
  points({ id }: TrackRow): Buffer {
    const { dayBlob, untimedBlob } = this.#statements;
    return (id > 0 ? dayBlob.get(id) : untimedBlob.get(-id)) ?? fail();
  }

  /** Rows of tracks or of routes that touch the box, by line, in its order. */
  *untimed(box: BoxE7, kind: LineKind): Generator<UntimedRow, undefined> {
    for (let before = 0; ;) {
      const page = this.#statements.untimed.all(box, lineKinds[kind], before);
      yield* page;
      if (page.length < pageRows) return;
      before = page.at(-1)!.id;
    }
  }

  /** As line-runs.ts says. @throws DayBlobCorrupt */
  runs({ id }: UntimedRow): Buffer {
    return this.#statements.runs.get(-id) ?? fail();
  }

  textsOf({ lineId }: UntimedRow): LineTexts {
    // Sound: written by LineRows.
    return JSON.parse(this.#statements.texts.get(lineId) ?? '{}') as LineTexts;
  }

  /** Points of tracks by UTC day, the newest days first. */
  pointsByDay({ fromMs, toMs }: Period, limit: number): { day: number; points: number }[] {
    return this.#statements.pointsByDay.all(fromMs, toMs, limit);
  }

  close(): void {
    this.#db.close();
  }
}

function prepareStatements(db: Database) {
  return { ...prepareTimed(db), ...prepareUntimed(db) };
}

/** Rows of `outlines` that touch a box. */
function outlinesIn(box: BoxE7) {
  return libraryTables
    .selectFrom('outlines as o')
    .select(['o.id', 'o.file_id as fileId', 'o.day', 'o.points'])
    .select(['first_ms as firstMs', 'last_ms as lastMs'])
    .select(['next_ms as nextMs', 'next_lat_e7 as nextLatE7', 'next_lon_e7 as nextLonE7'])
    .select(['south_e7 as south', 'west_e7 as west', 'north_e7 as north', 'east_e7 as east'])
    .where('south_e7', '<=', box.north)
    .where('north_e7', '>=', box.south)
    .where('west_e7', '<=', box.east)
    .where('east_e7', '>=', box.west);
}

function prepareTimed(db: Database) {
  const outlines = libraryTables.selectFrom('outlines');
  return {
    days: prepare(db, (box: BoxE7, period: Period, after: number) =>
      outlinesIn(box)
        .where('first_ms', '<=', period.toMs)
        .where('last_ms', '>=', period.fromMs)
        .where('o.id', '>', after)
        .orderBy('o.id')
        .limit(pageRows),
    ),
    coarse: prepareValue(db, (id: number) => outlines.select('coarse').where('id', '=', id)),
    fine: prepareValue(db, (id: number) => outlines.select('fine').where('id', '=', id)),
    dayBlob: prepareValue(db, (id: number) =>
      libraryTables.selectFrom('days').select('blob').where('id', '=', id),
    ),
    pointsByDay: prepare(db, (fromMs: number, toMs: number, limit: number) =>
      outlines
        .select((eb) => ['day', eb.fn.sum<number>('points').as('points')])
        .where('last_ms', '>=', fromMs)
        .where('first_ms', '<=', toMs)
        .where('id', '>', 0)
        .groupBy('day')
        .orderBy('day', 'desc')
        .limit(limit),
    ),
  };
}

function prepareUntimed(db: Database) {
  const parts = libraryTables.selectFrom('line_parts');
  return {
    untimed: prepare(db, (box: BoxE7, kind: number, before: number) =>
      outlinesIn(box)
        .innerJoin('line_parts as p', (join) =>
          join.on((eb) => eb('p.id', '=', eb.neg(eb.ref('o.id')))),
        )
        .innerJoin('lines as l', 'l.id', 'p.line_id')
        .select('p.line_id as lineId')
        .where('l.kind', '=', kind)
        .where('o.id', '<', before)
        .orderBy('o.id', 'desc')
        .limit(pageRows),
    ),
    runs: prepareValue(db, (id: number) => parts.select('runs').where('id', '=', id)),
    untimedBlob: prepareValue(db, (id: number) => parts.select('points').where('id', '=', id)),
    texts: prepareValue(db, (lineId: number) =>
      libraryTables.selectFrom('lines').select('texts').where('id', '=', lineId),
    ),
  };
}
