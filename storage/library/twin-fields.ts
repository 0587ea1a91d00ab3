import { sql } from 'kysely';
import type { Database } from '../database.ts';
import { moreText, readMore } from '../more-fields.ts';
import { prepare, prepareValue } from '../prepared.ts';
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

/** One of three or more waypoints of a hash, and what it says itself. */
interface Member extends Fields {
  readonly hash: number;
  readonly name: string;
  readonly lat: number;
  readonly lon: number;
  readonly id: number;
  readonly shown: number;
}

/** What is known of the waypoints of one identity while they are read: it may have any number. */
interface Twins extends Pick<Member, 'name' | 'lat' | 'lon'> {
  shown: Member | undefined;
  /** For each field the newest that has it. */
  readonly newest: Partial<Record<keyof Fields, Member>>;
  /** The fields of `more`, where they are not all the same. */
  more: MoreOfTwins | undefined;
}

type MoreOfTwins = Map<string, { readonly value: unknown; readonly by: Member }>;
type IsNewer = (a: Member, b: Member) => boolean;

const fieldNames = ['ele', 'time', 'desc', 'more'] as const;

/**
 * Has each waypoint that shows say what the newest import says that says it: `twin_fields` has what it says with its twins
 * where that is not what it says itself. So lists need not look at twins.
 */
export function prepareTwinFields(db: Database) {
  const statements = prepareStatements(db);
  const { left, unpaired, members, put, drop, putPairs, fileOf, newestFrom } = statements;
  const noted = new HashedRows();
  const once = new HashedRows();
  let count = 0;

  function mergeTwins({ shown, newest, more }: Twins): void {
    if (shown === undefined) return;
    const fields: Fields = {
      ele: newest.ele?.ele ?? null,
      time: newest.time?.time ?? null,
      desc: newest.desc?.desc ?? null,
      more: more === undefined ? (newest.more?.more ?? null) : textOf(more),
    };
    if (!isSame(fields, shown)) put.run(shown.id, fields);
  }

  function merge(): void {
    if (count === 0) return;
    let last: number | undefined;
    once.clear(0);
    for (const batch of noted.byHash())
      for (const [hash, order] of batch) {
        if (hash !== last) once.add(hash, order);
        last = hash;
      }
    noted.clear(0);
    count = 0;
    const isNewer = comparisonBy(fileOf);
    const newest = newestFrom.get() ?? Infinity;
    for (const batch of once.byWaypoint()) {
      const many = new Set(unpaired.all(listed(batch)).map(({ hash }) => hash));
      putPairs.run(listed(batch.filter(([hash]) => !many.has(hash))), newest);
      const others = listed([...many].map((hash): HashedRow => [hash, hash]));
      drop.run(others);
      const groups = new Map<number, Twins[]>();
      for (const member of members.iterate(others)) gather(groups, member, isNewer);
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
    /** Takes waypoints, by their hashes, whose twins, which came or went, may say other things. */
    note,
    /** Takes hashes of waypoints that are gone, where what is left of a hash may say other things. */
    noteLeft: (rows: readonly HashedRow[]) =>
      note(left.all(listed(rows)).map(({ hash }) => [hash])),
    /** Merges what the twins of all noted say, each identity once: it may have any number. */
    merge,
  };
}

/** Adds the next of the members, which come in any order. */
function gather(groups: Map<number, Twins[]>, member: Member, isNewer: IsNewer): void {
  const { hash, name, lat, lon } = member;
  let group = groups.get(hash);
  if (group === undefined) groups.set(hash, (group = []));
  let twins = group.find((one) => one.name === name && one.lat === lat && one.lon === lon);
  if (twins === undefined) {
    twins = { name, lat, lon, shown: undefined, newest: {}, more: undefined };
    group.push(twins);
  }
  if (member.shown === 1) twins.shown = member;
  takeMore(twins, member, isNewer);
  for (const field of fieldNames) {
    const newest = twins.newest[field];
    if (member[field] !== null && (newest === undefined || isNewer(member, newest)))
      twins.newest[field] = member;
  }
}

/** Nearly all that have such fields have the same. */
function takeMore(twins: Twins, member: Member, isNewer: IsNewer): void {
  const before = twins.newest.more;
  if (member.more === null || before === undefined) return;
  if (twins.more === undefined) {
    if (before.more === member.more) return;
    twins.more = new Map();
    addMore(twins.more, before, isNewer);
  }
  addMore(twins.more, member, isNewer);
}

function addMore(fields: MoreOfTwins, member: Member, isNewer: IsNewer): void {
  for (const [name, value] of Object.entries(readMore(member.more))) {
    const newest = fields.get(name);
    if (newest === undefined || isNewer(member, newest.by)) fields.set(name, { value, by: member });
  }
}

function textOf(fields: MoreOfTwins): string | null {
  return moreText(Object.fromEntries([...fields].map(([name, { value }]) => [name, value])));
}

/** Compares by file, then by place in it. Twins mostly lie side by side in few files. */
function comparisonBy(fileOf: Statements['fileOf']): IsNewer {
  const known: FileRank[] = [];
  const rankOf = ({ id }: Member): FileRank => {
    let rank = known.find(({ from, to }) => id >= from && id < to);
    if (rank === undefined) {
      const { from, to, mtimeUs, path } = fileOf.get(id) ?? gone;
      rank = { from, to: to ?? Infinity, mtimeUs, path };
      known.unshift(rank);
      if (known.length > mostKnown) known.pop();
    }
    return rank;
  };
  return (a, b) => {
    const [ofA, ofB] = [rankOf(a), rankOf(b)];
    if (ofA.path === ofB.path) return a.id < b.id;
    if (ofA.mtimeUs !== ofB.mtimeUs) return ofA.mtimeUs > ofB.mtimeUs;
    return Buffer.compare(Buffer.from(ofA.path), Buffer.from(ofB.path)) > 0;
  };
}

function isSame(a: Fields, b: Fields): boolean {
  return a.ele === b.ele && a.time === b.time && a.desc === b.desc && a.more === b.more;
}

type Statements = ReturnType<typeof prepareStatements>;

/** A file, by the ids of its waypoints: `from`…`to` (exclusive). */
interface FileRank {
  readonly from: number;
  readonly to: number;
  readonly mtimeUs: number;
  readonly path: string;
}

/** That of waypoints which leave soon, while nothing before them stays. */
const gone = { from: 0, to: 0, mtimeUs: 0, path: '' };

/** Files that are remembered. */
const mostKnown = 8;

/** 1 where a hash has but two waypoints, and one of them hidden. */
const furtherOf = sql`
  (SELECT count(*) + total(shown) FROM further_identities WHERE hash = p.hash)`;

const membersIn = (table: 'identities' | 'further_identities', pairs: string) => sql`
  SELECT p.hash, t.name, t.lat_e6 AS lat, t.lon_e6 AS lon, t.id, t.shown,
    t.ele, t.time, t.desc, t.more
  FROM ${rowsOf(pairs)} CROSS JOIN ${sql.table(table)} i CROSS JOIN waypoints t
  WHERE i.hash = p.hash AND t.id = i.waypoint`;

/** The id that the file of a waypoint begins with. */
const firstOf = (waypoint: string) =>
  sql`(SELECT max(first_waypoint) FROM files WHERE first_waypoint <= ${sql.ref(`${waypoint}.id`)})`;

/** When a file was copied: what sets a time does so to the microsecond. */
const usOf = (file: string) => sql<number>`CAST(${sql.ref(`${file}.mtime_ns`)} AS INTEGER) / 1000`;

/** Looks for the files only where neither is of the one that begins with the waypoint `newest`. */
const isShownNewer = (newest: number) => sql`
  CASE WHEN h.id >= ${newest} THEN s.id >= ${newest} AND s.id < h.id WHEN s.id >= ${newest} THEN 1
  ELSE (SELECT (${usOf('sf')}, sf.path, h.id) > (${usOf('hf')}, hf.path, s.id)
    FROM files sf CROSS JOIN files hf
    WHERE sf.first_waypoint = ${firstOf('s')} AND hf.first_waypoint = ${firstOf('h')}) END`;
/** The first of two values that is there, that of the newer waypoint first. */
const newestOf = (field: 'ele' | 'time' | 'desc', newest: number) => {
  const [s, h] = [sql.ref(`s.${field}`), sql.ref(`h.${field}`)];
  return sql`iif(${isShownNewer(newest)}, coalesce(${s}, ${h}), coalesce(${h}, ${s})) AS ${sql.ref(field)}`;
};
const newestMore = (newest: number) => sql`CASE
  WHEN s.more IS NULL OR h.more IS NULL OR s.more = h.more THEN coalesce(s.more, h.more)
  WHEN ${isShownNewer(newest)} THEN json_patch(h.more, s.more) ELSE json_patch(s.more, h.more) END AS more`;

function prepareFileOf(db: Database) {
  return prepare(db, (waypoint: number) =>
    libraryTables
      .selectFrom('files')
      .select(['path', usOf('files').as('mtimeUs'), 'first_waypoint as from'])
      .select((eb) =>
        eb
          .selectFrom('files as next')
          .select((next) => next.fn.min('first_waypoint').as('to'))
          .where('next.first_waypoint', '>', waypoint)
          .as('to'),
      )
      .where('first_waypoint', '<=', waypoint)
      .orderBy('first_waypoint', 'desc')
      .limit(1)
      .$narrowType<{ from: number }>(),
  );
}

function prepareStatements(db: Database) {
  return {
    /** All waypoints of the hashes. */
    members: prepare(
      db,
      (pairs: string) => sql<Member>`
        ${membersIn('identities', pairs)} UNION ALL ${membersIn('further_identities', pairs)}`,
    ),
    fileOf: prepareFileOf(db),
    /** What the file that was written last begins with, if it is the newest. */
    newestFrom: prepareValue(
      db,
      () => sql<{ first_waypoint: number | null }>`
        SELECT first_waypoint FROM files WHERE id = (SELECT max(id) FROM files)
          AND id = (SELECT id FROM files ORDER BY ${usOf('files')} DESC, path DESC LIMIT 1)`,
    ),
    /** Those of which several are left, or the one left has something from a twin. */
    left: prepare(
      db,
      (pairs: string) => sql<{ hash: number }>`
        SELECT p.hash FROM ${rowsOf(pairs)} CROSS JOIN identities i ON i.hash = p.hash
        WHERE EXISTS (SELECT 1 FROM further_identities f WHERE f.hash = p.hash)
          OR EXISTS (SELECT 1 FROM twin_fields o WHERE o.waypoint = i.waypoint)`,
    ),
    /** All others than `putPairs` is about. */
    unpaired: prepare(
      db,
      (pairs: string) => sql<{ hash: number }>`
        SELECT p.hash FROM ${rowsOf(pairs)} WHERE ${furtherOf} != 1`,
    ),
    drop: prepare(
      db,
      (pairs: string) => sql`
        DELETE FROM twin_fields WHERE waypoint IN (
          SELECT i.waypoint FROM ${rowsOf(pairs)} CROSS JOIN identities i WHERE i.hash = p.hash
          UNION ALL
          SELECT i.waypoint FROM ${rowsOf(pairs)} CROSS JOIN further_identities i
          WHERE i.hash = p.hash)`,
    ),
    put: prepare(db, (waypoint: number, { ele, time, desc, more }: Fields) =>
      libraryTables.insertInto('twin_fields').values({ waypoint, ele, time, desc, more }),
    ),
    /** Where there are but two of a hash, a shown one `s` and a hidden one `h`: nearly all. Of more, it would write each. */
    putPairs: prepare(
      db,
      (pairs: string, newest: number) => sql`
        REPLACE INTO twin_fields (waypoint, ele, time, desc, more)
        SELECT id, ele, time, desc, more FROM (
          SELECT s.id, ${newestOf('ele', newest)}, ${newestOf('time', newest)},
            ${newestOf('desc', newest)}, ${newestMore(newest)},
            s.ele AS own_ele, s.time AS own_time, s.desc AS own_desc, s.more AS own_more
          FROM ${rowsOf(pairs)} CROSS JOIN identities i CROSS JOIN further_identities f
            CROSS JOIN waypoints s CROSS JOIN waypoints h
          WHERE i.hash = p.hash AND f.hash = p.hash
            AND s.id = i.waypoint AND h.id = f.waypoint)
        WHERE (ele, time, desc, more) IS NOT (own_ele, own_time, own_desc, own_more)
          OR EXISTS (SELECT 1 FROM twin_fields WHERE waypoint = id)`,
    ),
  };
}
