import { enrichTag } from '../../model/tag.ts';
import type { Database } from '../database.ts';
import { prepare } from '../prepared.ts';
import { waypointTables } from '../schema/waypoints.ts';
import { prepareTags } from './tags.ts';

/** Brings stored tags in line with the table of known words and symbols, which a newer version may have more of. */
export function respellTags(db: Database): void {
  const spellings = prepare(db, () =>
    waypointTables.selectFrom('tag_spellings').select(['normal', 'raw', 'enriched']),
  );
  const stale = spellings.all().filter(({ raw, enriched }) => stored(raw) !== enriched);
  if (stale.length === 0) return;
  const tags = prepareTags(db, () => undefined);
  db.transaction(() => {
    for (const { normal, raw } of stale)
      for (const row of tags.spelled(normal)) {
        if (row.raw !== raw) continue;
        const form = enrichTag(raw).normal;
        const isThere = tags.list(row).some((tag) => tag.normal === form && tag.raw !== raw);
        if (isThere) tags.remove(row);
        else tags.update(row, row);
      }
  }).immediate();
}

function stored(raw: string): string {
  return JSON.stringify(enrichTag(raw));
}
