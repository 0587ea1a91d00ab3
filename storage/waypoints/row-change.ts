import { isDeepStrictEqual } from 'node:util';
import { WaypointError } from '../../model/failure.ts';

/** What every row of the user's has. */
export interface NumberedRow {
  readonly id: number;
}

/** A row before and after a change; null where there was, or is, none. */
export interface RowPair<Row extends NumberedRow = NumberedRow> {
  readonly before: Row | null;
  readonly after: Row | null;
}

/** Told of every row that is written, within the transaction that does it. */
export type NoteRow<Row extends NumberedRow> = (pair: RowPair<Row>) => void;

/** Rows by their numbers, to be put back as they were. Each write is noted like any other. */
export interface RowStore<Row extends NumberedRow> {
  get(id: number): Row | undefined;
  /** Puts a row where none of this number is. */
  insert(row: Row): void;
  update(before: Row, after: Row): void;
  remove(row: Row): void;
}

/** How rows of one table are read and written; `update` and `remove` go by the number. */
interface RowAccess<Row extends NumberedRow> {
  get(id: number): Row | undefined;
  insert(row: Row): unknown;
  update(row: Row): unknown;
  remove(id: number): unknown;
}

/** Rows of a table, each write of which is noted. */
export function notedRows<Row extends NumberedRow>(
  access: RowAccess<Row>,
  note: NoteRow<Row>,
): RowStore<Row> {
  return {
    get: (id) => access.get(id),
    insert(row) {
      access.insert(row);
      note({ before: null, after: row });
    },
    update(before, after) {
      access.update(after);
      note({ before, after });
    },
    remove(row) {
      access.remove(row.id);
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
