import { isDeepStrictEqual } from 'node:util';
import {
  type ChangeAnswer,
  type ChangeDetail,
  type ChangesAnswer,
  type ChangesQuery,
  type UndoneAnswer,
} from '../../model/change.ts';
import { WaypointError } from '../../model/failure.ts';
import { limits } from '../../model/limits.ts';
import { formatTime } from '../../model/time.ts';
import { optionalFields } from '../../storage/more-fields.ts';
import { TimeSlices } from '../../search/time-slices.ts';
import type { Bookmark, WaypointStore } from '../../storage/store.ts';
import type { HiddenRow } from '../../storage/waypoints/hidden.ts';
import type { Change, RecordedChange, RowChange } from '../../storage/waypoints/journal.ts';
import type { TagRow } from '../../storage/waypoints/tags.ts';

/** Undoes a change of imports. @returns the number of the change that does it. */
type UndoImports = (change: number) => Promise<number | undefined>;

export interface ChangesOptions {
  readonly store: WaypointStore;
  readonly libraryReady: () => Promise<void>;
  readonly undoImports: UndoImports;
}

/** A change of more than this is not looked through in a list: to tell whether it can be taken back, and for details. */
const lookedThroughBytes = { undoable: 16_384, details: 65_536 };

/** The journal of changes: what it tells, and how each of them is taken back. */
export class Changes {
  readonly #options: ChangesOptions;

  constructor(options: ChangesOptions) {
    this.#options = options;
  }

  async list(query: ChangesQuery): Promise<ChangesAnswer> {
    const { limit = limits.changesDefault, cursor, details = false } = query;
    const { changes } = this.#options.store;
    const page = changes.list(limit + 1, cursor);
    const shown = page.slice(0, limit);
    const last = page.length > limit ? shown.at(-1) : undefined;
    const told: ChangeAnswer[] = [];
    const slices = new TimeSlices();
    for (const change of shown) {
      told.push(this.#shown(change, details));
      if (slices.isOver()) await slices.next();
    }
    return { changes: told, ...(last && { next_cursor: last.id }) };
  }

  /** @throws WaypointError unknown_change, already_undone, not_undoable, later_change */
  async undo(id: number): Promise<UndoneAnswer> {
    const { store, libraryReady, undoImports } = this.#options;
    const found = store.changes.get(id);
    if (found === undefined) throw new WaypointError('unknown_change');
    const { kind, count, undoneBy, hasImports } = found;
    if (undoneBy !== null) throw new WaypointError('already_undone');
    await libraryReady();
    const change = hasImports ? await undoImports(id) : store.undo(id).change;
    if (change === undefined) throw new WaypointError('not_undoable');
    return { undone: id, kind, count, change };
  }

  #shown(change: Change, withDetails: boolean): ChangeAnswer {
    const { id, at, kind, count, undoneBy, undoes, bytes } = change;
    const isSmall = bytes <= lookedThroughBytes[withDetails ? 'details' : 'undoable'];
    const recorded = isSmall ? this.#options.store.changes.get(id) : undefined;
    return {
      id,
      at: formatTime(at),
      kind,
      count,
      undone: undoneBy !== null,
      undoable: this.#isUndoable(change, recorded),
      ...(undoes !== null && { undoes }),
      ...(withDetails && { details: this.#details(change, recorded) }),
    };
  }

  #details({ id }: Change, recorded: RecordedChange | undefined): ChangeDetail[] {
    const paths = this.#options.store.imports.pathsOf(id, limits.changeDetails);
    return [...detailsOf(recorded), ...paths.map((path) => ({ what: 'file' as const, path }))];
  }

  #isUndoable({ undoneBy }: Change, recorded: RecordedChange | undefined): boolean {
    const { store } = this.#options;
    if (undoneBy !== null) return false;
    if (recorded === undefined) return true;
    if (recorded.hasImports) return store.imports.isAsLeft(recorded.id);
    return recorded.rows.length > 0 && store.isAsLeft(recorded);
  }
}

function detailsOf(recorded: RecordedChange | undefined): ChangeDetail[] {
  const details: ChangeDetail[] = [];
  for (const row of recorded?.rows ?? []) {
    if (details.length === limits.changeDetails) break;
    details.push(...detailOf(row));
  }
  return details;
}

/** Nothing for a row that only has to be as it was. */
function detailOf(change: RowChange): ChangeDetail[] {
  if (change.of === 'correction') {
    const { id: _, ...correction } = (change.after ?? change.before)!;
    return [{ what: change.of, correction }];
  }
  const { of: what, ...row } = change;
  const [before, after] = [row.before, row.after].map((one) => one && shownRow(one));
  if (isDeepStrictEqual(before, after)) return [];
  return [{ what, ...(before && { before }), ...(after && { after }) }];
}

function shownRow(row: Bookmark | TagRow | HiddenRow): NonNullable<ChangeDetail['after']> {
  const { name } = row;
  if ('raw' in row) return { name, lat: row.latE6 / 1e6, lon: row.lonE6 / 1e6, tag: row.raw };
  const { lat, lon } = row;
  if ('bookmarkId' in row) return { name, lat, lon };
  return { name, lat, lon, ...optionalFields(row) };
}
