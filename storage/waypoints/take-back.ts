import { errorCode } from '../../model/error-code.ts';
import { WaypointError } from '../../model/failure.ts';
import { keyOf, type IdentityKey } from '../../model/identity.ts';
import { limits } from '../../model/limits.ts';
import type { RowChange } from './journal.ts';
import type { JournaledRows } from './journaled-rows.ts';
import { isSameRow, putBack } from './row-change.ts';

/** Whether an imported waypoint of an identity shows where no bookmark is. */
export type CanShow = (key: IdentityKey) => boolean;

/** Tells whether all rows are as a change has left them. */
export function isAsLeft(stores: JournaledRows, rows: readonly RowChange[]): boolean {
  const last = new Map(rows.map((row) => [`${row.of} ${(row.before ?? row.after)!.id}`, row]));
  return [...last.values()].every(({ of, before, after }) =>
    isSameRow(rowsOf(stores, of).get((before ?? after)!.id) ?? null, after),
  );
}

function rowsOf(stores: JournaledRows, of: RowChange['of']) {
  const { bookmarks, corrections, hidden, tags } = stores;
  return { bookmark: bookmarks, correction: corrections, hidden, tag: tags }[of];
}

/**
 * Puts all rows back as they were before a change, within a transaction that a refusal undoes.
 * @throws WaypointError later_change
 */
export function takeBack(
  stores: JournaledRows,
  rows: readonly RowChange[],
  canShow: CanShow,
): void {
  try {
    for (const row of rows.toReversed()) {
      if (row.of === 'bookmark') putBack(stores.bookmarks, row);
      else if (row.of === 'tag') putBack(stores.tags, row);
      else if (row.of === 'correction') putBack(stores.corrections, row);
      else putBack(stores.hidden, row);
    }
  } catch (error) {
    // Something else has its name and place now.
    if (errorCode(error)?.startsWith('SQLITE_CONSTRAINT') !== true) throw error;
    throw new WaypointError('later_change', { cause: error });
  }
  requireWhole(stores, rows, canShow);
}

/** Tags that came since must not be left without a waypoint, nor be too many with those that are back. */
function requireWhole(
  { bookmarks, corrections, tags }: JournaledRows,
  rows: readonly RowChange[],
  canShow: CanShow,
): void {
  const ids = new Set(
    rows.flatMap((row) => (row.of === 'tag' ? [(row.after ?? row.before)!.id] : [])),
  );
  for (const row of rows) {
    if (row.of === 'bookmark' && row.after !== null) {
      const key = keyOf(row.after);
      if (bookmarks.findExact(key) !== undefined || canShow(key)) continue;
      if (tags.rows(key).some(({ id }) => !ids.has(id))) throw new WaypointError('later_change');
    } else if (row.of === 'correction' && corrections.count() > limits.corrections) {
      throw new WaypointError('too_many_corrections');
    } else if (row.of === 'tag' && row.after === null) {
      if (tags.list(row.before!).length > limits.tagsPerWaypoint)
        throw new WaypointError('later_change');
    }
  }
}
