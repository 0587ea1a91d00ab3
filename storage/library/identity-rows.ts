import type { Database } from '../database.ts';
import { HashedRows, type HashedRow } from './hashed-rows.ts';
import {
  listed,
  prepareIdentityStatements,
  type Newcomer,
  type RowRange,
} from './identity-statements.ts';
import { prepareTwinFields } from './twin-fields.ts';

type Statements = ReturnType<typeof prepareIdentityStatements>;

/**
 * Keeps `identities`, `further_identities` and the column `shown` of `waypoints` right. Rows whose hash is theirs alone,
 * nearly all, are entered and removed by hash; the others by position, because twins mostly lie side by side in their
 * files: so each page is touched once, and not once for each row.
 */
export type IdentityRows = ReturnType<typeof prepareIdentityRows>;

export function prepareIdentityRows(db: Database) {
  const statements = prepareIdentityStatements(db);
  const fields = prepareTwinFields(db);
  const shared = new HashedRows();

  /** Does what needs no look at the waypoints, and gives those of which not all of that was done. */
  function sharedOf(rows: HashedRows, statement: Statements['enter']): Generator<HashedRow[]> {
    shared.clear(rows.first);
    for (const batch of rows.byHash()) enter(batch, statement);
    return shared.byWaypoint();
  }

  function enter(batch: readonly HashedRow[], statement: Statements['enter']): void {
    if (statement.run(listed(batch)).changes === batch.length) return;
    for (const [hash, waypoint] of batch) shared.add(hash, waypoint);
  }

  return {
    /** Enters waypoints that were just inserted as shown, and hides those that have a twin. */
    add(rows: HashedRows, newcomer: Newcomer): void {
      for (const batch of sharedOf(rows, statements.enter))
        fields.note(addShared(statements, batch, newcomer));
    },
    /** Removes waypoints that are deleted next; twins outside of their file show instead. */
    remove(rows: HashedRows, file: RowRange): void {
      for (const batch of sharedOf(rows, statements.leave)) {
        removeShared(statements, batch, file);
        fields.noteLeft(batch);
      }
    },
    /** Ends changes: has those that show say what their twins, as they are now, do. */
    merge: fields.merge,
  };
}

/**
 * Adds waypoints whose hash is there already: of one identity with its holder, but for hashes that two identities share.
 * @returns those that say other things than their twins.
 */
function addShared(
  statements: Statements,
  batch: readonly HashedRow[],
  newcomer: Newcomer,
): HashedRow[] {
  const different: HashedRow[] = [];
  const { holders, move, addFurther, removeFurther, setShown } = statements;
  const hidden: HashedRow[] = [];
  const left: HashedRow[] = [];
  const moved = new Map<number, number>();
  for (const row of holders.all(newcomer, listed(batch))) {
    const { hash, waypoint, holder } = row;
    // The first of the file that takes the place of a leaving one was not compared with the next.
    const isDifferent = row.mayDiffer === 1 || row.isTwin === 0 || moved.has(hash);
    if (isDifferent) different.push([hash, waypoint]);
    if (row.isTwin === 0) addCollided(statements, [hash, waypoint], newcomer);
    else if (row.isBefore === 1 && !moved.has(hash)) {
      moved.set(hash, waypoint);
      if (row.isLeaving === 0) hidden.push([hash, holder]);
      else succeed(newcomer, holder);
    } else {
      hidden.push([hash, waypoint]);
      if (row.onlyLeaving !== null) left.push([hash, row.onlyLeaving]);
    }
  }
  move.run(listed([...moved]));
  for (const [, waypoint] of left) succeed(newcomer, waypoint);
  removeFurther.run(0, listed(left));
  addFurther.run(0, listed(hidden));
  setShown.run(0, listed(hidden));
  return different;
}

function succeed({ isSucceeded, leavingFrom }: Newcomer, waypoint: number): void {
  isSucceeded[waypoint - leavingFrom] = 1;
}

/** Adds a waypoint whose hash belongs to another identity. */
function addCollided(
  { collidedTwin, addFurther, removeFurther, setShown }: Statements,
  [hash, waypoint]: HashedRow,
  newcomer: Newcomer,
): void {
  const one = listed([[hash, waypoint]]);
  const found = collidedTwin.get(newcomer, hash, waypoint);
  if (found === undefined) {
    addFurther.run(1, one);
    return;
  }
  const twin = listed([[hash, found.id]]);
  const hidden = found.isBefore === 1 ? twin : one;
  if (hidden === twin) {
    removeFurther.run(1, twin);
    addFurther.run(1, one);
  }
  addFurther.run(0, hidden);
  setShown.run(0, hidden);
}

/** Removes waypoints whose hash others have, too. */
function removeShared(statements: Statements, batch: readonly HashedRow[], file: RowRange): void {
  const { shownOf, move, addFurther, removeFurther, setShown } = statements;
  const pairs = listed(batch);
  removeFurther.run(0, pairs);
  const heirs = heirsOf(statements, pairs, file);
  const inherited: HashedRow[] = [];
  const moved: HashedRow[] = [];
  const last: HashedRow[] = [];
  for (const { hash, waypoint, isHolder } of shownOf.all(pairs)) {
    const heir = heirs.get(waypoint)?.id;
    if (heir === undefined) {
      last.push([hash, waypoint]);
      continue;
    }
    inherited.push([hash, heir]);
    if (isHolder === 1) moved.push([hash, heir]);
    else {
      removeFurther.run(1, listed([[hash, waypoint]]));
      addFurther.run(1, listed([[hash, heir]]));
    }
  }
  move.run(listed(moved));
  removeFurther.run(0, listed(inherited));
  setShown.run(1, listed(inherited));
  for (const row of last) removeLast(statements, row);
}

interface Heir {
  readonly id: number;
  readonly path: string;
}

/** For each of the waypoints that shows, the first of the hidden ones of its identity that are not in the file. */
function heirsOf({ hiddenTwins }: Statements, pairs: string, file: RowRange): Map<number, Heir> {
  const heirs = new Map<number, Heir>();
  // One at a time: an identity may have any number.
  for (const { waypoint, id, path } of hiddenTwins.iterate(pairs, file)) {
    const first = heirs.get(waypoint);
    if (first === undefined || comparePaths(path, id, first) < 0) heirs.set(waypoint, { id, path });
  }
  return heirs;
}

/** Paths are in byte order, as in SQLite; within a file, ids ascend. */
function comparePaths(path: string, id: number, first: Heir): number {
  if (path === first.path) return id - first.id;
  return Buffer.compare(Buffer.from(path), Buffer.from(first.path));
}

/** Removes a waypoint whose identity nothing else has; another identity of the hash may hold it from then on. */
function removeLast(statements: Statements, [hash, waypoint]: HashedRow): void {
  const { removeFurther, otherShown, move, removeHash } = statements;
  if (removeFurther.run(1, listed([[hash, waypoint]])).changes === 1) return;
  const next = otherShown.get(hash);
  if (next === undefined) {
    removeHash.run(hash);
    return;
  }
  const pair = listed([[hash, next]]);
  move.run(pair);
  removeFurther.run(1, pair);
}
