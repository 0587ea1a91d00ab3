import { WaypointError } from '../../model/failure.ts';
import { keyOf } from '../../model/identity.ts';
import type { Place } from '../../model/waypoint.ts';
import { theUser, type HiddenRow } from './hidden.ts';
import type { JournaledRows } from './journaled-rows.ts';

/**
 * Hides an imported waypoint that shows, with its tags, whatever file it comes from now or later.
 * @throws WaypointError is_a_bookmark
 */
export function hideWaypoint(rows: JournaledRows, { name, lat, lon }: Place): void {
  const key = keyOf({ name, lat, lon });
  if (rows.bookmarks.findExact(key) !== undefined) throw new WaypointError('is_a_bookmark');
  const tags = rows.tags.list(key).map(({ raw }) => raw);
  rows.tags.removeAll(key);
  rows.hidden.add({ name, lat, lon, bookmarkId: theUser, tags });
}

/** Shows a hidden waypoint again with its tags, unless something else hides it, too: that keeps them then. */
export function release({ hidden, tags }: JournaledRows, row: HiddenRow): void {
  const key = keyOf(row);
  hidden.remove(row);
  const [other] = hidden.at(key);
  if (other === undefined) tags.addAll(key, row.tags);
  else hidden.update(other, { ...other, tags: [...new Set([...other.tags, ...row.tags])] });
}
