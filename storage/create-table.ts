import { sql, type ColumnDefinitionBuilder, type Generated, type SchemaModule } from 'kysely';
import { queryBuilder, type Query } from './prepared.ts';

type Refine = (column: ColumnDefinitionBuilder) => ColumnDefinitionBuilder;

/** A column as kysely's schema builder makes it, and the type that its values have. */
export interface Column<Value = unknown> {
  readonly type: 'integer' | 'real' | 'text' | 'blob';
  readonly refine: Refine;
  /** The database counts it up. */
  readonly isNumbered?: true;
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
  numbered: {
    ...column<Generated<number>>('integer', (made) => made.primaryKey().autoIncrement()),
    isNumbered: true,
  } as const,
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

/** The database that tables are made in. */
export interface TablePlace {
  readonly kind: 'sqlite' | 'postgres';
  readonly schema: SchemaModule;
}

/** SQLite, where queries are compiled to text first. */
export const sqlitePlace: TablePlace = { kind: 'sqlite', schema: queryBuilder<unknown>().schema };

/** Statements that create declared tables. */
export function createTables(
  tables: Readonly<Record<string, Table<Columns>>>,
  { kind, schema }: TablePlace = sqlitePlace,
): Query[] {
  return Object.entries(tables).map(([name, { columns: made, key, unique }]) => {
    let building = schema.createTable(name);
    for (const [of, declared] of Object.entries(made)) {
      if (kind === 'sqlite') building = building.addColumn(of, declared.type, declared.refine);
      else building = building.addColumn(of, postgresType(declared), postgresRefine(declared));
    }
    const names = (list: readonly unknown[]): never[] => list as never[];
    if (unique !== undefined)
      building = building.addUniqueConstraint(`${name}_unique`, names(unique));
    if (key !== undefined) building = building.addPrimaryKeyConstraint(`${name}_key`, names(key));
    if (kind === 'postgres') return building;
    return building.modifyEnd(key === undefined ? sql`strict` : sql`strict, without rowid`);
  });
}

/** Statements that add columns with defaults to a table. */
export function addColumns(
  name: string,
  added: Columns,
  { kind, schema }: TablePlace = sqlitePlace,
): Query[] {
  return Object.entries(added).map(([of, declared]) =>
    schema
      .alterTable(name)
      .addColumn(of, kind === 'sqlite' ? declared.type : postgresType(declared), declared.refine),
  );
}

/** Sizes and times need 64 bits; texts are in the order of their bytes, as in SQLite. */
function postgresType({ type }: Column) {
  const types = { integer: 'bigint', real: 'double precision', blob: 'bytea' } as const;
  return type === 'text' ? sql`text collate "C"` : types[type];
}

function postgresRefine({ isNumbered, refine }: Column): Refine {
  return isNumbered ? (made) => made.primaryKey().generatedByDefaultAsIdentity() : refine;
}

/** An index that a table is looked through by. */
export function createIndex(
  name: string,
  of: string,
  indexed: readonly string[],
  { schema }: TablePlace = sqlitePlace,
): Query {
  return schema
    .createIndex(name)
    .on(of)
    .columns([...indexed]);
}
