import { identityText } from '../../model/identity.ts';
import { normalTag } from '../../model/tag.ts';
import type { JournaledRows } from './journaled-rows.ts';

/**
 * Renames a tag of all waypoints, hidden ones included, within a transaction. A waypoint that has the new tag already keeps it
 * once.
 * @returns how many waypoints had the tag.
 */
export function renameTag({ tags, hidden }: JournaledRows, tag: string, newTag: string): number {
  const [normal, next] = [normalTag(tag), normalTag(newTag)];
  const rows = tags.spelled(normal);
  const taken = new Set(normal === next ? [] : tags.spelled(next).map(identityText));
  for (const row of rows) {
    if (taken.has(identityText(row))) tags.remove(row);
    else if (row.raw !== newTag) tags.update(row, { ...row, raw: newTag });
  }
  for (const row of hidden.tagged())
    if (row.tags.some((raw) => raw !== newTag && normalTag(raw) === normal))
      hidden.update(row, { ...row, tags: renamed(row.tags, normal, newTag) });
  return rows.length;
}

function renamed(raws: readonly string[], normal: string, newTag: string): string[] {
  const next = normalTag(newTag);
  const isThere = normal !== next && raws.some((raw) => normalTag(raw) === next);
  return raws.flatMap((raw) => {
    if (normalTag(raw) !== normal) return [raw];
    return isThere ? [] : [newTag];
  });
}
