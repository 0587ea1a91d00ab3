/** Counts schemas of the library; a file of another one is set aside and rebuilt from `imports/`, never migrated. */
export const librarySchemaVersion = 3;

/**
 * `library.sqlite`: everything derived from the files below `imports/`; deleted, it is rebuilt with the same content.
 *
 * - `files`: one row for each imported content. `path` is relative to `imports/`, with `/`, NFC; `path_key` is the same
 *   case-folded where file systems fold. `size` and `mtime_ns` are those of the file there. An `id` is never used again:
 *   other content of the same path is another id. `missing_times` and `invalid_times` count points with usable
 *   coordinates that are no observations. Its waypoints have `waypoints` ids from `first_waypoint` on (null if none).
 * - `waypoints`: the ids of a file ascend in file order without a gap. `lat_e6`, `lon_e6` and `name` are the identity
 *   (contract C); `shown` is 1 for the first row of each identity by (`files.path` in byte order, `id`), else 0.
 * - `identities`: for each hash of an identity (identity-hash.ts) a waypoint that is shown. `further_identities`: all
 *   others of a hash that is there, so hidden twins and what merely shares a hash; `shown` is that of the waypoint.
 * - `sources`: what contents were read from, so that a source that looks unchanged need not be read again. Not derived
 *   from `imports/`, and no loss: without it sources are hashed.
 * - `days`: the timed points of one UTC day (since 1970) of one file as blobs (day-blob.ts); `kind` 0 track points, 1
 *   waypoints; `part` ascends in file order. A rowid table, because large rows make the inner nodes of others large.
 */
export const librarySchema = `
  CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
  -- 'unread' goes once all files below imports/ have been read.
  INSERT INTO meta VALUES ('store', lower(hex(randomblob(8)))), ('revision', '1'), ('unread', '1'),
    ('seed', random() & 0xffffffff);

  CREATE TABLE files (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    path TEXT NOT NULL UNIQUE,
    path_key TEXT NOT NULL UNIQUE,
    sha256 TEXT NOT NULL,
    size INTEGER NOT NULL,
    mtime_ns TEXT NOT NULL,
    first_waypoint INTEGER UNIQUE,
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
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    lat REAL NOT NULL,
    lon REAL NOT NULL,
    lat_e6 INTEGER NOT NULL,
    lon_e6 INTEGER NOT NULL,
    ele REAL,
    time TEXT,
    desc TEXT,
    shown INTEGER NOT NULL
  ) STRICT;
  -- To count them: few, and a row costs little while it is not among them.
  CREATE INDEX waypoints_not_shown ON waypoints (id) WHERE shown = 0;

  -- Two tables instead of one: the first refuses a second row of a hash while it is inserted, at no extra cost.
  CREATE TABLE identities (
    hash INTEGER PRIMARY KEY,
    waypoint INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE further_identities (
    hash INTEGER NOT NULL,
    shown INTEGER NOT NULL,
    waypoint INTEGER NOT NULL,
    PRIMARY KEY (hash, shown, waypoint)
  ) STRICT, WITHOUT ROWID;

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
