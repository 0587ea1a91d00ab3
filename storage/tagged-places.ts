import type { AliasedRawBuilder } from 'kysely';
import type { Place } from '../model/waypoint.ts';
import type { Database } from './database.ts';
import { sameIdentity, type IdentityColumns } from './schema/identity-columns.ts';
import { prepare, prepareValue } from './prepared.ts';
import { bookmarkOver, hiddenBy, joinedTables, waypointsOf, type Listed } from './schema/joined.ts';

/** How several tags of a query combine. */
export type TagCombination = 'single' | 'AND' | 'OR';

/** A waypoint found by its tags. */
export interface TaggedWaypoint extends Place {
  readonly source: 'bookmark' | 'waypoint';
}

type Row = Place & Pick<IdentityColumns, 'lat_e6' | 'lon_e6'>;
/** Finds rows that have all of some tags, the rarest first. */
type FindAll = (normals: readonly string[], limit: number) => Row[];

/** Waypoints that show and have one or all of some tags. */
export type FindTagged = (
  combination: TagCombination,
  normals: readonly string[],
  limit: number,
) => TaggedWaypoint[];

/**
 * Prepares the search for waypoints by tags: bookmarks first, then by name and position. The tags are given by their normal
 * forms, distinct, at least one.
 */
export function prepareTagged(joined: Database): FindTagged {
  const uses = prepareValue(joined, (normal: string) =>
    joinedTables
      .selectFrom('tag_spellings')
      .select((eb) => eb.fn.sum<number | null>('uses').as('uses'))
      .where('normal', '=', normal),
  );
  const rarestFirst = (normals: readonly string[]): string[] =>
    normals
      .map((normal) => ({ normal, uses: uses.get(normal) ?? 0 }))
      .toSorted((a, b) => a.uses - b.uses)
      .map(({ normal }) => normal);
  const inBookmarks = prepareFindAll(joined, 'bookmark');
  const inLibrary = prepareFindAll(joined, 'waypoint');
  return (combination, normals, limit) => {
    const ordered = rarestFirst(normals);
    const find = (all: FindAll, count: number): Row[] =>
      combination === 'OR' ? findAny(all, ordered, count) : all(ordered, count);
    const bookmarks = find(inBookmarks, limit);
    const imported = find(inLibrary, limit - bookmarks.length);
    return [
      ...bookmarks.map((row) => tagged(row, 'bookmark')),
      ...imported.map((row) => tagged(row, 'waypoint')),
    ];
  };
}

function tagged({ name, lat, lon }: Row, source: TaggedWaypoint['source']): TaggedWaypoint {
  return { name, lat, lon, source };
}

/** Prepares a statement for each number of tags that is asked for; a query has room for some forty. */
function prepareFindAll(joined: Database, source: TaggedWaypoint['source']): FindAll {
  const prepareFor = (count: number) =>
    prepare(joined, (normals: readonly string[], limit: number) => {
      let rows = showing(source, normals[0]!).limit(limit);
      for (let i = 1; i < count; i += 1)
        rows = rows.where((eb) => {
          const others = eb
            .selectFrom('tags as o')
            .select('o.id')
            .where(sameIdentity('o', 'first'));
          return eb.exists(others.where('o.normal', '=', normals[i]!));
        });
      return rows;
    });
  const statements = new Map<number, ReturnType<typeof prepareFor>>([[1, prepareFor(1)]]);
  return (normals, limit) => {
    const statement = statements.get(normals.length) ?? prepareFor(normals.length);
    statements.set(normals.length, statement);
    return statement.all(normals, limit);
  };
}

/**
 * The waypoints of a tag that show. The index of tags is gone through and yields the order of the answer, so that a tag of 100,000
 * waypoints costs as little as a rare one.
 */
function showing(source: TaggedWaypoint['source'], normal: string) {
  const waypoints: AliasedRawBuilder<Listed, 'w'> = waypointsOf[source];
  const rows = joinedTables
    .selectFrom('tags as first')
    .crossJoin(waypoints)
    .select(['w.name', 'w.lat', 'w.lon', 'w.lat_e6', 'w.lon_e6'])
    .where('first.normal', '=', normal)
    .where(sameIdentity('w', 'first'))
    .orderBy('first.name')
    .orderBy('first.lat_e6')
    .orderBy('first.lon_e6');
  if (source === 'bookmark') return rows;
  return rows
    .where((eb) => eb.not(eb.exists(bookmarkOver())))
    .where((eb) => eb.not(eb.exists(hiddenBy())));
}

/** The first of each tag's own first ones. */
function findAny(find: FindAll, normals: readonly string[], limit: number): Row[] {
  const rows = new Map<string, Row>();
  for (const normal of normals)
    for (const row of find([normal], limit))
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
