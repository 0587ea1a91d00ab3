import { sql, type ColumnDefinitionBuilder } from 'kysely';
import { queryBuilder, type Query } from './prepared.ts';

type Refine = (column: ColumnDefinitionBuilder) => ColumnDefinitionBuilder;

/** A column as kysely's schema builder makes it. */
interface Column {
  readonly type: 'integer' | 'real' | 'text' | 'blob';
  readonly refine: Refine;
}

const notNull: Refine = (column) => column.notNull();
const optional: Refine = (column) => column;

/** The columns that tables are made of. Null is allowed where the name says optional. */
export const columns = {
  numbered: { type: 'integer', refine: (column) => column.primaryKey().autoIncrement() },
  rowid: { type: 'integer', refine: (column) => column.primaryKey() },
  integer: { type: 'integer', refine: notNull },
  real: { type: 'real', refine: notNull },
  text: { type: 'text', refine: notNull },
  blob: { type: 'blob', refine: notNull },
  uniqueText: { type: 'text', refine: (column) => column.notNull().unique() },
  sum: { type: 'integer', refine: (column) => column.notNull().defaultTo(0) },
  optionalInteger: { type: 'integer', refine: optional },
  optionalReal: { type: 'real', refine: optional },
  optionalText: { type: 'text', refine: optional },
} as const satisfies Record<string, Column>;

/** The `id` of a row of another table; this row goes with it. */
export function belongsTo(table: string): Column {
  return {
    type: 'integer',
    refine: (column) => column.notNull().references(`${table}.id`).onDelete('cascade'),
  };
}

/** The same column with something more. */
export function refined({ type, refine }: Column, more: Refine): Column {
  return { type, refine: (column) => more(refine(column)) };
}

export interface TableOptions {
  /** A primary key of other columns than `id`: rows lie in its order, without a number of their own. */
  readonly key?: readonly string[];
  /** Columns that together are unique. */
  readonly unique?: readonly string[];
}

const { schema } = queryBuilder<unknown>();

/** A strict table with its columns in this order. */
export function createTable(
  name: string,
  tableColumns: Readonly<Record<string, Column>>,
  { key, unique }: TableOptions = {},
): Query {
  let table = schema.createTable(name);
  for (const [column, { type, refine }] of Object.entries(tableColumns))
    table = table.addColumn(column, type, refine);
  const cast = <T>(names: readonly T[]): never[] => names as never[];
  if (unique !== undefined) table = table.addUniqueConstraint(`${name}_unique`, cast(unique));
  if (key === undefined) return table.modifyEnd(sql`strict`);
  return table
    .addPrimaryKeyConstraint(`${name}_key`, cast(key))
    .modifyEnd(sql`strict, without rowid`);
}

/** An index that a table is looked through by. */
export function createIndex(name: string, table: string, indexed: readonly string[]): Query {
  return schema
    .createIndex(name)
    .on(table)
    .columns([...indexed]);
}
