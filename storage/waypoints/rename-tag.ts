import type { IdentityKey } from '../../model/identity.ts';
import { normalTag } from '../../model/tag.ts';
import type { JournaledRows } from './journaled-rows.ts';
import { rowsAtOnce } from './take-back.ts';

/** Renames a tag of all waypoints, hidden ones included. One that has the other tag already has it once. */
export function renameTag({ tags, hidden }: JournaledRows, tag: string, newTag: string) {
  const [normal, next] = [normalTag(tag), normalTag(newTag)];
  let count = 0;
  function* writes(): Generator<() => void> {
    let last: IdentityKey | undefined;
    do {
      const slice = tags.spelled(normal, rowsAtOnce, last);
      yield () => {
        for (const row of slice) {
          if (normal !== next && tags.has(row, next)) tags.remove(row);
          else if (row.raw !== newTag) tags.update(row, { ...row, raw: newTag });
        }
        count += slice.length;
      };
      last = slice.length < rowsAtOnce ? undefined : slice.at(-1);
    } while (last !== undefined);
    let rows = hidden.tagged(0, rowsAtOnce);
    for (; rows.length > 0; rows = hidden.tagged(rows.at(-1)!.id, rowsAtOnce))
      yield () => {
        for (const row of rows)
          if (row.tags.some((raw) => normalTag(raw) === normal))
            hidden.update(row, { ...row, tags: renamed(row.tags) });
      };
  }
  function renamed(raws: readonly string[]): string[] {
    const isThere = normal !== next && raws.some((raw) => normalTag(raw) === next);
    return raws.flatMap((raw) => {
      if (normalTag(raw) !== normal) return [raw];
      return isThere ? [] : [newTag];
    });
  }
  return {
    /** Each to be called before the next is asked for. */
    writes: writes(),
    /** How many waypoints had the tag, of what was done. */
    count: () => count,
    /** More than a few rows: to be done in slices. */
    isLong: [tags.spelled(normal, rowsAtOnce), hidden.tagged(0, rowsAtOnce)].some(
      (rows) => rows.length === rowsAtOnce,
    ),
  };
}
