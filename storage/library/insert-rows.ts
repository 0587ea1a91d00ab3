import { sql } from 'kysely';
import type { Database } from '../database.ts';
import { prepare } from '../prepared.ts';
import type { LibraryDb } from '../schema/library.ts';

/** More save nothing: by then nearly all of the time goes into the values themselves. */
const rowsAtOnce = 32;

type Value = string | number | null;

/** Inserts rows of `waypoints` that show, many at a time: a call for each would cost a third more. */
export class InsertRows {
  readonly #many;
  readonly #one;
  readonly #columns: number;
  readonly #values: Value[];
  #length = 0;

  constructor(db: Database, columns: readonly (keyof LibraryDb['waypoints'])[]) {
    const into = sql.join(columns.map((column) => sql.ref(column)));
    const insert = (values: readonly Value[], rows: number) => {
      const row = (_: unknown, at: number) =>
        sql`(${sql.join(columns.map((__, i) => values[at * columns.length + i]))}, 1)`;
      return sql`INSERT INTO waypoints (${into}, shown) VALUES ${sql.join(Array.from({ length: rows }, row))}`;
    };
    this.#many = prepare(db, (values: readonly Value[]) => insert(values, rowsAtOnce));
    this.#one = prepare(db, (values: readonly Value[]) => insert(values, 1));
    this.#columns = columns.length;
    this.#values = Array<Value>(columns.length * rowsAtOnce).fill(null);
  }

  /** Forgets rows that were not written yet. */
  clear(): void {
    this.#length = 0;
  }

  /** Takes the next column's value; the row is complete with as many as there are columns. */
  put(value: Value): void {
    this.#values[this.#length] = value;
    this.#length += 1;
    if (this.#length < this.#values.length) return;
    this.#many.run(this.#values);
    this.#length = 0;
  }

  /** Writes the rows that are left. */
  flush(): void {
    for (let from = 0; from < this.#length; from += this.#columns)
      this.#one.run(this.#values.slice(from, from + this.#columns));
    this.#length = 0;
  }
}
