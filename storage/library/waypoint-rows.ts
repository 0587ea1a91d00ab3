import { identityOf, type IdentityKey } from '../../model/identity.ts';
import { formatTime } from '../../model/time.ts';
import type { Database } from '../database.ts';

/** A waypoint as an imported file has it; the name is trimmed and NFC. */
export interface ImportedWaypoint {
  readonly name: string;
  readonly lat: number;
  readonly lon: number;
  readonly ele?: number;
  readonly timeMs?: number;
  readonly desc?: string;
}

/** The file that rows belong to. */
export interface RowOwner {
  readonly id: number;
  readonly path: string;
}

/** Writes rows of `waypoints` and keeps `shown` right. */
export interface WaypointRows {
  insert(file: RowOwner, position: number, waypoint: ImportedWaypoint): void;
  /** Lets twins in other files show instead of this file's rows, which are deleted next. */
  handOver(fileId: number): void;
}

interface TwinRow {
  readonly file_id: number;
  readonly position: number;
}

interface ShownRow extends TwinRow {
  readonly is_first: number;
}

interface LeavingRow {
  readonly position: number;
  readonly name: string;
  readonly lat_e6: number;
  readonly lon_e6: number;
}

/** Rows that are handed over at once; bounds the memory. */
const pageRows = 1_000;

export function prepareWaypointRows(db: Database): WaypointRows {
  const insert = db.prepare(insertSql);
  const shownTwin = db.prepare<unknown[], ShownRow>(shownTwinSql);
  const firstHiddenTwin = db.prepare<unknown[], TwinRow>(firstHiddenTwinSql);
  const leaving = db.prepare<unknown[], LeavingRow>(leavingSql);
  const setShown = db.prepare('UPDATE waypoints SET shown = ? WHERE file_id = ? AND position = ?');

  function put(file: RowOwner, position: number, key: IdentityKey, row: Values, shown: 0 | 1) {
    const { lat, lon, ele, time, desc } = row;
    const { name, latE6, lonE6 } = key;
    return insert.run(file.id, position, name, lat, lon, latE6, lonE6, ele, time, desc, shown)
      .changes;
  }

  /** Another row of this identity shows: the first of the two by path and position goes on showing. */
  function putTwin(file: RowOwner, position: number, key: IdentityKey, row: Values): void {
    const twin = shownTwin.get(file.path, key.name, key.latE6, key.lonE6);
    if (twin === undefined || twin.is_first === 1) {
      put(file, position, key, row, 0);
      return;
    }
    setShown.run(0, twin.file_id, twin.position);
    put(file, position, key, row, 1);
  }

  return {
    insert(file, position, waypoint) {
      const key = identityOf(waypoint.name, waypoint.lat, waypoint.lon);
      const row = valuesOf(waypoint);
      if (put(file, position, key, row, 1) === 0) putTwin(file, position, key, row);
    },
    handOver(fileId) {
      let after = -1;
      for (;;) {
        const page = leaving.all(fileId, after, fileId, pageRows);
        for (const row of page) {
          setShown.run(0, fileId, row.position);
          const heir = firstHiddenTwin.get(row.name, row.lat_e6, row.lon_e6, fileId);
          if (heir !== undefined) setShown.run(1, heir.file_id, heir.position);
        }
        if (page.length < pageRows) return;
        after = page.at(-1)?.position ?? after;
      }
    },
  };
}

interface Values {
  readonly lat: number;
  readonly lon: number;
  readonly ele: number | null;
  readonly time: string | null;
  readonly desc: string | null;
}

function valuesOf({ lat, lon, ele, timeMs, desc }: ImportedWaypoint): Values {
  const time = timeMs === undefined ? null : formatTime(timeMs);
  return { lat, lon, ele: ele ?? null, time, desc: desc ?? null };
}

/** Does nothing where the unique index of shown rows refuses. */
const insertSql = `
  INSERT INTO waypoints (file_id, position, name, lat, lon, lat_e6, lon_e6, ele, time, desc, shown)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`;

/** Equal paths: the row there is of the same file, and earlier. */
const shownTwinSql = `
  SELECT w.file_id, w.position, f.path <= ? AS is_first
  FROM waypoints AS w JOIN files AS f ON f.id = w.file_id
  WHERE w.name = ? AND w.lat_e6 = ? AND w.lon_e6 = ? AND w.shown = 1`;

const firstHiddenTwinSql = `
  SELECT w.file_id, w.position FROM waypoints AS w JOIN files AS f ON f.id = w.file_id
  WHERE w.name = ? AND w.lat_e6 = ? AND w.lon_e6 = ? AND w.shown = 0 AND w.file_id <> ?
  ORDER BY f.path, w.position LIMIT 1`;

const leavingSql = `
  SELECT w.position, w.name, w.lat_e6, w.lon_e6 FROM waypoints AS w
  WHERE w.file_id = ? AND w.position > ? AND w.shown = 1 AND EXISTS (
    SELECT 1 FROM waypoints AS t
    WHERE t.name = w.name AND t.lat_e6 = w.lat_e6 AND t.lon_e6 = w.lon_e6
      AND t.shown = 0 AND t.file_id <> ?)
  ORDER BY w.position LIMIT ?`;
