import { sql, type ColumnDefinitionBuilder, type Generated } from 'kysely';
import { queryBuilder, type Query } from './prepared.ts';

type Refine = (column: ColumnDefinitionBuilder) => ColumnDefinitionBuilder;

/** A column as kysely's schema builder makes it, and the type that its values have. */
export interface Column<Value = unknown> {
  readonly type: 'integer' | 'real' | 'text' | 'blob';
  readonly refine: Refine;
  /** For the compiler only. */
  readonly value?: Value;
}

function column<Value>(type: Column['type'], refine: Refine): Column<Value> {
  return { type, refine };
}

const notNull: Refine = (made) => made.notNull();
const optional: Refine = (made) => made;

/** The columns that tables are made of. Null is allowed where the name says optional. */
export const columns = {
  numbered: column<Generated<number>>('integer', (made) => made.primaryKey().autoIncrement()),
  rowid: column<number>('integer', (made) => made.primaryKey()),
  generatedRowid: column<Generated<number>>('integer', (made) => made.primaryKey()),
  integer: column<number>('integer', notNull),
  real: column<number>('real', notNull),
  text: column<string>('text', notNull),
  blob: column<Buffer>('blob', notNull),
  blobKey: column<Uint8Array>('blob', (made) => made.primaryKey()),
  uniqueText: column<string>('text', (made) => made.notNull().unique()),
  sum: column<Generated<number>>('integer', (made) => made.notNull().defaultTo(0)),
  optionalInteger: column<number | null>('integer', optional),
  optionalReal: column<number | null>('real', optional),
  optionalText: column<string | null>('text', optional),
};

/** The `id` of a row of another table; this row goes with it. */
export function belongsTo(table: string): Column<number> {
  return column('integer', (made) => made.notNull().references(`${table}.id`).onDelete('cascade'));
}

/** The same column with something more. */
export function refined<Value>({ type, refine }: Column<Value>, more: Refine): Column<Value> {
  return column(type, (made) => more(refine(made)));
}

type Columns = Readonly<Record<string, Column>>;

interface Table<Of extends Columns> {
  readonly columns: Of;
  /** A primary key of other columns than a number: rows lie in its order, without a number of their own. */
  readonly key?: readonly string[];
  /** Columns that together are unique. */
  readonly unique?: readonly string[];
}

/** Declares a strict table with its columns in this order. */
export function table<const Of extends Columns>(
  tableColumns: Of,
  options: { readonly [Key in 'key' | 'unique']?: readonly (keyof Of & string)[] } = {},
): Table<Of> {
  return { columns: tableColumns, ...options };
}

/** The types of declared tables, as kysely wants them. */
export type TablesOf<Declared> = {
  [Name in keyof Declared]: Declared[Name] extends Table<infer Of>
    ? { -readonly [Key in keyof Of]: Of[Key] extends Column<infer Value> ? Value : never }
    : never;
};

const { schema } = queryBuilder<unknown>();

/** What makes declared tables. */
export function createTables(tables: Readonly<Record<string, Table<Columns>>>): Query[] {
  return Object.entries(tables).map(([name, { columns: made, key, unique }]) => {
    let building = schema.createTable(name);
    for (const [of, { type, refine }] of Object.entries(made))
      building = building.addColumn(of, type, refine);
    const names = (list: readonly unknown[]): never[] => list as never[];
    if (unique !== undefined)
      building = building.addUniqueConstraint(`${name}_unique`, names(unique));
    if (key === undefined) return building.modifyEnd(sql`strict`);
    return building
      .addPrimaryKeyConstraint(`${name}_key`, names(key))
      .modifyEnd(sql`strict, without rowid`);
  });
}

/** An index that a table is looked through by. */
export function createIndex(name: string, of: string, indexed: readonly string[]): Query {
  return schema
    .createIndex(name)
    .on(of)
    .columns([...indexed]);
}
