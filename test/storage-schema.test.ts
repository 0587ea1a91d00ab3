/** The schemas of the stores against those that the first version has made, and the types of the tables against both. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import test from 'ava';
import Database from 'better-sqlite3';
import type { SelectType } from 'kysely';
import { columns, createTables, table, type Column } from '../storage/create-table.ts';
import { librarySchema } from '../storage/library/schema.ts';
import { migrate, type Migration } from '../storage/migrate.ts';
import { objectMigrations } from '../storage/objects/schema.ts';
import { waypointMigrations } from '../storage/waypoints/schema.ts';

/** What SQLite has where TypeScript has a type: `?` where null may be. */
type Kind<Value> = null extends Value
  ? `${Kind<Exclude<Value, null>>}?`
  : Value extends string
    ? 'text'
    : Value extends number
      ? 'number'
      : 'blob';

type Declared = typeof columns;

/** What values each column has by its type: another one is a type error. */
const kinds: {
  readonly [Name in keyof Declared]: Kind<
    Declared[Name] extends Column<infer Value> ? SelectType<Value> : never
  >;
} = {
  numbered: 'number',
  rowid: 'number',
  generatedRowid: 'number',
  integer: 'number',
  real: 'number',
  text: 'text',
  blob: 'blob',
  blobKey: 'blob',
  uniqueText: 'text',
  sum: 'number',
  optionalInteger: 'number?',
  optionalReal: 'number?',
  optionalText: 'text?',
};

const stores: readonly [name: string, migrations: readonly Migration[]][] = [
  ['waypoints', waypointMigrations],
  ['library', [librarySchema]],
  ['objects', objectMigrations],
];

function madeNow(migrations: readonly Migration[]): Database.Database {
  const db = new Database(':memory:');
  migrate(db, migrations, () => undefined);
  return db;
}

/** As commit aa16b31 made it. */
function madeThen(name: string): Database.Database {
  const db = new Database(':memory:');
  const file = path.join(import.meta.dirname, `../fixtures/schemas/${name}.sql`);
  db.exec(readFileSync(file, 'utf8'));
  return db;
}

interface ColumnInfo {
  readonly name: string;
  readonly type: string;
  readonly notnull: number;
  readonly pk: number;
}

function columnsOf(db: Database.Database, table: string): ColumnInfo[] {
  return db.pragma(`table_xinfo(${table})`) as ColumnInfo[];
}

function tablesOf(db: Database.Database): string[] {
  return db
    .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    .pluck()
    .all();
}

/** All that tells how a store behaves, whatever words made it. */
function described(db: Database.Database): object {
  const indexes = (table: string): object[] =>
    (db.pragma(`index_list(${table})`) as { name: string }[]).map((index) => ({
      ...index,
      columns: db.pragma(`index_xinfo(${index.name})`),
    }));
  const texts = db
    .prepare<[], { name: string; sql: string | null }>('SELECT name, sql FROM sqlite_schema')
    .all();
  return {
    list: (db.pragma('table_list') as { name: string }[]).toSorted((a, b) =>
      a.name < b.name ? -1 : 1,
    ),
    tables: tablesOf(db).map((table) => ({
      table,
      columns: columnsOf(db, table),
      indexes: indexes(table),
      references: db.pragma(`foreign_key_list(${table})`),
    })),
    // What no pragma tells: numbering, checks, the conditions of indexes, triggers.
    words: texts
      .map(({ name, sql }) => ({ name, sql: wordsOf(sql ?? '') }))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  };
}

function wordsOf(text: string): string {
  const sql = text
    .replaceAll(/--.*/g, '')
    .replaceAll('"', '')
    .replaceAll(/\s+/g, ' ')
    .toLowerCase();
  if (!sql.startsWith('create table')) return sql.replaceAll(/ ?([(),]) ?/g, '$1');
  return (sql.match(/autoincrement|check \([^)]*\)/g) ?? []).join(' ');
}

for (const [name, migrations] of stores) {
  test(`the ${name} store is the one that the first version made`, (t) => {
    const [now, then] = [madeNow(migrations), madeThen(name)];
    t.deepEqual(described(now), described(then));
    t.true(tablesOf(now).length > 4);
  });
}

test('the type of each kind of column is that of SQLite', (t) => {
  for (const [name, column] of Object.entries(columns)) {
    const db = madeNow([() => createTables({ t: table({ c: column }) })]);
    t.is(kindOf(columnsOf(db, 't')[0]!), kinds[name as keyof Declared], name);
  }
});

function kindOf({ type, notnull, pk }: ColumnInfo): string {
  const kind = { TEXT: 'text', BLOB: 'blob' }[type.toUpperCase()] ?? 'number';
  // The number of a row is never null, though SQLite does not say so.
  return notnull === 1 || pk > 0 ? kind : `${kind}?`;
}

test('a schema that differs is told apart', (t) => {
  const differing = ['a INTEGER', 'a INTEGER NOT NULL', 'a INTEGER PRIMARY KEY', 'a TEXT UNIQUE'];
  const all = differing.map((column) => {
    const db = new Database(':memory:');
    db.exec(`CREATE TABLE t (${column})`);
    return JSON.stringify(described(db));
  });
  t.is(new Set(all).size, differing.length);
});
