import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  rmdirSync,
  rmSync,
  utimesSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { errorCode } from '../../model/error-code.ts';
import { limits } from '../../model/limits.ts';
import { isLookedInto } from '../../model/recorder-formats.ts';
import { renameOver, syncDirectory } from '../../storage/atomic-file.ts';
import type { FileStamp } from '../../storage/library/writer.ts';
import { FileRefused } from '../../formats/refused.ts';
import { asFarAsAllowed, entriesOf, isForbidden, readEntries, sweep } from './tidy-directory.ts';
import { copyDurably, linkDurably } from './move-file.ts';
import { hiddenTemporaryPath, temporaryPath } from './copy-path.ts';
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
  #lastUs: number;

  /**
   * @param now ms since 1970.
   * @param newestUs when the newest copy was made that is there, µs since 1970.
   */
  constructor(root: string, now: number, newestUs = 0) {
    this.#lastUs = newestUs;
    this.#root = root;
    this.#replaced = join(root, replacedName);
    this.#now = now;
  }

  absolute(path: string): string {
    return join(this.#root, path);
  }

  /** Where a file is copied to, beside its own place; a directory that has been imported may have the first name. */
  temporary(path: string): string {
    const usual = this.absolute(temporaryPath(path));
    const stats = lstatSync(usual, { throwIfNoEntry: false });
    return stats?.isDirectory() === true ? this.absolute(hiddenTemporaryPath(path)) : usual;
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

  /**
   * Takes a file out of its place; its bytes are kept, linked by their hash.
   * @returns how to undo it.
   */
  withdraw(path: string, sha256: string): () => void {
    const target = this.absolute(path);
    if (this.find(path) === undefined) return () => {};
    this.#touch(dirname(target));
    const kept = this.#keep(target, sha256);
    rmSync(target);
    return () => linkDurably(kept, target, this.#now / 1_000);
  }

  isKept(sha256: string): boolean {
    return existsSync(keptPath(this.#root, sha256));
  }

  /**
   * Copies kept bytes to a temporary file, synced.
   * @param copiedNs the modification time that it had; now by default.
   * @returns false where they are not kept any more.
   */
  takeKept(sha256: string, temporary: string, copiedNs: string | null): boolean {
    const kept = keptPath(this.#root, sha256);
    if (lstatSync(kept, { throwIfNoEntry: false })?.isFile() !== true) return false;
    const us = copiedNs === null ? this.#now * 1_000 : usOf(copiedNs);
    copyDurably(kept, temporary, secondsOf(us));
    return true;
  }

  /**
   * The time of the next copy, in seconds since 1970. It says which import is newer, so each is later than the one before,
   * whatever the clock says: file systems themselves count in steps that several files fit into.
   */
  nextSeconds(): number {
    this.#lastUs = Math.max(Date.now() * 1_000, this.#lastUs + 1);
    return secondsOf(this.#lastUs);
  }

  /**
   * Gives a file that is what it was the time it had, as far as this user may: it says which import is newer, and copying or
   * touching a file is no import. One that was written to since it was listed keeps its own, for the next start to see.
   * @returns the stamp of what was read.
   */
  restoreTime(file: ManagedFile, known: FileStamp): FileStamp {
    const us = usOf(known.mtimeNs);
    // Node.js takes a time before 1970 for now.
    if (us < 0 || !this.isIntact(file.path, file)) return file;
    asFarAsAllowed(() => utimesSync(this.absolute(file.path), secondsOf(us), secondsOf(us)));
    const stamp = this.find(file.path) ?? file;
    return stamp.size === file.size && usOf(stamp.mtimeNs) === us ? stamp : file;
  }

  /** Removes a temporary file that was not put in its place. */
  discard(temporary: string): void {
    rmSync(temporary, { force: true });
  }

  /** Removes kept bytes now that they are at a path again, whose names must be on the disk first. */
  dropKept(sha256: string, path: string): void {
    let directory = dirname(this.absolute(path));
    for (; directory.length >= this.#root.length; directory = dirname(directory))
      syncDirectory(directory);
    rmSync(keptPath(this.#root, sha256), { force: true });
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
    for (const { name } of entriesOf(this.#replaced)) {
      if (!digestName.test(name)) continue;
      const path = join(this.#replaced, name);
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

/** A double cannot hold the nanoseconds. */
function usOf(ns: string): number {
  return Number(BigInt(ns) / 1_000n);
}

/** In the middle of the microsecond, so that what a double lacks in precision makes none of the one before. */
function secondsOf(us: number): number {
  return Math.trunc(us / 1e6) + ((us % 1e6) + 0.5) / 1e6;
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
