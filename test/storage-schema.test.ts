/** The first step of each store's schema, which is never changed, and the types of the tables. upgrade.test.ts takes all steps. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import test from 'ava';
import Database from 'better-sqlite3';
import type { Migration } from '../storage/migrate.ts';
import { textOf } from '../storage/prepared.ts';
import { objectMigrations } from '../storage/objects/schema.ts';
import { waypointMigrations } from '../storage/schema/waypoints.ts';

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
