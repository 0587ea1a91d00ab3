import { randomUUID } from 'node:crypto';
import { sql, type Selectable } from 'kysely';
import {
  addColumns,
  belongsTo,
  columns,
  createIndex,
  createTables,
  sqlitePlace,
  table,
  type TablePlace,
  type TablesOf,
} from '../create-table.ts';
import type { Migration } from '../migrate.ts';
import type { Query } from '../prepared.ts';

const { numbered, integer, optionalInteger, sum, text, uniqueText } = columns;

/**
 * `objects.sqlite`, or a database of PostgreSQL: who may see which repository, and which contents each repository holds; the bytes are in the content
 * store. Names are unique whatever their case (`…_key` is the lower-case form).
 */
const firstTables = {
  // The password is as objects/passwords makes it.
  users: table({
    id: numbered,
    name: text,
    name_key: uniqueText,
    password: text,
    created_ms: integer,
  }),
  // `bytes` is the sum of its objects' sizes, kept by triggers: summing 100,000 rows at each announcement would stop the server.
  repositories: table({
    id: numbered,
    owner: text,
    name: text,
    path_key: uniqueText,
    is_public: integer,
    quota_bytes: optionalInteger,
    max_object_bytes: optionalInteger,
    bytes: sum,
    objects: sum,
    created_ms: integer,
  }),
  grants: table(
    {
      user_id: belongsTo('users'),
      repository_id: belongsTo('repositories'),
      may_write: integer,
    },
    { key: ['user_id', 'repository_id'] },
  ),
  holdings: table(
    { repository_id: belongsTo('repositories'), oid: text, size: integer, stored_ms: integer },
    { key: ['repository_id', 'oid'] },
  ),
  // Bytes sent and received, by UTC day since 1970: what bandwidth limits and statistics look at.
  traffic: table(
    {
      repository_id: belongsTo('repositories'),
      day: integer,
      sent_bytes: integer,
      received_bytes: integer,
    },
    { key: ['repository_id', 'day'] },
  ),
};

const laterTables = {
  // Announced uploads that may be on their way to a bucket past any server; `until_ms`: when to look whether they have arrived.
  announcements: table(
    {
      repository_id: belongsTo('repositories'),
      oid: text,
      user_id: integer,
      size: integer,
      until_ms: integer,
    },
    { key: ['repository_id', 'oid', 'user_id'] },
  ),
  // `secret`: the key of tokens, where servers share no file; `migrated`: rows were copied to here and never served;
  // `store`: what marks the contents of these rows as theirs.
  meta: table({ key: uniqueText, value: text }),
};

const lockTables = {
  // A path is what clients call a file; it is compared as it is.
  locks: table(
    {
      id: numbered,
      repository_id: belongsTo('repositories'),
      user_id: belongsTo('users'),
      path: text,
      locked_ms: integer,
    },
    { unique: ['repository_id', 'path'] },
  ),
};

/** Columns of announcements; `is_given_up`: it keeps no room in the quota, but its bytes may yet arrive. */
const announcedColumns = { announced_ms: sum, is_given_up: sum };

const removalTables = {
  // Contents that a server removes from the bucket this moment: no row and no announcement of them is made meanwhile.
  removals: table(
    { repository_id: belongsTo('repositories'), oid: text, since_ms: integer },
    { key: ['repository_id', 'oid'] },
  ),
};

const tables = {
  ...firstTables,
  ...laterTables,
  ...lockTables,
  ...removalTables,
  announcements: table({ ...laterTables.announcements.columns, ...announcedColumns }),
};

export type ObjectsDb = TablesOf<typeof tables>;
export type UserRow = Pick<Selectable<ObjectsDb['users']>, 'id' | 'name' | 'password'>;
export type RepositoryRow = Omit<Selectable<ObjectsDb['repositories']>, 'path_key' | 'created_ms'>;

/** A step of the schema, for either database. */
type ObjectsMigration = (place: TablePlace) => readonly Query[];

const firstSchema: ObjectsMigration = (place) => [
  ...createTables(firstTables, place),
  createIndex('grants_by_repository', 'grants', ['repository_id'], place),
  createIndex('holdings_by_oid', 'holdings', ['oid'], place),
  ...(place.kind === 'sqlite' ? sqliteSums : postgresSums),
];

const announcements: ObjectsMigration = (place) => createTables(laterTables, place);

const locks: ObjectsMigration = (place) => [
  ...createTables(lockTables, place),
  createIndex('locks_by_user', 'locks', ['user_id'], place),
];

const identity: ObjectsMigration = () => [
  sql`INSERT INTO meta (key, value) VALUES ('store', ${sql.lit(randomUUID())})`,
];

const unverified: ObjectsMigration = (place) => [
  ...createTables(removalTables, place),
  ...addColumns('announcements', announcedColumns, place),
  // A minute was what they had.
  sql`UPDATE announcements SET announced_ms = until_ms - 60000`,
];

const sqliteSums = [
  sql`
    CREATE TRIGGER holding_added AFTER INSERT ON holdings BEGIN
      UPDATE repositories SET bytes = bytes + new.size, objects = objects + 1
        WHERE id = new.repository_id;
    END`,
  sql`
    CREATE TRIGGER holding_removed AFTER DELETE ON holdings BEGIN
      UPDATE repositories SET bytes = bytes - old.size, objects = objects - 1
        WHERE id = old.repository_id;
    END`,
];

/** Once for a statement: each update of one row within a transaction has to walk past those before it. */
const postgresSums = (['added', 'removed'] as const).flatMap((change) => {
  const isAdded = change === 'added';
  const [name, sign] = [sql.ref(`holding_${change}`), sql.raw(isAdded ? '+' : '-')];
  return [
    sql`
      CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        UPDATE repositories SET bytes = bytes ${sign} held.size, objects = objects ${sign} held.count
          FROM (SELECT repository_id, sum(size) AS size, count(*) AS count FROM changed
            GROUP BY repository_id) AS held
          WHERE id = held.repository_id;
        RETURN NULL;
      END $$`,
    sql`
      CREATE TRIGGER ${name} AFTER ${sql.raw(isAdded ? 'INSERT' : 'DELETE')} ON holdings
        REFERENCING ${sql.raw(isAdded ? 'NEW' : 'OLD')} TABLE AS changed
        FOR EACH STATEMENT EXECUTE FUNCTION ${name}()`,
  ];
});

/** The steps of the schema, oldest first; what a released one makes is never changed. */
export const objectsMigrations: readonly ObjectsMigration[] = [
  firstSchema,
  announcements,
  locks,
  identity,
  unverified,
];

/** The same for SQLite. */
export const objectMigrations: readonly Migration[] = objectsMigrations.map(
  (step) => () => step(sqlitePlace),
);
