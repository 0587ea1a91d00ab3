import { sql } from 'kysely';
import type { Database } from '../database.ts';
import { moreText, readMore } from '../more-fields.ts';
import { prepare } from '../prepared.ts';
import { libraryTables } from '../schema/library.ts';
import { HashedRows, type HashedRow } from './hashed-rows.ts';
import { listed, rowsOf } from './identity-statements.ts';

/** What twins may differ in. */
interface Fields {
  readonly ele: number | null;
  readonly time: string | null;
  readonly desc: string | null;
  readonly more: string | null;
}

/** A waypoint and what it says itself. */
interface Member extends Fields {
  readonly hash: number;
  readonly name: string;
  readonly lat: number;
  readonly lon: number;
  readonly id: number;
  readonly shown: number;
  /** Its row has what its twins say, and `own_fields` what it says itself. */
  readonly isMerged: number;
}

/** What is known of the waypoints of one identity while they are read. */
interface Twins extends Pick<Member, 'name' | 'lat' | 'lon'> {
  shown: Member | undefined;
  /** Hidden ones that were shown and have something from a twin. */
  readonly merged: Member[];
  fields: Fields;
}

/**
 * Has each waypoint that shows say what the newest import says that says it: its row gets what it lacks, or says
 * otherwise, from its twins, and `own_fields` keeps what it says itself. So lists need not look at twins at all.
 */
export interface TwinFields {
  /** Takes waypoints, by their hashes, whose twins, which came or went, may say other things. */
  note(rows: readonly HashedRow[]): void;
  /** Takes those that show a hash and have something from a twin, where one of their twins has gone. */
  noteLeft(rows: readonly HashedRow[]): void;
  /** Merges what the twins of all noted say, each identity once: it may have any number. */
  merge(): void;
}

export function prepareTwinFields(db: Database): TwinFields {
  const { members, merged, write, keepOwn, dropOwn } = prepareStatements(db);
  const noted = new HashedRows();
  const once = new HashedRows();
  let count = 0;

  const restore = (member: Member): void => {
    write.run(member.id, member);
    dropOwn.run(member.id);
  };

  function mergeTwins({ shown, merged: hidden, fields }: Twins): void {
    for (const member of hidden) restore(member);
    if (shown === undefined) return;
    if (isSame(fields, shown)) {
      if (shown.isMerged === 1) restore(shown);
      return;
    }
    if (shown.isMerged === 0) keepOwn.run(shown.id, shown);
    write.run(shown.id, fields);
  }

  function merge(): void {
    let last: number | undefined;
    once.clear(0);
    for (const batch of noted.byHash())
      for (const [hash, order] of batch) {
        if (hash !== last) once.add(hash, order);
        last = hash;
      }
    noted.clear(0);
    count = 0;
    for (const batch of once.byWaypoint()) {
      const groups = new Map<number, Twins[]>();
      for (const member of members.iterate(listed(batch))) gather(groups, member);
      for (const group of groups.values()) for (const twins of group) mergeTwins(twins);
    }
  }

  function note(rows: readonly { readonly [0]: number }[]): void {
    for (const { 0: hash } of rows) {
      // In the order in which they come: those of neighbours are read together.
      noted.add(hash, count);
      count += 1;
      if (noted.isFull) merge();
    }
  }

  return {
    note,
    noteLeft: (rows) => note(merged.all(listed(rows)).map(({ hash }) => [hash])),
    merge,
  };
}

/** Adds the next of the members, the newest of which come first. */
function gather(groups: Map<number, Twins[]>, member: Member): void {
  const { hash, name, lat, lon } = member;
  let group = groups.get(hash);
  if (group === undefined) groups.set(hash, (group = []));
  let twins = group.find((one) => one.name === name && one.lat === lat && one.lon === lon);
  if (twins === undefined) {
    twins = { name, lat, lon, shown: undefined, merged: [], fields: member };
    group.push(twins);
  } else twins.fields = withOlder(twins.fields, member);
  if (member.shown === 1) twins.shown = member;
  else if (member.isMerged === 1) twins.merged.push(member);
}

function withOlder(fields: Fields, older: Fields): Fields {
  return {
    ele: fields.ele ?? older.ele,
    time: fields.time ?? older.time,
    desc: fields.desc ?? older.desc,
    more: moreOf(fields.more, older.more),
  };
}

function moreOf(more: string | null, older: string | null): string | null {
  if (more === older || older === null) return more;
  return moreText({ ...readMore(older), ...readMore(more) });
}

function isSame(a: Fields, b: Fields): boolean {
  return a.ele === b.ele && a.time === b.time && a.desc === b.desc && a.more === b.more;
}

/** What a waypoint says itself. */
const own = (name: keyof Fields) =>
  sql`iif(o.waypoint IS NULL, t.${sql.ref(name)}, o.${sql.ref(name)}) AS ${sql.ref(name)}`;

function prepareStatements(db: Database) {
  return {
    /** All waypoints of the hashes, those of the newest import first. */
    members: prepare(
      db,
      (pairs: string) => sql<Member>`
        SELECT p.hash, t.name, t.lat_e6 AS lat, t.lon_e6 AS lon, t.id, t.shown,
          o.waypoint IS NOT NULL AS "isMerged",
          ${own('ele')}, ${own('time')}, ${own('desc')}, ${own('more')}
        FROM ${rowsOf(pairs)} CROSS JOIN waypoints t
          LEFT JOIN own_fields o ON o.waypoint = t.id
          LEFT JOIN files f ON f.first_waypoint =
            (SELECT max(first_waypoint) FROM files WHERE first_waypoint <= t.id)
        WHERE t.id IN (
            SELECT waypoint FROM identities WHERE hash = p.hash
            UNION ALL SELECT waypoint FROM further_identities WHERE hash = p.hash)
        ORDER BY CAST(f.mtime_ns AS INTEGER) DESC, f.id DESC, t.id`,
    ),
    /** Those that show a hash and have something from a twin. */
    merged: prepare(
      db,
      (pairs: string) => sql<{ hash: number }>`
        SELECT p.hash
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
