import { openWriter, type Database } from '../../storage/database.ts';
import { identityOf } from '../../model/identity.ts';
import { JournaledRows } from '../../storage/waypoints/journaled-rows.ts';

/** Adds bookmarks with one tag while no daemon runs, as one change. */
export function addBookmarks(database: string, count: number): void {
  written(database, (rows) =>
    rows.transaction('merge', () => {
      for (let at = 0; at < count; at += 1) addOne(rows, at, 'old');
    }),
  );
}

/** Adds changes of the journal while no daemon runs: a bookmark with a tag each. */
export function addChanges(database: string, count: number): void {
  written(database, (rows) => {
    for (let at = 0; at < count; at += 1)
      rows.transaction('bookmark_add', () => addOne(rows, at, 'home'));
  });
}

function addOne({ bookmarks, tags }: JournaledRows, at: number, tag: string): void {
  const { name, lat, lon } = bookmarks.add({ name: `B${at}`, lat: at % 90, lon: at % 180 });
  tags.addAll(identityOf(name, lat, lon), [tag]);
}

function written(database: string, write: (rows: JournaledRows) => void): void {
  const db: Database = openWriter(database, 'normal');
  try {
    db.pragma('synchronous = OFF');
    write(new JournaledRows(db, Date.now));
    db.pragma('wal_checkpoint(TRUNCATE)');
  } finally {
    db.close();
  }
}
