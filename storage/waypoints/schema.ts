import { sql } from 'kysely';
import type { Migration } from '../migrate.ts';

/**
 * `waypoints.sqlite`: what the user made and cannot record again. The identity of a waypoint (contract C) is the triple
 * (name, lat_e6, lon_e6), indexed here and in the library. Times are ISO 8601 UTC text.
 */
const firstSchema = `
  CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
  INSERT INTO meta VALUES ('store', lower(hex(randomblob(8)))), ('revision', '1');

  CREATE TABLE bookmarks (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    lat REAL NOT NULL CHECK (lat BETWEEN -90 AND 90),
    lon REAL NOT NULL CHECK (lon BETWEEN -180 AND 180),
    lat_e6 INTEGER NOT NULL,
    lon_e6 INTEGER NOT NULL,
    ele REAL,
    time TEXT,
    desc TEXT,
    UNIQUE (name, lat_e6, lon_e6)
  ) STRICT;

  -- Tags belong to an identity, not to a row: imported waypoints have them too, and keep them over re-imports.
  CREATE TABLE tags (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    lat_e6 INTEGER NOT NULL,
    lon_e6 INTEGER NOT NULL,
    raw TEXT NOT NULL,
    normal TEXT NOT NULL,
    enriched TEXT NOT NULL,
    UNIQUE (name, lat_e6, lon_e6, normal)
  ) STRICT;
  CREATE INDEX tags_by_normal ON tags (normal, name, lat_e6, lon_e6);

  -- How often each spelling is used, kept by triggers: counting 100,000 tags at each question would stop the daemon.
  CREATE TABLE tag_spellings (
    normal TEXT NOT NULL,
    raw TEXT NOT NULL,
    enriched TEXT NOT NULL,
    uses INTEGER NOT NULL,
    first_id INTEGER NOT NULL,
    PRIMARY KEY (normal, raw)
  ) STRICT, WITHOUT ROWID;
  CREATE TRIGGER tag_added AFTER INSERT ON tags BEGIN
    INSERT INTO tag_spellings VALUES (new.normal, new.raw, new.enriched, 1, new.id)
      ON CONFLICT (normal, raw) DO UPDATE SET uses = uses + 1;
  END;
  CREATE TRIGGER tag_removed AFTER DELETE ON tags BEGIN
    UPDATE tag_spellings SET uses = uses - 1 WHERE normal = old.normal AND raw = old.raw;
    DELETE FROM tag_spellings WHERE normal = old.normal AND raw = old.raw AND uses = 0;
  END;

  -- Imported twins of bookmarks that were renamed or moved away from them; they show again when the bookmark goes.
  CREATE TABLE hidden (
    name TEXT NOT NULL,
    lat_e6 INTEGER NOT NULL,
    lon_e6 INTEGER NOT NULL,
    bookmark_id INTEGER NOT NULL REFERENCES bookmarks (id) ON DELETE CASCADE,
    PRIMARY KEY (name, lat_e6, lon_e6, bookmark_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX hidden_by_bookmark ON hidden (bookmark_id);

  CREATE TABLE history (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    query TEXT NOT NULL UNIQUE,
    lat REAL,
    lon REAL
  ) STRICT;
`;

/** The steps of the schema, oldest first; one that was released is never changed. */
export const waypointMigrations: readonly Migration[] = [() => [sql.raw(firstSchema)]];
