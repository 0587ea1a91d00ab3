import { isDeepStrictEqual } from 'node:util';
import type { Selectable } from 'kysely';
import { WaypointError } from '../../model/failure.ts';
import type { Database } from '../database.ts';
import { prepare, prepareValue } from '../prepared.ts';
import { waypointTables, type WaypointsDb } from '../schema/waypoints.ts';

/** Properties of every row. */
export interface NumberedRow {
  readonly id: number;
}

/** A row before and after a change; null where there was, or is, none. */
export interface RowPair<Row extends NumberedRow = NumberedRow> {
  readonly before: Row | null;
  readonly after: Row | null;
}

/** Receives every row that is written, within its transaction. */
export type NoteRow<Row extends NumberedRow> = (pair: RowPair<Row>) => void;

/** Rows by their numbers, to be put back as they were. Each write is noted like any other. */
export interface RowStore<Row extends NumberedRow> {
  get(id: number): Row | undefined;
  /** Gives a new row its number. */
  add(fields: Omit<Row, 'id'>): Row;
  /** Puts a row where none of this number is. */
  insert(row: Row): void;
  update(before: Row, after: Row): void;
  remove(row: Row): void;
}

/** The tables whose rows the journal keeps. */
type RowTableName = 'bookmarks' | 'corrections' | 'hidden' | 'tags';

type Written<Table extends keyof WaypointsDb> = Omit<Selectable<WaypointsDb[Table]>, 'id'>;

/** How rows are stored. */
export interface RowTable<
  Table extends RowTableName,
  Row extends NumberedRow,
  Column extends keyof Written<Table> & string = keyof Written<Table> & string,
> {
  readonly name: Table;
  /** Columns to write, and to read by id; named here because a placeholder's fields cannot be listed. */
  readonly columns: readonly Column[];
  readonly toRow: (stored: Written<Table> & NumberedRow) => Row;
  readonly toColumns: (fields: Omit<Row, 'id'>) => Written<Table>;
}

/** Rows of a table, each write of which is noted. */
export function prepareRows<Table extends RowTableName, Row extends NumberedRow>(
  db: Database,
  { name, columns, toRow, toColumns }: RowTable<Table, Row>,
  note: NoteRow<Row>,
): RowStore<Row> {
  // Sound: the columns are of this very table, whichever it is.
  const table = name as 'tags';
  const valuesOf = (written: Written<Table>): Written<'tags'> =>
    Object.fromEntries(columns.map((column) => [column, written[column]])) as never;
  const get = prepare(db, (id: number) =>
    waypointTables
      .selectFrom(table)
      .select(['id', ...(columns as [])])
      .where('id', '=', id),
  );
  const add = prepareValue(db, (written: Written<Table>) =>
    waypointTables.insertInto(table).values(valuesOf(written)).returning('id'),
  );
  const insert = prepare(db, (written: Written<Table>, id: number) =>
    waypointTables.insertInto(table).values({ id, ...valuesOf(written) }),
  );
  const update = prepare(db, (written: Written<Table>, id: number) =>
    waypointTables.updateTable(table).set(valuesOf(written)).where('id', '=', id),
  );
  const remove = prepare(db, (id: number) => waypointTables.deleteFrom(table).where('id', '=', id));
  return {
    get(id) {
      const stored = get.get(id);
      return stored && toRow(stored as Written<Table> & NumberedRow);
    },
    add(fields) {
      const row = { ...fields, id: add.get(toColumns(fields))! } as Row;
      note({ before: null, after: row });
      return row;
    },
    insert(row) {
      insert.run(toColumns(row), row.id);
      note({ before: null, after: row });
    },
    update(before, after) {
      update.run(toColumns(after), after.id);
      note({ before, after });
    },
    remove(row) {
      remove.run(row.id);
      note({ before: row, after: null });
    },
  };
}

/**
 * Puts a row back as it was before a change.
 * @throws WaypointError later_change when it is not as the change has left it.
 */
export function putBack<Row extends NumberedRow>(
  rows: RowStore<Row>,
  { before, after }: RowPair<Row>,
): void {
  const id = (before ?? after)!.id;
  const now = rows.get(id) ?? null;
  if (!isSameRow(now, after)) throw new WaypointError('later_change');
  if (isSameRow(before, after)) return;
  if (before === null) rows.remove(now!);
  else if (now === null) rows.insert(before);
  else rows.update(now, before);
}

/** Compares rows as JSON holds them: there −0 is 0, and what is undefined is absent. */
export function isSameRow(a: NumberedRow | null, b: NumberedRow | null): boolean {
  if (a === null || b === null) return a === b;
  const [one, other] = [a, b] as unknown as Readonly<Record<string, unknown>>[];
  return [...Object.keys(a), ...Object.keys(b)].every((name) =>
    isSameValue(one![name], other![name]),
  );
}

function isSameValue(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object') return a === b;
  return isDeepStrictEqual(JSON.parse(JSON.stringify(a)), JSON.parse(JSON.stringify(b)));
}
