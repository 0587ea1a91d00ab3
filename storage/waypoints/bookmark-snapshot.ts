import { openReader } from '../database.ts';
import { optionalFields, type BookmarkFields, type BookmarkRow } from './bookmarks.ts';

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

interface TaggedRow extends Omit<BookmarkRow, 'id'> {
  tags: string;
}

const sql = `
  SELECT name, lat, lon, ele, time, desc, (
    SELECT json_group_array(t.raw ORDER BY t.id) FROM tags AS t
    WHERE t.name = b.name AND t.lat_e6 = b.lat_e6 AND t.lon_e6 = b.lon_e6
  ) AS tags
  FROM bookmarks AS b ORDER BY id`;

/** Opens `waypoints.sqlite` on a connection of its own, inside one read transaction. */
export function openBookmarkSnapshot(waypointsPath: string): BookmarkSnapshot {
  const db = openReader(waypointsPath);
  try {
    db.exec('BEGIN');
    // The first read fixes the moment; bookmarks() then sees what belongs to this revision.
    const revision = db
      .prepare<[], string>("SELECT value FROM meta WHERE key = 'revision'")
      .pluck()
      .get();
    return {
      revision: revision ?? '',
      *bookmarks() {
        for (const row of db.prepare<[], TaggedRow>(sql).iterate()) yield toTaggedBookmark(row);
      },
      close: () => db.close(),
    };
  } catch (error) {
    db.close();
    throw error;
  }
}

function toTaggedBookmark({ name, lat, lon, tags, ...optionals }: TaggedRow): TaggedBookmark {
  // Sound: the column is an array of the texts of tags.raw.
  return { name, lat, lon, ...optionalFields(optionals), tags: JSON.parse(tags) as string[] };
}
