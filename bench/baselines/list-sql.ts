import { join } from 'node:path';
import { openJoinedReader } from '../../storage/database.ts';

/** Counterpart of what the daemon sends for `GET /api/waypoints?emoji=true`. */
export interface ListBaseline {
  /** Runs the query, and gives the length of the JSON in bytes. */
  run(): number;
  close(): void;
}

/** The same join as the daemon's, with JSON made by SQLite, and nothing around it. */
const listSql = `
  SELECT json_object(
    'name', w.name, 'lat', w.lat, 'lon', w.lon, 'fields', json(w.fields), 'bookmark', json('false'),
    'tags', (SELECT json_group_array(json(t.enriched) ORDER BY t.id) FROM tags AS t
      WHERE t.name = w.name AND t.lat_e6 = w.lat_e6 AND t.lon_e6 = w.lon_e6))
  FROM library.files AS f CROSS JOIN library.waypoints AS w
  LEFT JOIN library.duplicates AS d ON d.waypoint = w.id
  WHERE w.id >= f.first_waypoint AND w.id < f.first_waypoint + f.waypoints AND d.shown IS NOT 0
    AND NOT EXISTS (SELECT 1 FROM bookmarks AS o
      WHERE o.name = w.name AND o.lat_e6 = w.lat_e6 AND o.lon_e6 = w.lon_e6)
    AND NOT EXISTS (SELECT 1 FROM hidden AS o
      WHERE o.name = w.name AND o.lat_e6 = w.lat_e6 AND o.lon_e6 = w.lon_e6)
  ORDER BY f.path, w.id`;

/** Opens the stores of a daemon for the plain query; the daemon may run. */
export function openListBaseline(root: string): ListBaseline {
  const data = join(root, 'data');
  const db = openJoinedReader(join(data, 'waypoints.sqlite'), join(data, 'library.sqlite'));
  const query = db.prepare<[], string>(listSql).pluck();
  return {
    run: () => Buffer.from(`[${query.all().join(',')}]`).length,
    close: () => db.close(),
  };
}
