import { identityText } from '../../model/identity.ts';
import { normalTag } from '../../model/tag.ts';
import type { JournaledRows } from './journaled-rows.ts';

/**
 * Renames a tag of all waypoints, hidden ones included, within a transaction. One that has the other tag already has it once.
 * @returns how many waypoints had the tag.
 */
export function renameTag({ tags, hidden }: JournaledRows, tag: string, newTag: string): number {
  const [normal, next] = [normalTag(tag), normalTag(newTag)];
  const rows = tags.spelled(normal);
  const present = new Set(normal === next ? [] : tags.spelled(next).map(identityText));
  for (const row of rows) {
    if (present.has(identityText(row))) tags.remove(row);
    else if (row.raw !== newTag) tags.update(row, { ...row, raw: newTag });
  }
  for (const row of hidden.tagged()) {
    const forms = row.tags.map(normalTag);
    if (!forms.includes(normal)) continue;
    const isThere = normal !== next && forms.includes(next);
    const renamed = row.tags.flatMap((raw, at) => {
      if (forms[at] !== normal) return [raw];
      return isThere ? [] : [newTag];
    });
    hidden.update(row, { ...row, tags: renamed });
  }
  return rows.length;
}
