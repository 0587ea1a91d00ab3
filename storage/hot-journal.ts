import { readSync, statSync } from 'node:fs';
import { openFile } from './open-file.ts';

/** A database at most this large has nothing in it but what a first start writes when it switches to WAL mode. */
export const firstPageBytes = 4_096;

/** The size of a file, 0 for an absent one. */
export function bytesOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/**
 * Tells whether a writer that opens a database would play the journal beside it, unless the database is empty: SQLite
 * passes over one that is empty or whose start was zeroed.
 */
export function hasHotJournal(path: string): boolean {
  const journal = `${path}-journal`;
  if (bytesOf(journal) === 0) return false;
  const [first = 0] = firstBytes(journal, 1);
  return first !== 0;
}

/** What a file begins with, at most so many bytes. */
export function firstBytes(path: string, most: number): Buffer {
  using file = openFile(path);
  const bytes = Buffer.alloc(most);
  return bytes.subarray(0, readSync(file.fd, bytes));
}
