import { sql, type Generated, type Selectable } from 'kysely';
import { belongsTo, columns, createIndex, createTable } from '../create-table.ts';
import type { Migration } from '../migrate.ts';

/**
 * `objects.sqlite`: who may see which repository, and which contents each repository holds; the bytes are in the content
 * store. Names are unique whatever their case (`…_key` is the lower-case form).
 */
export interface ObjectsDb {
  users: {
    id: Generated<number>;
    name: string;
    name_key: string;
    /** As objects/passwords makes it. */
    password: string;
    created_ms: number;
  };
  repositories: {
    id: Generated<number>;
    owner: string;
    name: string;
    path_key: string;
    is_public: number;
    quota_bytes: number | null;
    max_object_bytes: number | null;
    /** Sum of the sizes of its objects, kept by triggers: summing 100,000 rows at each announcement would stop the server. */
    bytes: Generated<number>;
    objects: Generated<number>;
    created_ms: number;
  };
  grants: { user_id: number; repository_id: number; may_write: number };
  holdings: { repository_id: number; oid: string; size: number; stored_ms: number };
  /** Bytes sent and received, by UTC day since 1970: what bandwidth limits and statistics look at. */
  traffic: { repository_id: number; day: number; sent_bytes: number; received_bytes: number };
}

export type UserRow = Pick<Selectable<ObjectsDb['users']>, 'id' | 'name' | 'password'>;
export type RepositoryRow = Omit<Selectable<ObjectsDb['repositories']>, 'path_key' | 'created_ms'>;

const { numbered, integer, optionalInteger, sum, text, uniqueText } = columns;

const firstSchema: Migration = () => [
  createTable('users', {
    id: numbered,
    name: text,
    name_key: uniqueText,
    password: text,
    created_ms: integer,
  }),
  createTable('repositories', {
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
  createTable(
    'grants',
    {
      user_id: belongsTo('users'),
      repository_id: belongsTo('repositories'),
      may_write: integer,
    },
    { key: ['user_id', 'repository_id'] },
  ),
  createIndex('grants_by_repository', 'grants', ['repository_id']),
  createTable(
    'holdings',
    { repository_id: belongsTo('repositories'), oid: text, size: integer, stored_ms: integer },
    { key: ['repository_id', 'oid'] },
  ),
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
  createTable(
    'traffic',
    {
      repository_id: belongsTo('repositories'),
      day: integer,
      sent_bytes: integer,
      received_bytes: integer,
    },
    { key: ['repository_id', 'day'] },
  ),
];

/** The steps of the schema, oldest first; one that was released is never changed. */
export const objectMigrations: readonly Migration[] = [firstSchema];
