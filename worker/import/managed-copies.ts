import {
  accessSync,
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  rmdirSync,
  rmSync,
  utimesSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { errorCode } from '../../model/error-code.ts';
import { isDiskFull } from '../../model/failure.ts';
import { limits } from '../../model/limits.ts';
import { isLookedInto } from '../../model/recorder-formats.ts';
import { renameOver, syncDirectory, syncFile } from '../../storage/atomic-file.ts';
import type { FileStamp } from '../../storage/library/writer.ts';
import { FileRefused } from '../../formats/refused.ts';
import { asFarAsAllowed, entriesOf, isForbidden, readEntries, sweep } from './tidy-directory.ts';
import { temporaryPath } from './copy-path.ts';
import { hashFile } from './own-file.ts';

const replacedName = '.replaced';
const digestName = /^[0-9a-f]{64}\.gpx$/u;
/** What the file system says when the name of a copy itself is impossible there, or (EBUSY) another program holds it. */
const refusedCodes = 'ENOTDIR EISDIR ENAMETOOLONG ELOOP EINVAL EILSEQ EBUSY'.split(' ');

/** Where the bytes of a content are kept that is replaced or removed. */
export function keptPath(importsDirectory: string, sha256: string): string {
  return join(importsDirectory, replacedName, `${sha256}.gpx`);
}

/** A file below `imports/`, as the library stamps it. */
export interface ManagedFile extends FileStamp {
  readonly path: string;
}

/** The managed copies below `imports/`, and the old bytes of replaced ones. Paths are relative, with `/`. */
export class ManagedCopies {
  readonly #root: string;
  readonly #replaced: string;
  readonly #now: number;
  readonly #touched = new Set<string>();

  /** @param now ms since 1970. */
  constructor(root: string, now: number) {
    this.#root = root;
    this.#replaced = join(root, replacedName);
    this.#now = now;
  }

  absolute(path: string): string {
    return join(this.#root, path);
  }

  /** Where a file is copied to, beside its own place. */
  temporary(path: string): string {
    return this.absolute(temporaryPath(path));
  }

  /**
   * Tells what lies at a path.
   * @returns undefined for nothing.
   * @throws FileRefused unreadable, where no regular file is or could be.
   */
  find(path: string): FileStamp | undefined {
    try {
      const stats = lstatSync(this.absolute(path), { bigint: true, throwIfNoEntry: false });
      if (stats === undefined) return undefined;
      if (!stats.isFile()) throw new FileRefused('unreadable');
      return { size: Number(stats.size), mtimeNs: stats.mtimeNs.toString() };
    } catch (error) {
      throw this.refusal(error);
    }
  }

  /**
   * What an error met in the place of one file means. A name that the file system refuses, or a place where this user may
   * not do what an import does, fails that file; all else, such as a full disk or an `imports/` that is closed as a
   * whole, is not the file's fault.
   */
  refusal(error: unknown): unknown {
    if (refusedCodes.includes(errorCode(error) ?? '')) return new FileRefused('unreadable');
    return isForbidden(error) && isOpen(this.#root) ? new FileRefused('unreadable') : error;
  }

  /** Tells whether a file lies there as the library knows it. */
  isIntact(path: string, { size, mtimeNs }: FileStamp): boolean {
    try {
      const there = this.find(path);
      return there?.size === size && there.mtimeNs === mtimeNs;
    } catch (error) {
      if (error instanceof FileRefused) return false;
      throw error;
    }
  }

  /**
   * Makes the directories on the way to a file; what is there must be real directories, never links.
   * @returns the ones made, outermost first, for {@link removeDirectories}.
   * @throws FileRefused unreadable
   */
  makeDirectories(path: string): string[] {
    const made: string[] = [];
    try {
      let directory = this.#root;
      for (const name of path.split('/').slice(0, -1)) {
        const parent = directory;
        directory = join(parent, name);
        if (isDirectory(directory)) continue;
        this.#touch(parent);
        mkdirSync(directory, { mode: 0o700 });
        made.push(directory);
      }
    } catch (error) {
      this.removeDirectories(made);
      throw this.refusal(error);
    }
    return made;
  }

  /** Removes directories that were made for a file which did not come. */
  removeDirectories(made: readonly string[]): void {
    for (const directory of made.toReversed()) {
      try {
        rmdirSync(directory);
      } catch {
        // No longer empty, which is as well.
        return;
      }
    }
  }

  /**
   * Puts a finished copy, which is synced, in its place; the old bytes there are kept, linked by their hash.
   * @param old the SHA-256 of the bytes in that place; undefined when there are none.
   * @returns how to undo it.
   */
  place(temporary: string, path: string, old: string | undefined): () => void {
    const target = this.absolute(path);
    this.#touch(dirname(target));
    const kept = old === undefined ? undefined : this.#keep(target, old);
    renameOver(temporary, target);
    return () => {
      if (kept === undefined) rmSync(target, { force: true });
      else renameOver(kept, target);
    };
  }

  /** Takes a file out of its place; its bytes are kept, linked by their hash. */
  withdraw(path: string, sha256: string): void {
    const target = this.absolute(path);
    this.#touch(dirname(target));
    this.#keep(target, sha256);
    rmSync(target);
  }

  isKept(sha256: string): boolean {
    return existsSync(keptPath(this.#root, sha256));
  }

  /** The contents whose bytes are kept. */
  kept(): string[] {
    const names = entriesOf(this.#replaced).map(({ name }) => name);
    return names.filter((name) => digestName.test(name)).map((name) => name.slice(0, -4));
  }

  /** Copies kept bytes to a temporary file, synced; on a full disk it is another name of theirs. @returns false where they are not kept any more. */
  takeKept(sha256: string, temporary: string): boolean {
    const kept = keptPath(this.#root, sha256);
    if (lstatSync(kept, { throwIfNoEntry: false })?.isFile() !== true) return false;
    try {
      copyDurably(kept, temporary, this.#now / 1_000);
    } catch (error) {
      if (!isDiskFull(error)) throw error;
      rmSync(temporary, { force: true });
      linkDurably(kept, temporary, this.#now / 1_000);
    }
    return true;
  }

  /** Removes a temporary file that was not put in its place. */
  discard(temporary: string): void {
    rmSync(temporary, { force: true });
  }

  /** Removes kept bytes that are no longer needed. */
  dropKept(sha256: string): void {
    asFarAsAllowed(() => rmSync(keptPath(this.#root, sha256), { force: true }));
    syncDirectory(this.#replaced);
  }

  /** Hashes the bytes at a path. */
  hash(path: string, isCancelled: () => boolean): string {
    return hashFile(this.absolute(path), isCancelled);
  }

  /** Notes a directory that gets a new name. One that may not be read could not be synced when all is done. */
  #touch(directory: string): void {
    if (this.#touched.has(directory)) return;
    accessSync(directory, constants.R_OK);
    this.#touched.add(directory);
  }

  /** Makes every new name durable: one sync for each directory, not for each file. */
  syncDirectories(): void {
    // The first import of all has made the root a new name, too.
    if (this.#touched.size > 0) this.#touched.add(dirname(this.#root));
    for (const directory of this.#touched) {
      try {
        syncDirectory(directory);
      } catch (error) {
        // Made for a file that failed, and gone with it.
        if (errorCode(error) !== 'ENOENT') throw error;
      }
    }
    this.#touched.clear();
  }

  /** Deletes old bytes that were kept long enough, as far as this user may. */
  purgeReplaced(): void {
    for (const sha256 of this.kept()) {
      const path = keptPath(this.#root, sha256);
      asFarAsAllowed(() => {
        const age = this.#now - lstatSync(path).mtimeMs;
        if (age > limits.replacedRetentionMs) rmSync(path, { force: true });
      });
    }
  }

  /**
   * Lists the managed copies in order of their paths, and deletes what a killed import left unfinished.
   * @returns `unlisted`: directories that cannot be read, whose files are neither there nor gone.
   */
  list(): { files: ManagedFile[]; unlisted: string[] } {
    const files: ManagedFile[] = [];
    const unlisted = new Set<string>();
    const waiting = [''];
    sweep(this.#replaced, entriesOf(this.#replaced));
    for (let directory = waiting.pop(); directory !== undefined; directory = waiting.pop()) {
      const entries = readEntries(this.absolute(directory));
      if (entries === undefined) unlisted.add(directory);
      for (const entry of sweep(this.absolute(directory), entries ?? [])) {
        if (entry.name.startsWith('.')) continue;
        const path = directory === '' ? entry.name : `${directory}/${entry.name}`;
        if (entry.isDirectory()) waiting.push(path);
        else if (entry.isFile() && isLookedInto(entry.name)) {
          if (!this.#add(files, path)) unlisted.add(directory);
        }
      }
    }
    files.sort((a, b) => (a.path < b.path ? -1 : 1));
    return { files, unlisted: [...unlisted] };
  }

  /** @returns false for a file that may not be looked at. */
  #add(files: ManagedFile[], path: string): boolean {
    try {
      const stamp = this.find(path);
      if (stamp !== undefined) files.push({ path, ...stamp });
      return true;
    } catch (error) {
      if (error instanceof FileRefused || isForbidden(error)) return false;
      throw error;
    }
  }

  /** The retention counts from the time set here, before the bytes lose their place. */
  #keep(target: string, sha256: string): string {
    const kept = keptPath(this.#root, sha256);
    const seconds = this.#now / 1_000;
    if (!isDirectory(this.#replaced)) mkdirSync(this.#replaced, { mode: 0o700 });
    // Changes nothing. Fails on Windows where another program holds the file, while it still has its old time.
    renameOver(target, target);
    utimesSync(target, seconds, seconds);
    rmSync(kept, { force: true });
    linkDurably(target, kept, seconds);
    syncDirectory(this.#replaced);
    syncDirectory(this.#root);
    return kept;
  }
}

function isDirectory(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats?.isDirectory() === false) throw new FileRefused('unreadable');
  return stats !== undefined;
}

/** Whether this user may list a directory and change what is in it. */
function isOpen(directory: string): boolean {
  try {
    accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Copies a file whole, for file systems without hard links; `seconds` since 1970 become its times. */
function copyDurably(from: string, to: string, seconds: number): void {
  const temporary = `${to}.tmp`;
  rmSync(temporary, { force: true });
  copyFileSync(from, temporary, constants.COPYFILE_FICLONE);
  utimesSync(temporary, seconds, seconds);
  syncFile(temporary);
  renameOver(temporary, to);
}

/** Gives a file a second name, for which a full disk has room, too; a copy of it where there are no hard links. */
function linkDurably(from: string, to: string, seconds: number): void {
  try {
    linkSync(from, to);
  } catch {
    copyDurably(from, to, seconds);
  }
}
