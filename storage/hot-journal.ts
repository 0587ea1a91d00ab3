import { readSync, statSync } from 'node:fs';
import { openFile } from './open-file.ts';

/** The most that a first start writes when it switches to WAL mode. */
export const firstPageBytes = 4_096;

/** The size of a file, 0 for an absent one. */
export function bytesOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** Whether a writer would play the journal beside a database: SQLite ignores an empty one, and one whose start is zeroed. */
export function hasHotJournal(path: string): boolean {
  const journal = `${path}-journal`;
  if (bytesOf(journal) === 0) return false;
  const [first = 0] = firstBytes(journal, 1);
  return first !== 0;
}

/** The first bytes of a file, at most so many. */
export function firstBytes(path: string, most: number): Buffer {
  using file = openFile(path);
  const bytes = Buffer.alloc(most);
  return bytes.subarray(0, readSync(file.fd, bytes));
}
