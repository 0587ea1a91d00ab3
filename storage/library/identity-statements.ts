import { sql, type RawBuilder } from 'kysely';
import type { Database } from '../database.ts';
import { prepare, prepareValue } from '../prepared.ts';
import type { HashedRow } from './hashed-rows.ts';

/** The file whose waypoints are added or leave: their ids are `from`…`to` (exclusive). */
export interface RowRange {
  readonly from: number;
  readonly to: number;
}

/** The file whose waypoints are added. */
export interface Newcomer {
  readonly path: string;
  /** Its first waypoint. */
  readonly first: number;
  /** The waypoints of the file that it replaces: they leave once all are added. None are from 0 to 0. */
  readonly leavingFrom: number;
  readonly leavingTo: number;
  /** 1 for each of these whose place one that was added has taken, so that no heir takes it meanwhile. */
  readonly isSucceeded: Uint8Array;
}

/** The parameter `pairs` of the statements, which take many rows at once: the hash of each waypoint, as JSON. */
export function listed(rows: readonly HashedRow[]): string {
  return `{${rows.map(([hash, waypoint]) => `"${waypoint}":${hash}`).join(',')}}`;
}

/** What IdentityRows asks and changes. */
export function prepareIdentityStatements(db: Database) {
  return { ...prepareIdentities(db), ...prepareFurther(db), ...prepareTwins(db) };
}

interface Pair {
  readonly hash: number;
  readonly waypoint: number;
}

/** Who has the hash of a waypoint; what is asked of it is 1 where it is so. */
interface Holder extends Pair {
  readonly holder: number;
  readonly isTwin: number;
  readonly isBefore: number;
  readonly isLeaving: number;
  readonly mayDiffer: number;
  readonly onlyLeaving: number | null;
}

/** The pairs as a table `p`. */
export const rowsOf = (pairs: string): RawBuilder<unknown> =>
  sql`(SELECT value AS hash, CAST(key AS INTEGER) AS waypoint FROM json_each(${pairs})) p`;
/** Whether `t` and `w` are of one identity. */
const isTwin = sql`(t.name, t.lat_e6, t.lon_e6) = (w.name, w.lat_e6, w.lon_e6)`;
/** The path of the file that `t` is in. */
const pathOf = sql`
  (SELECT path FROM files WHERE first_waypoint <= t.id ORDER BY first_waypoint DESC LIMIT 1)`;
/** Whether `t` is of the file that is replaced. */
const isLeaving = ({ leavingFrom, leavingTo }: Newcomer): RawBuilder<unknown> =>
  sql`(t.id >= ${leavingFrom} AND t.id < ${leavingTo})`;
/** Whether `w` says something that `t` does not, or has, or `t` says what its twins do; in place of `t`, whether it has twins. */
const mayDiffer = (newcomer: Newcomer) => sql`iif(${isLeaving(newcomer)},
  EXISTS (SELECT 1 FROM further_identities f WHERE f.hash = p.hash),
  (w.ele, w.time, w.desc, w.more) IS NOT (t.ele, t.time, t.desc, t.more)
    OR EXISTS (SELECT 1 FROM twin_fields o WHERE o.waypoint = t.id))`;
/** The only further waypoint of a hash, if it is hidden and of the file that is replaced. */
const onlyLeaving = ({ leavingFrom, leavingTo }: Newcomer) => sql`
  iif(${leavingTo} > 0 AND
      (SELECT 1 FROM further_identities WHERE hash = p.hash LIMIT 1 OFFSET 1) IS NULL,
    (SELECT waypoint FROM further_identities WHERE hash = p.hash AND shown = 0
      AND waypoint >= ${leavingFrom} AND waypoint < ${leavingTo}), NULL)`;
/** Whether the file comes before that of `t`, or takes its place. */
const comesBefore = (newcomer: Newcomer): RawBuilder<unknown> =>
  sql`(${isLeaving(newcomer)} OR t.id < ${newcomer.first} AND ${newcomer.path} < ${pathOf})`;

function prepareIdentities(db: Database) {
  return {
    enter: prepare(
      db,
      (pairs: string) => sql`
        INSERT INTO identities (hash, waypoint) SELECT p.hash, p.waypoint FROM ${rowsOf(pairs)}
        WHERE true ON CONFLICT DO NOTHING`,
    ),
    /** Removes the hashes that have no further waypoints and are not another one's by now. */
    leave: prepare(
      db,
      (pairs: string) => sql`
        DELETE FROM identities AS o
        WHERE (hash, waypoint) IN (SELECT p.hash, p.waypoint FROM ${rowsOf(pairs)})
          AND NOT EXISTS (SELECT 1 FROM further_identities f WHERE f.hash = o.hash)`,
    ),
    removeHash: prepare(db, (hash: number) => sql`DELETE FROM identities WHERE hash = ${hash}`),
    move: prepare(
      db,
      (pairs: string) => sql`
        REPLACE INTO identities (hash, waypoint) SELECT p.hash, p.waypoint FROM ${rowsOf(pairs)}`,
    ),
  };
}

function prepareFurther(db: Database) {
  return {
    addFurther: prepare(
      db,
      (shown: number, pairs: string) => sql`
        INSERT INTO further_identities (hash, shown, waypoint)
        SELECT p.hash, ${shown}, p.waypoint FROM ${rowsOf(pairs)}`,
    ),
    removeFurther: prepare(
      db,
      (shown: number, pairs: string) => sql`
        DELETE FROM further_identities WHERE (hash, shown, waypoint) IN
          (SELECT p.hash, ${shown}, p.waypoint FROM ${rowsOf(pairs)})`,
    ),
    otherShown: prepareValue(
      db,
      (hash: number) => sql<Pick<Pair, 'waypoint'>>`
        SELECT waypoint FROM further_identities WHERE hash = ${hash} AND shown = 1 LIMIT 1`,
    ),
    setShown: prepare(
      db,
      (shown: number, pairs: string) => sql`
        UPDATE waypoints SET shown = ${shown}
        WHERE id IN (SELECT p.waypoint FROM ${rowsOf(pairs)})`,
    ),
  };
}

function prepareTwins(db: Database) {
  return {
    /** The waypoint that each hash has already, where it is another one. */
    holders: prepare(
      db,
      (newcomer: Newcomer, pairs: string) => sql<Holder>`
        SELECT p.hash, p.waypoint, t.id AS holder, ${isTwin} AS "isTwin",
          ${comesBefore(newcomer)} AS "isBefore", ${isLeaving(newcomer)} AS "isLeaving",
          ${mayDiffer(newcomer)} AS "mayDiffer", ${onlyLeaving(newcomer)} AS "onlyLeaving"
        FROM ${rowsOf(pairs)} CROSS JOIN identities i CROSS JOIN waypoints w CROSS JOIN waypoints t
        WHERE i.hash = p.hash AND i.waypoint != p.waypoint AND w.id = p.waypoint
          AND t.id = i.waypoint`,
    ),
    /** The shown waypoint of the same identity, where another one holds the hash. */
    collidedTwin: prepare(
      db,
      (newcomer: Newcomer, hash: number, waypoint: number) => sql<{ id: number; isBefore: number }>`
        SELECT t.id, ${comesBefore(newcomer)} AS "isBefore"
        FROM further_identities f CROSS JOIN waypoints t CROSS JOIN waypoints w
        WHERE f.hash = ${hash} AND f.shown = 1 AND t.id = f.waypoint AND w.id = ${waypoint}
          AND ${isTwin}`,
    ),
    /** Those that show. */
    shownOf: prepare(
      db,
      (pairs: string) => sql<Pair & { isHolder: number }>`
        SELECT p.hash, p.waypoint, i.waypoint = p.waypoint AS "isHolder"
        FROM ${rowsOf(pairs)} CROSS JOIN waypoints w CROSS JOIN identities i
        WHERE w.id = p.waypoint AND w.shown = 1 AND i.hash = p.hash`,
    ),
    /** For those that show, the hidden waypoints of the same identity that are not in the file. */
    hiddenTwins: prepare(
      db,
      (pairs: string, { from, to }: RowRange) => sql<{
        waypoint: number;
        id: number;
        path: string;
      }>`
        SELECT p.waypoint, t.id, ${pathOf} AS path
        FROM ${rowsOf(pairs)} CROSS JOIN waypoints w CROSS JOIN further_identities f
          CROSS JOIN waypoints t
        WHERE w.id = p.waypoint AND w.shown = 1 AND f.hash = p.hash AND f.shown = 0
          AND (f.waypoint < ${from} OR f.waypoint >= ${to}) AND t.id = f.waypoint AND ${isTwin}`,
    ),
  };
}
