import type { Expression } from 'kysely';
import type { Database } from '../database.ts';
import { sameIdentity } from '../schema/identity-columns.ts';
import { prepare, prepareValue } from '../prepared.ts';
import type { HashedRows } from './hashed-rows.ts';
import { libraryTables } from '../schema/library.ts';

/** The file whose waypoints are added or leave: their ids are `from`…`to` (exclusive). */
export interface RowRange {
  readonly from: number;
  readonly to: number;
}

/** Keeps `identities`, `further_identities` and the column `shown` of `waypoints` right. */
export interface IdentityRows {
  /**
   * Enters waypoints that were just inserted as shown, and hides those that have a twin.
   * @param path of the file, which begins with the waypoint `first`.
   */
  add(rows: HashedRows, path: string, first: number): void;
  /** Removes waypoints that are deleted next; twins outside of their file show instead. */
  remove(rows: HashedRows, file: RowRange): void;
}

/** Hashes in one statement. */
const rowsAtOnce = 32;

export function prepareIdentityRows(db: Database): IdentityRows {
  const statements = prepareStatements(db);
  const { enter, enterMany, holder, shared, leaveMany } = statements;

  function addMany(values: readonly number[], newcomer: Newcomer): void {
    if (enterMany.run(values).changes === rowsAtOnce) return;
    for (let i = 0; i < values.length; i += 2) {
      const hash = values[i]!;
      const waypoint = values[i + 1]!;
      if (holder.get(hash) !== waypoint) addFurther(statements, hash, waypoint, newcomer);
    }
  }

  return {
    add(rows, path, first) {
      const newcomer = { path, first };
      const values = Array<number>(rowsAtOnce * 2).fill(0);
      let length = 0;
      for (const { hash, waypoint } of rows.sorted()) {
        values[length] = hash;
        values[length + 1] = waypoint;
        length += 2;
        if (length < values.length) continue;
        addMany(values, newcomer);
        length = 0;
      }
      for (let i = 0; i < length; i += 2) {
        const [hash, waypoint] = [values[i]!, values[i + 1]!];
        if (enter.run(hash, waypoint).changes === 0)
          addFurther(statements, hash, waypoint, newcomer);
      }
    },
    remove(rows, file) {
      const hashes: number[] = [];
      const waypoints: number[] = [];
      for (const { hash, waypoint } of rows.sorted()) {
        hashes.push(hash);
        waypoints.push(waypoint);
        if (hashes.length < rowsAtOnce) continue;
        // Whose hash is nobody else's has neither twins nor heirs: nearly all of a large file.
        if (shared.get(hashes) === undefined) leaveMany.run(hashes);
        else
          for (const [i, each] of hashes.entries())
            removeOne(statements, each, waypoints[i]!, file);
        hashes.length = waypoints.length = 0;
      }
      for (const [i, hash] of hashes.entries()) removeOne(statements, hash, waypoints[i]!, file);
    },
  };
}

interface Newcomer {
  readonly path: string;
  readonly first: number;
}

/** Adds a waypoint whose hash is there already: it has a twin, or shares the hash with another identity. */
function addFurther(
  { shownTwin, comesBefore, setShown, move, addOther, removeOther }: Statements,
  hash: number,
  waypoint: number,
  { path, first }: Newcomer,
): void {
  const twin = shownTwin.get(hash, waypoint);
  // Within a file, hashes come by position.
  const isFirst = twin === undefined || (twin < first && comesBefore.get(path, twin) === 1);
  if (twin === undefined || !isFirst) {
    if (!isFirst) setShown.run(0, waypoint);
    addOther.run(hash, Number(isFirst), waypoint);
    return;
  }
  setShown.run(0, twin);
  if (move.run(hash, twin, waypoint).changes === 0) {
    removeOther.run(hash, 1, twin);
    addOther.run(hash, 1, waypoint);
  }
  addOther.run(hash, 0, twin);
}

function removeOne(
  { leave, move, heirOf, setShown, addOther, removeOther, otherShown }: Statements,
  hash: number,
  waypoint: number,
  file: RowRange,
): void {
  if (removeOther.run(hash, 0, waypoint).changes === 1) return;
  const heir = heirOf.get(hash, waypoint, file);
  if (heir !== undefined) {
    setShown.run(1, heir);
    removeOther.run(hash, 0, heir);
    if (move.run(hash, waypoint, heir).changes === 1) return;
    removeOther.run(hash, 1, waypoint);
    addOther.run(hash, 1, heir);
    return;
  }
  if (removeOther.run(hash, 1, waypoint).changes === 1) return;
  const next = otherShown.get(hash);
  if (next === undefined) leave.run(hash);
  else {
    move.run(hash, waypoint, next);
    removeOther.run(hash, 1, next);
  }
}

type Statements = ReturnType<typeof prepareStatements>;

function prepareStatements(db: Database) {
  return { ...prepareIdentities(db), ...prepareFurther(db), ...prepareTwins(db) };
}

const anyOf = (hashes: readonly number[]): number[] =>
  Array.from({ length: rowsAtOnce }, (_, i) => hashes[i]!);

function prepareIdentities(db: Database) {
  return {
    enter: prepare(db, (hash: number, waypoint: number) =>
      libraryTables
        .insertInto('identities')
        .values({ hash, waypoint })
        .onConflict((conflict) => conflict.doNothing()),
    ),
    /** Takes hashes and waypoints in turn. */
    enterMany: prepare(db, (pairs: readonly number[]) =>
      libraryTables
        .insertInto('identities')
        .values(
          Array.from({ length: rowsAtOnce }, (_, i) => ({
            hash: pairs[2 * i]!,
            waypoint: pairs[2 * i + 1]!,
          })),
        )
        .onConflict((conflict) => conflict.doNothing()),
    ),
    holder: prepareValue(db, (hash: number) =>
      libraryTables.selectFrom('identities').select('waypoint').where('hash', '=', hash),
    ),
    leave: prepare(db, (hash: number) =>
      libraryTables.deleteFrom('identities').where('hash', '=', hash),
    ),
    leaveMany: prepare(db, (hashes: readonly number[]) =>
      libraryTables.deleteFrom('identities').where('hash', 'in', anyOf(hashes)),
    ),
    move: prepare(db, (hash: number, from: number, to: number) =>
      libraryTables
        .updateTable('identities')
        .set({ waypoint: to })
        .where((eb) => eb.and({ hash, waypoint: from })),
    ),
  };
}

function prepareFurther(db: Database) {
  const further = libraryTables.selectFrom('further_identities');
  return {
    /** A row where one of the hashes has several waypoints. */
    shared: prepare(db, (hashes: readonly number[]) =>
      further.select('hash').where('hash', 'in', anyOf(hashes)).limit(1),
    ),
    addOther: prepare(db, (hash: number, shown: number, waypoint: number) =>
      libraryTables.insertInto('further_identities').values({ hash, shown, waypoint }),
    ),
    removeOther: prepare(db, (hash: number, shown: number, waypoint: number) =>
      libraryTables
        .deleteFrom('further_identities')
        .where((eb) => eb.and({ hash, shown, waypoint })),
    ),
    otherShown: prepareValue(db, (hash: number) =>
      further.select('waypoint').where('hash', '=', hash).where('shown', '=', 1).limit(1),
    ),
    setShown: prepare(db, (shown: number, id: number) =>
      libraryTables.updateTable('waypoints').set({ shown }).where('id', '=', id),
    ),
  };
}

function prepareTwins(db: Database) {
  return {
    /** The shown waypoint of the same identity. */
    shownTwin: prepareValue(db, (hash: number, waypoint: number) =>
      libraryTables
        .selectFrom('waypoints as w')
        .crossJoin('waypoints as t')
        .select('t.id')
        .where('w.id', '=', waypoint)
        .where(sameIdentity('t', 'w'))
        .where('t.id', 'in', shownOf(hash)),
    ),
    comesBefore: prepareValue(db, (path: string, waypoint: number) =>
      libraryTables.selectNoFrom((eb) =>
        eb(eb.val(path), '<', pathOf(eb.val(waypoint)))
          .$castTo<number>()
          .as('is_before'),
      ),
    ),
    /** The first of the hidden waypoints of the same identity that are not in the file. */
    heirOf: prepareValue(db, (hash: number, waypoint: number, { from, to }: RowRange) =>
      libraryTables
        .selectFrom('further_identities as i')
        .crossJoin('waypoints as t')
        .crossJoin('waypoints as w')
        .select('t.id')
        .where((eb) => eb.and({ 'i.hash': hash, 'i.shown': 0, 'w.id': waypoint }))
        .where((eb) => eb.or([eb('i.waypoint', '<', from), eb('i.waypoint', '>=', to)]))
        .whereRef('t.id', '=', 'i.waypoint')
        .where(sameIdentity('t', 'w'))
        .orderBy((eb) => pathOf(eb.ref('t.id')))
        .orderBy('t.id')
        .limit(1),
    ),
  };
}

/** The waypoints of a hash that are shown. */
function shownOf(hash: number) {
  return libraryTables
    .selectFrom('identities')
    .select('waypoint')
    .where('hash', '=', hash)
    .unionAll(
      libraryTables
        .selectFrom('further_identities')
        .select('waypoint')
        .where('hash', '=', hash)
        .where('shown', '=', 1),
    );
}

/** The path of the file that a waypoint is in. */
function pathOf(waypoint: Expression<number>) {
  return libraryTables
    .selectFrom('files')
    .select('path')
    .where('first_waypoint', '<=', waypoint)
    .orderBy('first_waypoint', 'desc')
    .limit(1);
}
