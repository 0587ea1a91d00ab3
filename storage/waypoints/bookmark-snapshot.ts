import { sql } from 'kysely';
import { openReader, type Database } from '../database.ts';
import { sameIdentity } from '../schema/identity-columns.ts';
import { prepare } from '../prepared.ts';
import { optionalFields, readMore } from '../more-fields.ts';
import type { BookmarkFields } from './bookmarks.ts';
import { prepareMeta } from './meta.ts';
import { waypointTables } from '../schema/waypoints.ts';

/** A bookmark with its raw tags, in the order they were added. */
export interface TaggedBookmark extends BookmarkFields {
  readonly tags: readonly string[];
}

/** All bookmarks as they were at one moment. */
export interface BookmarkSnapshot {
  /** As StoreMeta.revision, of this moment. */
  readonly revision: string;
  /** All bookmarks in creation order; read once. */
  bookmarks(): Generator<TaggedBookmark>;
  /** Ends the read transaction; a forgotten one lets the write-ahead log grow. */
  close(): void;
}

function prepareTagged(db: Database) {
  return prepare(db, () =>
    waypointTables
      .selectFrom('bookmarks as b')
      .select(['b.name', 'b.lat', 'b.lon', 'b.ele', 'b.time', 'b.desc', 'b.more'])
      .select((outer) =>
        outer
          .selectFrom('tags as t')
          .select((eb) =>
            sql<string>`json_group_array(${eb.ref('t.raw')} ORDER BY ${eb.ref('t.id')})`.as('tags'),
          )
          .where(sameIdentity('t', 'b'))
          .as('tags'),
      )
      .orderBy('b.id'),
  );
}

/** Opens `waypoints.sqlite` on a connection of its own, inside one read transaction. */
export function openBookmarkSnapshot(waypointsPath: string): BookmarkSnapshot {
  const db = openReader(waypointsPath);
  try {
    db.exec('BEGIN');
    // The first read fixes the moment; bookmarks() then sees what belongs to this revision.
    const revision = prepareMeta(db).revision();
    return {
      revision,
      *bookmarks() {
        for (const { name, lat, lon, tags, more, ...optionals } of prepareTagged(db).iterate()) {
          // Sound: the column is an array of the texts of tags.raw.
          const raws = JSON.parse(tags ?? '[]') as string[];
          const fields = { ...optionalFields(optionals), ...readMore(more) };
          yield { name, lat, lon, ...fields, tags: raws };
        }
      },
      close: () => db.close(),
    };
  } catch (error) {
    db.close();
    throw error;
  }
}
