import type { Migration } from '../migrate.ts';

/**
 * `objects.sqlite`: who may see which repository, and which contents each repository holds; the bytes are in the content
 * store. Names are unique whatever their case (`…_key` is the lower-case form). A repository's `bytes` is the sum of its objects'
 * sizes, kept by triggers: summing 100,000 rows at each announcement would stop the server.
 */
const firstSchema = `
  CREATE TABLE users (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    name_key TEXT NOT NULL UNIQUE,
    password TEXT NOT NULL,
    created_ms INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE repositories (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    owner TEXT NOT NULL,
    name TEXT NOT NULL,
    path_key TEXT NOT NULL UNIQUE,
    is_public INTEGER NOT NULL,
    quota_bytes INTEGER,
    max_object_bytes INTEGER,
    bytes INTEGER NOT NULL DEFAULT 0,
    objects INTEGER NOT NULL DEFAULT 0,
    created_ms INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE grants (
    user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    repository_id INTEGER NOT NULL REFERENCES repositories (id) ON DELETE CASCADE,
    may_write INTEGER NOT NULL,
    PRIMARY KEY (user_id, repository_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX grants_by_repository ON grants (repository_id);

  CREATE TABLE holdings (
    repository_id INTEGER NOT NULL REFERENCES repositories (id) ON DELETE CASCADE,
    oid TEXT NOT NULL,
    size INTEGER NOT NULL,
    stored_ms INTEGER NOT NULL,
    PRIMARY KEY (repository_id, oid)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX holdings_by_oid ON holdings (oid);
  CREATE TRIGGER holding_added AFTER INSERT ON holdings BEGIN
    UPDATE repositories SET bytes = bytes + new.size, objects = objects + 1
      WHERE id = new.repository_id;
  END;
  CREATE TRIGGER holding_removed AFTER DELETE ON holdings BEGIN
    UPDATE repositories SET bytes = bytes - old.size, objects = objects - 1
      WHERE id = old.repository_id;
  END;

  -- Bytes sent and received, by UTC day since 1970: what bandwidth limits and statistics look at.
  CREATE TABLE traffic (
    repository_id INTEGER NOT NULL REFERENCES repositories (id) ON DELETE CASCADE,
    day INTEGER NOT NULL,
    sent_bytes INTEGER NOT NULL,
    received_bytes INTEGER NOT NULL,
    PRIMARY KEY (repository_id, day)
  ) STRICT, WITHOUT ROWID;
`;

/** The steps of the schema, oldest first; one that was released is never changed. */
export const objectMigrations: readonly Migration[] = [(db) => db.exec(firstSchema)];
