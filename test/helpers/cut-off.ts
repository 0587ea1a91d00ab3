import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { ExecutionContext } from 'ava';
import { temporaryDirectory } from './temporary-directory.ts';

/** Leaves a store as a crash in the middle of a transaction does: half of it in the file, the way back in a journal. */
export function cutOff(t: ExecutionContext, path: string): void {
  const copy = join(temporaryDirectory(t), 'waypoints.sqlite');
  const db = new Database(path);
  db.pragma('journal_mode = DELETE');
  db.pragma('cache_size = 2');
  db.exec('BEGIN; CREATE TABLE filler (x)');
  for (let i = 0; i < 200; i++) db.prepare('INSERT INTO filler VALUES (?)').run('x'.repeat(4_000));
  for (const end of ['', '-journal']) copyFileSync(path + end, copy + end);
  db.exec('ROLLBACK');
  db.close();
  for (const end of ['', '-journal']) copyFileSync(copy + end, path + end);
}
