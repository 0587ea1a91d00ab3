import { sql, type Selectable } from 'kysely';
import {
  belongsTo,
  columns,
  createIndex,
  createTables,
  table,
  type TablesOf,
} from '../create-table.ts';
import type { Migration } from '../migrate.ts';

const { numbered, integer, optionalInteger, sum, text, uniqueText } = columns;

/**
 * `objects.sqlite`: who may see which repository, and which contents each repository holds; the bytes are in the content
 * store. Names are unique whatever their case (`…_key` is the lower-case form).
 */
const tables = {
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

export type ObjectsDb = TablesOf<typeof tables>;
export type UserRow = Pick<Selectable<ObjectsDb['users']>, 'id' | 'name' | 'password'>;
export type RepositoryRow = Omit<Selectable<ObjectsDb['repositories']>, 'path_key' | 'created_ms'>;

const firstSchema: Migration = () => [
  ...createTables(tables),
  createIndex('grants_by_repository', 'grants', ['repository_id']),
  createIndex('holdings_by_oid', 'holdings', ['oid']),
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

/** The steps of the schema, oldest first; what a released one makes is never changed. */
export const objectMigrations: readonly Migration[] = [firstSchema];
