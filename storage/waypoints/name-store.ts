import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import type { Database } from '../database.ts';
import { prepareMeta } from './meta.ts';

/**
 * Gives a store that was copied, or restored, a name of its own: from there on it takes another course, of which what
 * bookmarks files say of revisions of the first one is not true. A file is known by its number and its birth.
 */
export function nameStore(db: Database): void {
  const meta = prepareMeta(db);
  const { ino, birthtimeNs } = statSync(db.name, { bigint: true });
  const file = `${ino} ${birthtimeNs}`;
  if (meta.get('file') === file) return;
  db.transaction(() => {
    meta.set('store', randomBytes(8).toString('hex'));
    meta.set('file', file);
  }).immediate();
}
