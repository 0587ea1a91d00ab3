import { sql } from 'kysely';
import type { Database } from '../database.ts';
import { moreText, readMore } from '../more-fields.ts';
import { prepare } from '../prepared.ts';
import { libraryTables } from '../schema/library.ts';
import type { HashedRow } from './hashed-rows.ts';
import { isTwin, listed, rowsOf } from './identity-statements.ts';

/** What twins may differ in. */
interface Fields {
  readonly ele: number | null;
  readonly time: string | null;
  readonly desc: string | null;
  readonly more: string | null;
}

interface Member extends Fields {
  /** The waypoint that was asked for. */
  readonly of: number;
  readonly id: number;
  readonly shown: number;
  /** Its row has what its twins say, and `own_fields` what it says itself. */
  readonly isMerged: number;
}

/**
 * Has each waypoint that shows say what the newest import says that says it: its row gets what it lacks, or says
 * otherwise, from its twins, and `own_fields` keeps what it says itself. So lists need not look at twins at all.
 */
export interface TwinFields {
  /** Merges what the twins of some waypoints say, by their hashes. */
  merge(rows: readonly HashedRow[]): void;
  /** Merges again for waypoints that show a hash, where one of their twins has gone that may have said something. */
  mergeLeft(rows: readonly HashedRow[]): void;
}

export function prepareTwinFields(db: Database): TwinFields {
  const { members, merged, write, keepOwn, dropOwn } = prepareStatements(db);
  const restore = (member: Member): void => {
    write.run(member.id, member);
    dropOwn.run(member.id);
  };

  function mergeTwins(twins: readonly Member[]): void {
    for (const twin of twins) if (twin.shown === 0 && twin.isMerged === 1) restore(twin);
    const shown = twins.find((twin) => twin.shown === 1);
    if (shown === undefined) return;
    const fields = mergedFields(twins);
    if (isSame(fields, shown)) {
      if (shown.isMerged === 1) restore(shown);
      return;
    }
    if (shown.isMerged === 0) keepOwn.run(shown.id, shown);
    write.run(shown.id, fields);
  }

  function merge(rows: readonly HashedRow[]): void {
    if (rows.length === 0) return;
    const groups = new Map<number, Member[]>();
    for (const member of members.all(listed(rows))) {
      const group = groups.get(member.of);
      if (group === undefined) groups.set(member.of, [member]);
      else group.push(member);
    }
    for (const twins of groups.values()) mergeTwins(twins);
  }

  return {
    merge,
    mergeLeft: (rows) => merge(merged.all(listed(rows)).map(({ hash, id }) => [hash, id])),
  };
}

/** @param twins the newest first. */
function mergedFields(twins: readonly Member[]): Fields {
  const first = <Name extends 'ele' | 'time' | 'desc'>(name: Name): Member[Name] | null =>
    twins.find((twin) => twin[name] !== null)?.[name] ?? null;
  const more = Object.assign(
    {},
    ...twins.toReversed().map((twin) => readMore(twin.more)),
  ) as object;
  return { ele: first('ele'), time: first('time'), desc: first('desc'), more: moreText(more) };
}

function isSame(a: Fields, b: Fields): boolean {
  return a.ele === b.ele && a.time === b.time && a.desc === b.desc && a.more === b.more;
}

/** What a waypoint says itself. */
const own = (name: keyof Fields) =>
  sql`iif(o.waypoint IS NULL, t.${sql.ref(name)}, o.${sql.ref(name)}) AS ${sql.ref(name)}`;

function prepareStatements(db: Database) {
  return {
    /** All twins of the waypoints, the waypoints themselves included, those of the newest import first. */
    members: prepare(
      db,
      (pairs: string) => sql<Member>`
        SELECT p.waypoint AS "of", t.id, t.shown, o.waypoint IS NOT NULL AS "isMerged",
          ${own('ele')}, ${own('time')}, ${own('desc')}, ${own('more')}
        FROM ${rowsOf(pairs)} CROSS JOIN waypoints w CROSS JOIN waypoints t
          LEFT JOIN own_fields o ON o.waypoint = t.id
          LEFT JOIN files f ON f.first_waypoint =
            (SELECT max(first_waypoint) FROM files WHERE first_waypoint <= t.id)
        WHERE w.id = p.waypoint AND t.id IN (
            SELECT waypoint FROM identities WHERE hash = p.hash
            UNION ALL SELECT waypoint FROM further_identities WHERE hash = p.hash)
          AND ${isTwin}
        ORDER BY p.waypoint, CAST(f.mtime_ns AS INTEGER) DESC, f.id DESC, t.id`,
    ),
    /** Those that show a hash and have something from a twin. */
    merged: prepare(
      db,
      (pairs: string) => sql<{ hash: number; id: number }>`
        SELECT p.hash, o.waypoint AS id
        FROM ${rowsOf(pairs)} CROSS JOIN own_fields o ON o.waypoint IN (
          SELECT waypoint FROM identities WHERE hash = p.hash
          UNION ALL SELECT waypoint FROM further_identities WHERE hash = p.hash AND shown = 1)`,
    ),
    write: prepare(db, (id: number, { ele, time, desc, more }: Fields) =>
      libraryTables.updateTable('waypoints').set({ ele, time, desc, more }).where('id', '=', id),
    ),
    keepOwn: prepare(db, (waypoint: number, { ele, time, desc, more }: Fields) =>
      libraryTables.insertInto('own_fields').values({ waypoint, ele, time, desc, more }),
    ),
    dropOwn: prepare(db, (waypoint: number) =>
      libraryTables.deleteFrom('own_fields').where('waypoint', '=', waypoint),
    ),
  };
}
