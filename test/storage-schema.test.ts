/** The first step of each store's schema, which is never changed, and the types of the tables. upgrade.test.ts takes all steps. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import test from 'ava';
import Database from 'better-sqlite3';
import { sql, type SelectType } from 'kysely';
import { generationTables } from '../geodata/format.ts';
import type { GenerationDb } from '../geodata/tables.ts';
import { columns, createTables, table, type Column } from '../storage/create-table.ts';
import type { Migration } from '../storage/migrate.ts';
import { prepare, textOf } from '../storage/prepared.ts';
import { objectMigrations } from '../storage/objects/schema.ts';
import { waypointMigrations } from '../storage/schema/waypoints.ts';

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

/** The library is not among them: it is rebuilt whenever its schema is another one. */
const stores: readonly [name: string, migrations: readonly Migration[]][] = [
  ['waypoints', waypointMigrations.slice(0, 1)],
  ['objects', objectMigrations.slice(0, 1)],
];

function madeNow(migrations: readonly Migration[]): Database.Database {
  const db = new Database(':memory:');
  for (const step of migrations) for (const query of step()) db.exec(textOf(query));
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
  test(`the first step of the ${name} store is the store that the first version made`, (t) => {
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

/** Every column of a generation as its types have it; place_words has another name for its rows, which no pragma tells. */
const generation: {
  readonly [Name in Exclude<keyof GenerationDb, 'place_words'>]: {
    readonly [Key in keyof GenerationDb[Name]]: Kind<GenerationDb[Name][Key]>;
  };
} = {
  meta: { key: 'text', value: 'text' },
  country: { id: 'number', code: 'text', name: 'text', words: 'text' },
  region: { id: 'number', country: 'number', code: 'text', name: 'text', words: 'text' },
  place: {
    id: 'number',
    name: 'text',
    country: 'number',
    region: 'number?',
    lat: 'number',
    lon: 'number',
    population: 'number',
    feature: 'text',
    kind: 'number',
    part_of: 'number?',
  },
  area: {
    id: 'number',
    kind: 'number',
    name: 'text',
    words: 'text',
    country: 'number',
    region: 'number?',
    lat: 'number',
    lon: 'number',
    population: 'number',
    radius_m: 'number?',
  },
  border: { id: 'number', country: 'number', rings: 'blob' },
  spatial_index: { name: 'text', data: 'blob' },
};

test('the types of a generation are those of its tables', (t) => {
  const db = new Database(':memory:');
  db.exec(generationTables);
  const found = tablesOf(db).filter((name) => !name.startsWith('place_words'));
  const columnKinds = (name: string) =>
    Object.fromEntries(columnsOf(db, name).map((column) => [column.name, kindOf(column)]));
  t.deepEqual(Object.fromEntries(found.map((name) => [name, columnKinds(name)])), generation);
});

test('a schema that differs is told apart', (t) => {
  const differing = ['a INTEGER', 'a INTEGER NOT NULL', 'a INTEGER PRIMARY KEY', 'a TEXT UNIQUE'];
  const all = differing.map((column) => {
    const db = new Database(':memory:');
    db.exec(`CREATE TABLE t (${column})`);
    return JSON.stringify(described(db));
  });
  t.is(new Set(all).size, differing.length);
});

test('values go to SQLite one by one, in the order of the query', (t) => {
  const handed: unknown[][] = [];
  const db = { prepare: () => ({ get: (...values: unknown[]) => handed.push(values) }) };
  const asked = db as unknown as Database.Database;
  const both = (one: number, other: number) => sql`SELECT ${one}, ${other}`;
  const list = (all: readonly [number, number]) => sql`SELECT ${all[0]}, ${all[1]}`;
  const turned = (one: number, other: number) => sql`SELECT ${other}, ${one}`;
  prepare(asked, both).get(1, 2);
  prepare(asked, list).get([1, 2]);
  prepare(asked, turned).get(1, 2);
  t.deepEqual(handed, [
    [1, 2],
    [1, 2],
    [2, 1],
  ]);
});
