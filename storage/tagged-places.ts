import type { Place } from '../model/waypoint.ts';
import type { Database } from './database.ts';

/** How several tags of a query combine. */
export type TagCombination = 'single' | 'AND' | 'OR';

/** A waypoint found by its tags. */
export interface TaggedWaypoint extends Place {
  readonly source: 'bookmark' | 'waypoint';
}

interface Row extends Place {
  readonly lat_e6: number;
  readonly lon_e6: number;
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
  const find = combination === 'OR' ? findAny : findAll;
  const bookmarks = find(joined, 'bookmarks', normals, limit);
  const imported = find(joined, 'library.waypoints', normals, limit - bookmarks.length);
  return [
    ...bookmarks.map((row) => tagged(row, 'bookmark')),
    ...imported.map((row) => tagged(row, 'waypoint')),
  ];
}

function tagged({ name, lat, lon }: Row, source: TaggedWaypoint['source']): TaggedWaypoint {
  return { name, lat, lon, source };
}

type Table = 'bookmarks' | 'library.waypoints';

/** What of a table shows; of the imported waypoints only the identity's hash has an index. */
const showing: Readonly<Record<Table, string>> = {
  bookmarks: 'true',
  'library.waypoints': `w.id IN (
      SELECT waypoint FROM library.identities
        WHERE hash = identity_hash(t.name, t.lat_e6, t.lon_e6)
      UNION ALL SELECT waypoint FROM library.further_identities
        WHERE hash = identity_hash(t.name, t.lat_e6, t.lon_e6) AND shown = 1)
    AND NOT EXISTS (SELECT 1 FROM bookmarks AS o WHERE ${isSame('o', 'w')})
    AND NOT EXISTS (SELECT 1 FROM hidden AS o WHERE ${isSame('o', 'w')})`,
};

/**
 * Goes through the rarest of the tags and asks for the others. The index yields the order of the answer, so that a tag of
 * 100,000 waypoints costs as little as a rare one.
 */
function findAll(joined: Database, table: Table, normals: readonly string[], limit: number): Row[] {
  const others = normals
    .slice(1)
    .map(
      (_, i) =>
        `AND EXISTS (SELECT 1 FROM tags AS o${i} WHERE o${i}.normal = ? AND ${isSame(`o${i}`, 't')})`,
    );
  return joined
    .prepare<unknown[], Row>(
      `SELECT w.name, w.lat, w.lon, w.lat_e6, w.lon_e6 FROM tags AS t CROSS JOIN ${table} AS w
       WHERE t.normal = ? AND ${isSame('w', 't')} AND ${showing[table]} ${others.join(' ')}
       ORDER BY t.name, t.lat_e6, t.lon_e6 LIMIT ?`,
    )
    .all(...rarestFirst(joined, normals), limit);
}

function rarestFirst(joined: Database, normals: readonly string[]): string[] {
  const uses = joined
    .prepare<[string], number>('SELECT coalesce(sum(uses), 0) FROM tag_spellings WHERE normal = ?')
    .pluck();
  return normals
    .map((normal) => ({ normal, uses: uses.get(normal) ?? 0 }))
    .toSorted((a, b) => a.uses - b.uses)
    .map(({ normal }) => normal);
}

/** The first of each tag's own first ones. */
function findAny(joined: Database, table: Table, normals: readonly string[], limit: number): Row[] {
  const rows = new Map<string, Row>();
  for (const normal of normals)
    for (const row of findAll(joined, table, [normal], limit))
      rows.set(JSON.stringify([row.name, row.lat_e6, row.lon_e6]), row);
  return [...rows.values()].toSorted(byIdentity).slice(0, limit);
}

/** The order of the index: names by the bytes of their UTF-8. */
function byIdentity(a: Row, b: Row): number {
  return (
    Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)) ||
    a.lat_e6 - b.lat_e6 ||
    a.lon_e6 - b.lon_e6
  );
}

function isSame(a: string, b: string): string {
  return `${a}.name = ${b}.name AND ${a}.lat_e6 = ${b}.lat_e6 AND ${a}.lon_e6 = ${b}.lon_e6`;
}
