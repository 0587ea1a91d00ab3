import type { Migration } from '../migrate.ts';

/**
 * `library.sqlite`: everything derived from the files below `imports/`; deleted, it is rebuilt with the same content.
 * `files.path` is relative to `imports/`, with `/`, NFC; `path_key` is the same case-folded where the file system folds.
 * `waypoints.shown` is 1 for the first row of each identity by (path, position). `days` holds the timed points of one
 * UTC day of one file as blobs (see day-blob.ts): `kind` 0 track points, 1 waypoints; `part` counts from 0.
 */
export const libraryMigrations: readonly Migration[] = [
  (db) =>
    db.exec(`
      CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
      INSERT INTO meta VALUES ('store', lower(hex(randomblob(8)))), ('revision', '1');

      CREATE TABLE files (
        id INTEGER PRIMARY KEY,
        path TEXT NOT NULL UNIQUE,
        path_key TEXT NOT NULL UNIQUE,
        sha256 TEXT NOT NULL,
        size INTEGER NOT NULL,
        mtime_ns TEXT NOT NULL,
        waypoints INTEGER NOT NULL,
        observations INTEGER NOT NULL,
        untimed_points INTEGER NOT NULL,
        unusable_points INTEGER NOT NULL,
        first_ms INTEGER,
        last_ms INTEGER
      ) STRICT;
      CREATE INDEX files_by_content ON files (sha256);

      CREATE TABLE waypoints (
        file_id INTEGER NOT NULL REFERENCES files (id) ON DELETE CASCADE,
        position INTEGER NOT NULL,
        name TEXT NOT NULL,
        lat REAL NOT NULL,
        lon REAL NOT NULL,
        lat_e6 INTEGER NOT NULL,
        lon_e6 INTEGER NOT NULL,
        ele REAL,
        time TEXT,
        desc TEXT,
        shown INTEGER NOT NULL,
        PRIMARY KEY (file_id, position)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX waypoints_by_identity ON waypoints (name, lat_e6, lon_e6, shown);

      CREATE TABLE days (
        day INTEGER NOT NULL,
        file_id INTEGER NOT NULL REFERENCES files (id) ON DELETE CASCADE,
        kind INTEGER NOT NULL,
        part INTEGER NOT NULL,
        points INTEGER NOT NULL,
        first_ms INTEGER NOT NULL,
        last_ms INTEGER NOT NULL,
        south_e7 INTEGER NOT NULL,
        west_e7 INTEGER NOT NULL,
        north_e7 INTEGER NOT NULL,
        east_e7 INTEGER NOT NULL,
        blob BLOB NOT NULL,
        PRIMARY KEY (day, file_id, kind, part)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX days_by_file ON days (file_id);
    `),
];
