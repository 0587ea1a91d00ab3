import type { Database } from '../database.ts';
import type { HashedRows } from './hashed-rows.ts';

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
  const { enter, enterMany, holder, areShared, leaveMany } = statements;

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
        if (areShared.get(hashes) === 0) leaveMany.run(hashes);
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
  const twin = shownTwin.get({ hash, waypoint });
  // Within a file, hashes come by position.
  const isFirst = twin === undefined || (twin < first && comesBefore.get(path, twin) === 1);
  if (twin === undefined || !isFirst) {
    if (!isFirst) setShown.run(0, waypoint);
    addOther.run(hash, Number(isFirst), waypoint);
    return;
  }
  setShown.run(0, twin);
  if (move.run({ hash, from: twin, to: waypoint }).changes === 0) {
    removeOther.run(hash, 1, twin);
    addOther.run(hash, 1, waypoint);
  }
  addOther.run(hash, 0, twin);
}

function removeOne(
  { leave, move, heirOf, setShown, addOther, removeOther, otherShown }: Statements,
  hash: number,
  waypoint: number,
  { from, to }: RowRange,
): void {
  if (removeOther.run(hash, 0, waypoint).changes === 1) return;
  const heir = heirOf.get({ hash, waypoint, from, to });
  if (heir !== undefined) {
    setShown.run(1, heir);
    removeOther.run(hash, 0, heir);
    if (move.run({ hash, from: waypoint, to: heir }).changes === 1) return;
    removeOther.run(hash, 1, waypoint);
    addOther.run(hash, 1, heir);
    return;
  }
  if (removeOther.run(hash, 1, waypoint).changes === 1) return;
  const next = otherShown.get(hash);
  if (next === undefined) leave.run(hash);
  else {
    move.run({ hash, from: waypoint, to: next });
    removeOther.run(hash, 1, next);
  }
}

type Statements = ReturnType<typeof prepareStatements>;

function prepareStatements(db: Database) {
  const enterSql = 'INSERT INTO identities (hash, waypoint) VALUES';
  const rows = Array<string>(rowsAtOnce).fill('(?, ?)').join(', ');
  const hashes = Array<string>(rowsAtOnce).fill('?').join(', ');
  return {
    enter: db.prepare(`${enterSql} (?, ?) ON CONFLICT DO NOTHING`),
    enterMany: db.prepare(`${enterSql} ${rows} ON CONFLICT DO NOTHING`),
    holder: db.prepare<[number], number>('SELECT waypoint FROM identities WHERE hash = ?').pluck(),
    leave: db.prepare('DELETE FROM identities WHERE hash = ?'),
    leaveMany: db.prepare(`DELETE FROM identities WHERE hash IN (${hashes})`),
    areShared: db
      .prepare<[number[]], number>(
        `SELECT EXISTS (SELECT 1 FROM further_identities WHERE hash IN (${hashes}))`,
      )
      .pluck(),
    move: db.prepare(
      'UPDATE identities SET waypoint = @to WHERE hash = @hash AND waypoint = @from',
    ),
    addOther: db.prepare('INSERT INTO further_identities (hash, shown, waypoint) VALUES (?, ?, ?)'),
    removeOther: db.prepare(
      'DELETE FROM further_identities WHERE hash = ? AND shown = ? AND waypoint = ?',
    ),
    otherShown: db
      .prepare<[number], number>(
        'SELECT waypoint FROM further_identities WHERE hash = ? AND shown = 1 LIMIT 1',
      )
      .pluck(),
    setShown: db.prepare('UPDATE waypoints SET shown = ? WHERE id = ?'),
    shownTwin: db
      .prepare<[{ hash: number; waypoint: number }], number>(
        `SELECT t.id FROM waypoints AS w CROSS JOIN waypoints AS t
         WHERE w.id = @waypoint AND ${isTwin} AND t.id IN (
           SELECT waypoint FROM identities WHERE hash = @hash
           UNION ALL SELECT waypoint FROM further_identities WHERE hash = @hash AND shown = 1)`,
      )
      .pluck(),
    comesBefore: db.prepare<[string, number], number>(`SELECT ? < (${pathSql('?')})`).pluck(),
    heirOf: db
      .prepare<[{ hash: number; waypoint: number } & RowRange], number>(
        `SELECT t.id FROM further_identities AS i CROSS JOIN waypoints AS t CROSS JOIN waypoints AS w
         WHERE i.hash = @hash AND i.shown = 0 AND NOT (i.waypoint >= @from AND i.waypoint < @to)
           AND t.id = i.waypoint AND w.id = @waypoint AND ${isTwin}
         ORDER BY (${pathSql('t.id')}), t.id LIMIT 1`,
      )
      .pluck(),
  };
}

const isTwin = 't.name = w.name AND t.lat_e6 = w.lat_e6 AND t.lon_e6 = w.lon_e6';

/** The path of the file that a waypoint is in. */
function pathSql(waypoint: string): string {
  return `SELECT path FROM files WHERE first_waypoint <= ${waypoint} ORDER BY first_waypoint DESC LIMIT 1`;
}
