import { identityText, placeText } from '../../model/identity.ts';
import type { Place } from '../../model/waypoint.ts';
import { openReader, orClosed } from '../database.ts';
import type { WaypointFields } from '../../model/waypoint-fields.ts';
import { optionalFields } from '../more-fields.ts';
import { prepare } from '../prepared.ts';
import { waypointTables } from '../schema/waypoints.ts';
import { prepareBookmarks } from './bookmarks.ts';
import { prepareMeta } from './meta.ts';
import { prepareStamps } from './stamps.ts';

/** All that a bookmark says, with its tags raw. */
export interface BookmarkContent extends Place {
  readonly fields: WaypointFields;
  readonly tags: readonly string[];
}

/** A bookmark, or that it was deleted, as one store or file has it. */
export interface BookmarkState {
  /** UUID. */
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly changed: number;
  /** Absent for a deleted one. */
  readonly content?: BookmarkContent;
}

export interface StoredState extends BookmarkState {
  /** Revision of the store with its last change. */
  readonly revision: number;
}

/** Opens `waypoints.sqlite` to read all bookmarks with their stamps as of one moment; bookmarks in creation order. */
export function openStampedBookmarks(waypointsPath: string) {
  return orClosed(openReader(waypointsPath), (db) => {
    db.exec('BEGIN');
    const revision = Number(prepareMeta(db).revision());
    const tags = tagsByIdentity(
      prepare(db, () =>
        waypointTables.selectFrom('tags').select(['name', 'lat_e6', 'lon_e6', 'raw']).orderBy('id'),
      ).all(),
    );
    const stamps = prepareStamps(db).all();
    const byRow = new Map(stamps.map((stamp) => [stamp.bookmark_id, stamp]));
    const live: (StoredState & { readonly content: BookmarkContent })[] = [];
    for (const { id: row, name, lat, lon, ...optional } of prepareBookmarks(db, () => {}).all()) {
      const stamp = byRow.get(row);
      if (stamp === undefined) throw new Error('A bookmark has no stamp.');
      const own = tags.get(placeText({ name, lat, lon })) ?? [];
      const content = { name, lat, lon, fields: optionalFields(optional), tags: own };
      live.push({ id: stamp.uuid, changed: stamp.changed, revision: stamp.revision, content });
    }
    const deleted = stamps.filter((stamp) => stamp.is_deleted === 1);
    return {
      /** As StoreMeta.revision. */
      revision,
      live,
      tags,
      deleted: deleted.map(({ uuid: id, ...stamp }): StoredState => ({ id, ...stamp })),
      close: () => db.close(),
    };
  });
}

interface TagColumns {
  readonly name: string;
  readonly lat_e6: number;
  readonly lon_e6: number;
  readonly raw: string;
}

function tagsByIdentity(rows: readonly TagColumns[]): ReadonlyMap<string, readonly string[]> {
  const tags = new Map<string, string[]>();
  for (const { name, lat_e6: latE6, lon_e6: lonE6, raw } of rows) {
    const key = identityText({ name, latE6, lonE6 });
    const list = tags.get(key);
    if (list === undefined) tags.set(key, [raw]);
    else list.push(raw);
  }
  return tags;
}
