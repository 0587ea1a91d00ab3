import type { Database } from '../database.ts';

/** More save nothing: by then nearly all of the time goes into the values themselves. */
const rowsAtOnce = 32;

type Value = string | number | null;

/** Inserts rows many at a time: a call for each would cost a third more. */
export class InsertRows {
  readonly #many;
  readonly #one;
  readonly #columns: number;
  readonly #values: Value[];
  #length = 0;

  /** @param table with its columns, in parentheses. */
  constructor(db: Database, table: string, columns: number) {
    const row = `(${Array<string>(columns).fill('?').join(', ')})`;
    const rows = Array<string>(rowsAtOnce).fill(row).join(', ');
    this.#many = db.prepare<[Value[]]>(`INSERT INTO ${table} VALUES ${rows}`);
    this.#one = db.prepare<[Value[]]>(`INSERT INTO ${table} VALUES ${row}`);
    this.#columns = columns;
    this.#values = Array<Value>(columns * rowsAtOnce).fill(null);
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
