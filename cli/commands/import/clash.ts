import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { ImportRequest } from '../../../model/import.ts';

/** Folders are looked through for at most so many names: what is beyond is told after the import instead. */
const maxNames = 200_000;
const foldsCase = process.platform === 'win32' || process.platform === 'darwin';

/**
 * The first file whose copy would take the place of one that an earlier request of the same command brings: copies are
 * kept by their path relative to the request's directory. Relative to that; undefined when there is none. Files of the
 * same size may be copies of each other, which the import passes over; only where both were given by name it is a clash.
 */
export function findClash(requests: readonly ImportRequest[]): string | undefined {
  if (new Set(requests.map(({ dir }) => dir)).size < 2) return undefined;
  const broughtBy = new Map<string, Bringer>();
  for (const { dir, files, recursive = false } of requests) {
    const isNamed = files !== undefined;
    for (const file of files ?? gpxFiles(dir, recursive)) {
      if (broughtBy.size >= maxNames) return undefined;
      const path = join(dir, file);
      const earlier = broughtBy.get(keptName(file));
      if (earlier !== undefined && earlier.dir !== dir) {
        if ((isNamed && earlier.isNamed) || sizeOf(earlier.path) !== sizeOf(path)) return file;
      }
      broughtBy.set(keptName(file), { dir, path, isNamed });
    }
  }
  return undefined;
}

/** The request that has brought a file so far. */
interface Bringer {
  readonly dir: string;
  readonly path: string;
  readonly isNamed: boolean;
}

function sizeOf(path: string): number | undefined {
  try {
    return statSync(path).size;
  } catch {
    return undefined; // The import says what is wrong with it.
  }
}

/** As the library compares names (contract D, "Private file names"). */
function keptName(file: string): string {
  const composed = file.normalize('NFC');
  return foldsCase ? composed.toLowerCase() : composed;
}

/** The GPX files that an import of a directory takes, relative to it, `/` between names. */
function* gpxFiles(dir: string, recursive: boolean, below = ''): Generator<string> {
  for (const entry of entriesOf(join(dir, below))) {
    if (entry.name.startsWith('.')) continue;
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory() && recursive) yield* gpxFiles(dir, recursive, path);
    if (entry.isFile() && /\.gpx$/iu.test(entry.name)) yield path;
  }
}

function entriesOf(directory: string) {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return []; // The import says what is wrong with it.
  }
}
