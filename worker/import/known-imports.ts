import { statSync } from 'node:fs';
import type { ImportLookup } from '../../storage/waypoints/import-lookup.ts';

export interface KnownImportsOptions {
  readonly lookup: ImportLookup;
  /** The highest id that the library ever had. */
  readonly lastId: number;
  /** The directory that is imported; undefined where files go to a place that was asked for. */
  readonly root: string | undefined;
  /** Whether removed files come in again. */
  readonly again: boolean;
  /** Whether an import that was taken back stays so: a person who imports it once more wants it. */
  readonly isWatched: boolean;
}

/** What the user did with earlier imports that this one has to respect. */
export class KnownImports {
  readonly #options: KnownImportsOptions;
  readonly #folder: Folder | undefined;
  /** Whether a directory is still there, by its path. */
  readonly #isThere = new Map<string, boolean>();
  #lastId: number;

  constructor(options: KnownImportsOptions) {
    this.#options = options;
    this.#lastId = Math.max(options.lastId, options.lookup.lastId());
    this.#folder = options.root === undefined ? undefined : folderAt(options.root);
  }

  get isWatched(): boolean {
    return this.#options.isWatched;
  }

  /** Whether a content was removed, and is to stay so. */
  isRemoved(sha256: string): boolean {
    const { lookup, again, isWatched } = this.#options;
    return !again && lookup.isRemoved(sha256, isWatched);
  }

  /** Whether a path has or had a content. */
  isListed(pathKey: string, sha256: string): boolean {
    return this.#options.lookup.find(pathKey, sha256) !== undefined;
  }

  /** The id of a file: the one that its path had with this content before, else the next. */
  idOf(pathKey: string, sha256: string): number {
    const listed = this.#options.lookup.find(pathKey, sha256);
    if (listed !== undefined) return listed.id;
    this.#lastId += 1;
    return this.#lastId;
  }

  /** Whether the file at a path came from another directory, which is still there: both are wanted then. */
  isFromElsewhere(pathKey: string): boolean {
    if (this.#folder === undefined) return false;
    const from = this.#options.lookup.folderOf(pathKey);
    if (from === undefined || isSame(from, this.#folder)) return false;
    let isThere = this.#isThere.get(from.path);
    if (isThere === undefined) {
      const now = folderAt(from.path);
      this.#isThere.set(from.path, (isThere = now !== undefined && isSame(now, from)));
    }
    return isThere;
  }
}

interface Folder {
  readonly device: string;
  readonly inode: string;
}

function isSame(a: Folder, b: Folder): boolean {
  return a.device === b.device && a.inode === b.inode;
}

function folderAt(path: string): Folder | undefined {
  try {
    const stats = statSync(path, { bigint: true });
    if (!stats.isDirectory()) return undefined;
    return { device: stats.dev.toString(), inode: stats.ino.toString() };
  } catch {
    return undefined;
  }
}
