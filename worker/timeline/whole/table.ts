/** Columns of numbers, all of one length. */
export type Columns<Name extends string> = Readonly<Record<Name, Float64Array>> & {
  readonly length: number;
};

/** Rows of numbers that become columns: plain data, of eight bytes a number. */
export class Table<const Name extends string> {
  readonly #names: readonly Name[];
  readonly #numbers: number[] = [];

  constructor(names: readonly Name[]) {
    this.#names = names;
  }

  /** @param row one number for each column. */
  add(...row: number[]): void {
    this.#numbers.push(...row);
  }

  columns(): Columns<Name> {
    const width = this.#names.length;
    const length = this.#numbers.length / width;
    const columns = this.#names.map((name, column) => [
      name,
      Float64Array.from({ length }, (_, row) => this.#numbers[row * width + column]!),
    ]);
    return Object.assign(Object.fromEntries(columns), { length });
  }
}
