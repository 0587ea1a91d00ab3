import { WaypointError } from '../../model/failure.ts';
import type { ChangeKind } from '../../model/change-words.ts';
import type { RecordedChange, RowChange } from './journal.ts';
import type { Changed, JournaledRows, StoreChange } from './journaled-rows.ts';
import { renameTag } from './rename-tag.ts';
import { isAsLeft, takeBack, type CanShow } from './take-back.ts';

/** Of one change in a list. */
const lookedAtRows = 3;

/** A change that may be long: it yields after each slice of a few milliseconds what that has changed. */
export type LongChange<T> = Generator<StoreChange | undefined, Changed<T>>;

/** Changes that may concern any number of rows: a tag of all waypoints, and what takes changes back. */
export class LongChanges {
  readonly #rows: JournaledRows;
  readonly #canShow: CanShow;

  /** @param canShow of a library that is whole. */
  constructor(rows: JournaledRows, canShow: CanShow) {
    this.#rows = rows;
    this.#canShow = canShow;
  }

  /** @returns how many waypoints had the tag. */
  *renameTag(tag: string, newTag: string): LongChange<number> {
    const { writes, count, isLong } = renameTag(this.#rows, tag, newTag);
    const all = (): number => {
      for (const write of writes) write();
      return count();
    };
    if (!isLong) return this.#rows.transaction('tag_rename', all);
    return yield* this.#asWhole(this.#rows.inParts('tag_rename', writes), count);
  }

  /** Whether what a change touched is as it has left it, as far as its last rows tell: a list asks this of each. */
  isAsLeft(change: RecordedChange): boolean {
    const [last] = change.parts === undefined ? [change] : this.#rows.journal.partsOf(change);
    return last !== undefined && isAsLeft(this.#rows, last.rows.slice(-lookedAtRows));
  }

  /**
   * Takes a change of rows back, as one change more. The library is whole.
   * @throws WaypointError unknown_change, already_undone, not_undoable, later_change
   */
  *undo(id: number): LongChange<RecordedChange> {
    const target = this.#rows.journal.get(id);
    if (target?.isFinished !== true) throw new WaypointError('unknown_change');
    if (target.undoneBy !== null) throw new WaypointError('already_undone');
    if (target.parts !== undefined) {
      yield* this.#requireAsLeft(target);
      return yield* this.#asWhole(this.#takePartsBack(target), () => target);
    }
    if (target.rows.length === 0) throw new WaypointError('not_undoable');
    const write = (): RecordedChange => {
      this.#takeBack(target.rows);
      return target;
    };
    return this.#rows.transaction('undo', write, id);
  }

  /**
   * Takes back what was done of a long change that a crash has cut off: it is as if it had not been begun. Cut off itself,
   * it goes on where it was.
   */
  *mend(): Generator<StoreChange | undefined, void> {
    const cutOff = this.#rows.endCutOff();
    // What a mending that was cut off has taken back is not as the change has left it.
    const isLeft = ({ rows }: RecordedChange): boolean => isAsLeft(this.#rows, rows);
    if (cutOff !== undefined) yield* this.#takePartsBack(this.#rows.journal.get(cutOff)!, isLeft);
  }

  *#takePartsBack(
    target: RecordedChange,
    isToTakeBack = (_part: RecordedChange): boolean => true,
  ): Generator<StoreChange | undefined, number | undefined> {
    const parts = this.#rows.journal.partsOf(target);
    const takeBack = this.#takeBack.bind(this);
    function* writes(): Generator<() => void> {
      for (const part of parts) if (isToTakeBack(part)) yield () => takeBack(part.rows);
    }
    return yield* this.#rows.inParts('undo', writes(), target.id);
  }

  /** @throws WaypointError later_change; not_undoable when parts are forgotten. */
  *#requireAsLeft(target: RecordedChange): Generator<undefined, void> {
    let first = target.id;
    for (const { id, rows } of this.#rows.journal.partsOf(target)) {
      if (!isAsLeft(this.#rows, rows)) throw new WaypointError('later_change');
      first = id;
      yield;
    }
    if (first !== target.parts) throw new WaypointError('not_undoable');
  }

  /** A refusal on the way takes back what was done until then. */
  *#asWhole<T>(
    parts: Generator<StoreChange | undefined, number | undefined>,
    result: () => T,
  ): LongChange<T> {
    try {
      const id = yield* parts;
      return { result: result(), change: id === undefined ? undefined : { id, rows: [] } };
    } catch (error) {
      if (error instanceof WaypointError) yield* this.mend();
      throw error;
    }
  }

  /** Writes and takes it back, in one transaction; the journal has both. @returns false when there was nothing to write. */
  offer(kind: ChangeKind, write: () => void): boolean {
    return this.#rows.offer(kind, write, (rows) => this.#takeBack(rows));
  }

  #takeBack(rows: readonly RowChange[]): void {
    takeBack(this.#rows, rows, this.#canShow);
  }
}
