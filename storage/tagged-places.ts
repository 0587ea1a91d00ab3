import type { Place } from '../model/waypoint.ts';
import type { Database } from './database.ts';

/** How several tags of a query combine. */
export type TagCombination = 'single' | 'AND' | 'OR';

/** A waypoint found by its tags. */
export interface TaggedWaypoint extends Place {
  readonly source: 'bookmark' | 'waypoint';
}

/**
 * Finds waypoints that show and have one or all of some tags: bookmarks first, then by name and position.
 * @param normals normal forms of the tags, distinct, at least one.
 */
export function findTagged(
  joined: Database,
  combination: TagCombination,
  normals: readonly string[],
  limit: number,
): TaggedWaypoint[] {
  const places = statement(joined, combination, normals.length);
  const bookmarks = places('bookmarks', 'true', limit, normals);
  const imported = places(
    'library.waypoints',
    importedCondition,
    limit - bookmarks.length,
    normals,
  );
  return [
    ...bookmarks.map((place) => ({ ...place, source: 'bookmark' as const })),
    ...imported.map((place) => ({ ...place, source: 'waypoint' as const })),
  ];
}

const importedCondition = `w.shown = 1
  AND NOT EXISTS (SELECT 1 FROM bookmarks AS o WHERE o.name = w.name AND o.lat_e6 = w.lat_e6 AND o.lon_e6 = w.lon_e6)
  AND NOT EXISTS (SELECT 1 FROM hidden AS o WHERE o.name = w.name AND o.lat_e6 = w.lat_e6 AND o.lon_e6 = w.lon_e6)`;

/** For one tag the index yields the answer's order, so that a tag of 100,000 waypoints costs as little as a rare one. */
function statement(joined: Database, combination: TagCombination, count: number) {
  const wanted = Array.from({ length: count }, () => '?').join(', ');
  const least = combination === 'AND' ? count : 1;
  const grouping =
    count === 1 ? '' : `GROUP BY t.name, t.lat_e6, t.lon_e6 HAVING count(*) >= ${least}`;
  return (table: string, condition: string, limit: number, normals: readonly string[]): Place[] =>
    joined
      .prepare<unknown[], Place>(
        `SELECT w.name, w.lat, w.lon FROM tags AS t CROSS JOIN ${table} AS w
         WHERE t.normal IN (${wanted})
           AND w.name = t.name AND w.lat_e6 = t.lat_e6 AND w.lon_e6 = t.lon_e6 AND ${condition}
         ${grouping} ORDER BY t.name, t.lat_e6, t.lon_e6 LIMIT ?`,
      )
      .all(...normals, limit);
}
