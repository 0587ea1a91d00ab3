/** Counts schemas of the library; a file of another one is set aside and rebuilt from `imports/`, never migrated. */
export const librarySchemaVersion = 2;

/**
 * `library.sqlite`: everything derived from the files below `imports/`; deleted, it is rebuilt with the same content.
 *
 * - `files`: one row for each imported content. `path` is relative to `imports/`, with `/`, NFC; `path_key` is the same
 *   case-folded where file systems fold. `size` and `mtime_ns` are those of the file there. An `id` is never used again:
 *   other content of the same path is another id. `missing_times` and `invalid_times` count points with usable
 *   coordinates that are no observations.
 * - `waypoints`: in file order. `lat_e6`, `lon_e6` and `name` are the identity (contract C); `shown` is 1 for the first
 *   row of each identity by (`files.path` in byte order, `position`), else 0.
 * - `sources`: what contents were read from, so that a source that looks unchanged need not be read again. Not derived
 *   from `imports/`, and no loss: without it sources are hashed.
 * - `days`: the timed points of one UTC day (since 1970) of one file as blobs (day-blob.ts); `kind` 0 track points, 1
 *   waypoints; `part` ascends in file order. A rowid table, because large rows make the inner nodes of others large.
 */
export const librarySchema = `
  CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
  -- 'unread' goes once all files below imports/ have been read.
  INSERT INTO meta VALUES ('store', lower(hex(randomblob(8)))), ('revision', '1'), ('unread', '1');

  CREATE TABLE files (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    path TEXT NOT NULL UNIQUE,
    path_key TEXT NOT NULL UNIQUE,
    sha256 TEXT NOT NULL,
    size INTEGER NOT NULL,
    mtime_ns TEXT NOT NULL,
    waypoints INTEGER NOT NULL,
    observations INTEGER NOT NULL,
    missing_times INTEGER NOT NULL,
    invalid_times INTEGER NOT NULL,
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
  -- Two indexes instead of one: the first refuses a second row of an identity while it is inserted, at no extra cost.
  CREATE UNIQUE INDEX waypoints_shown ON waypoints (name, lat_e6, lon_e6) WHERE shown = 1;
  CREATE INDEX waypoints_not_shown ON waypoints (name, lat_e6, lon_e6) WHERE shown = 0;

  CREATE TABLE sources (
    device TEXT NOT NULL,
    inode TEXT NOT NULL,
    size INTEGER NOT NULL,
    mtime_ns TEXT NOT NULL,
    ctime_ns TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    PRIMARY KEY (device, inode)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE days (
    id INTEGER PRIMARY KEY,
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
    UNIQUE (day, file_id, kind, part)
  ) STRICT;
  CREATE INDEX days_by_file ON days (file_id);
`;
