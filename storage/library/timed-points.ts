import { columnNames, decodeDay, pointColumns, type PointColumns } from '../day-blob.ts';
import type { Database } from '../database.ts';
import { fail } from '../number-columns.ts';
import { decodeOrder } from '../point-order.ts';
import { prepare, prepareValue, type RowOf } from '../prepared.ts';
import { joinedTables } from '../schema/joined.ts';
import { dayKinds } from '../schema/library.ts';

/** Days read at once: a file may have any number. */
const pageRows = 256;

/** Points `from`…`to` (exclusive) of columns that are used again for the next ones. */
export interface Stretch {
  readonly columns: PointColumns;
  readonly from: number;
  readonly to: number;
}

type TimedPointStatements = ReturnType<typeof prepareTimedPoints>;
type DayRow = RowOf<TimedPointStatements['rows']>;

/** Prepares the statements of {@link TimedPoints} on a joined reader. */
export function prepareTimedPoints(joined: Database) {
  const days = joinedTables.selectFrom('library.days');
  return {
    rows: prepare(joined, (file: number, after: number) =>
      days
        .select(['id', 'points'])
        .where('file_id', '=', file)
        .where('kind', '=', dayKinds.trackPoint)
        .where('id', '>', after)
        .orderBy('id')
        .limit(pageRows),
    ),
    blob: prepareValue(joined, (id: number) => days.select('blob').where('id', '=', id)),
    order: prepareValue(joined, (id: number) =>
      joinedTables.selectFrom('library.day_orders').select('blob').where('day_id', '=', id),
    ),
  };
}

/** The timed track points of one file, in the order of the file. Holds the points of a blob, or of an unsorted batch. */
export class TimedPoints {
  readonly #statements: TimedPointStatements;
  readonly #decoded: PointColumns;
  readonly #stretches: Iterator<Stretch>;
  #stretch: Stretch;

  /** @param decoded columns of the largest blob, used for one file after the other. */
  constructor(statements: TimedPointStatements, file: number, decoded: PointColumns) {
    this.#statements = statements;
    this.#decoded = decoded;
    this.#stretches = this.#read(rowsOf(statements, file));
    this.#stretch = { columns: decoded, from: 0, to: 0 };
  }

  /** The next points, at most so many; none while a batch is read. @throws DayBlobCorrupt after the last. */
  next(atMost: number): Stretch {
    if (this.#stretch.from === this.#stretch.to)
      this.#stretch = this.#stretches.next().value ?? fail();
    const { columns, from, to } = this.#stretch;
    const end = Math.min(to, from + atMost);
    this.#stretch = { columns, from: end, to };
    return { columns, from, to: end };
  }

  *#read(rows: Generator<DayRow>): Generator<Stretch, undefined> {
    for (const row of rows) {
      const order = this.#statements.order.get(row.id);
      if (order === undefined) yield { columns: this.#decoded, from: 0, to: this.#decode(row) };
      else yield* this.#inFileOrder(row, rows, decodeOrder(order));
    }
  }

  *#inFileOrder(first: DayRow, others: Iterator<DayRow>, places: Uint32Array): Generator<Stretch> {
    const sorted = pointColumns(places.length);
    for (let [count, read] = [0, 0]; count < places.length; read += 1) {
      if (read % pageRows === 1) yield { columns: sorted, from: 0, to: 0 };
      const row = read === 0 ? first : (others.next().value ?? fail());
      if (count + row.points > places.length) fail();
      const points = this.#decode(row);
      for (const name of columnNames)
        sorted[name].set(this.#decoded[name].subarray(0, points), count);
      count += points;
    }
    const columns = pointColumns(places.length);
    for (const name of columnNames)
      for (let at = 0; at < places.length; at += 1) columns[name][at] = sorted[name][places[at]!]!;
    yield { columns, from: 0, to: places.length };
  }

  #decode({ id }: DayRow): number {
    const blob = this.#statements.blob.get(id);
    return blob === undefined ? fail() : decodeDay(blob, this.#decoded);
  }
}

/** Page by page: an open iterator makes other statements fail. */
function* rowsOf({ rows }: TimedPointStatements, file: number): Generator<DayRow, undefined> {
  for (let page = rows.all(file, 0); page.length > 0; page = rows.all(file, page.at(-1)!.id))
    yield* page;
}
