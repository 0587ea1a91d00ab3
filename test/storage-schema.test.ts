/** The schemas of the stores against those that the first version has made, and the types of the tables against both. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import test from 'ava';
import Database from 'better-sqlite3';
import type { Selectable } from 'kysely';
import { librarySchema, type LibraryDb } from '../storage/library/schema.ts';
import { migrate, type Migration } from '../storage/migrate.ts';
import { objectMigrations, type ObjectsDb } from '../storage/objects/schema.ts';
import { waypointMigrations, type WaypointsDb } from '../storage/waypoints/schema.ts';

/** What SQLite has where TypeScript has a type: `?` where null may be. */
type Kind<Value> = null extends Value
  ? `${Kind<Exclude<Value, null>>}?`
  : Value extends string
    ? 'text'
    : Value extends number
      ? 'number'
      : 'blob';

/** Every column of every table, as the types have it: what is missing, too many or of another type is a type error. */
type Kinds<Db> = {
  readonly [Table in keyof Db]: {
    readonly [Column in keyof Selectable<Db[Table]>]: Kind<Selectable<Db[Table]>[Column]>;
  };
};

const objects: Kinds<ObjectsDb> = {
  users: { id: 'number', name: 'text', name_key: 'text', password: 'text', created_ms: 'number' },
  repositories: {
    id: 'number',
    owner: 'text',
    name: 'text',
    path_key: 'text',
    is_public: 'number',
    quota_bytes: 'number?',
    max_object_bytes: 'number?',
    bytes: 'number',
    objects: 'number',
    created_ms: 'number',
  },
  grants: { user_id: 'number', repository_id: 'number', may_write: 'number' },
  holdings: { repository_id: 'number', oid: 'text', size: 'number', stored_ms: 'number' },
  traffic: {
    repository_id: 'number',
    day: 'number',
    sent_bytes: 'number',
    received_bytes: 'number',
  },
};

const identity = { name: 'text', lat_e6: 'number', lon_e6: 'number' } as const;
const fields = {
  lat: 'number',
  lon: 'number',
  ele: 'number?',
  time: 'text?',
  desc: 'text?',
} as const;

const waypoints: Kinds<WaypointsDb> = {
  meta: { key: 'text', value: 'text' },
  bookmarks: { id: 'number', ...identity, ...fields },
  tags: { id: 'number', ...identity, raw: 'text', normal: 'text', enriched: 'text' },
  tag_spellings: {
    normal: 'text',
    raw: 'text',
    enriched: 'text',
    uses: 'number',
    first_id: 'number',
  },
  hidden: { ...identity, bookmark_id: 'number' },
  history: { id: 'number', query: 'text', lat: 'number?', lon: 'number?' },
};

const library: Kinds<LibraryDb> = {
  meta: { key: 'text', value: 'text' },
  files: {
    id: 'number',
    path: 'text',
    path_key: 'text',
    sha256: 'text',
    size: 'number',
    mtime_ns: 'text',
    first_waypoint: 'number?',
    waypoints: 'number',
    observations: 'number',
    missing_times: 'number',
    invalid_times: 'number',
    unusable_points: 'number',
    first_ms: 'number?',
    last_ms: 'number?',
  },
  waypoints: { id: 'number', ...identity, ...fields, shown: 'number' },
  identities: { hash: 'number', waypoint: 'number' },
  further_identities: { hash: 'number', shown: 'number', waypoint: 'number' },
  sources: {
    device: 'text',
    inode: 'text',
    size: 'number',
    mtime_ns: 'text',
    ctime_ns: 'text',
    sha256: 'text',
  },
  days: {
    id: 'number',
    day: 'number',
    file_id: 'number',
    kind: 'number',
    part: 'number',
    points: 'number',
    first_ms: 'number',
    last_ms: 'number',
    south_e7: 'number',
    west_e7: 'number',
    north_e7: 'number',
    east_e7: 'number',
    blob: 'blob',
  },
};

const stores: readonly [name: string, migrations: readonly Migration[], kinds: object][] = [
  ['waypoints', waypointMigrations, waypoints],
  ['library', [librarySchema], library],
  ['objects', objectMigrations, objects],
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

for (const [name, migrations, kinds] of stores) {
  test(`the ${name} store is the one that the first version made`, (t) => {
    const [now, then] = [madeNow(migrations), madeThen(name)];
    t.deepEqual(described(now), described(then));
    t.true(tablesOf(now).length > 4);
  });

  test(`the types of the ${name} store are those of its tables`, (t) => {
    const db = madeNow(migrations);
    const tables = tablesOf(db).filter((table) => !table.startsWith('sqlite_'));
    const found = tables.map((table) => [
      table,
      Object.fromEntries(columnsOf(db, table).map((column) => [column.name, kindOf(column)])),
    ]);
    t.deepEqual(Object.fromEntries(found), kinds);
  });
}

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
