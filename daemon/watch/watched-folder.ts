import type { Stats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { basename, join, relative, sep } from 'node:path';
import { limits } from '../../model/limits.ts';
import { isLookedInto } from '../../model/recorder-formats.ts';
import type { WatchedFolderStatus } from '../../model/status.ts';
import { realPath } from '../../storage/real-path.ts';
import type { ImportOutcome } from '../../worker/import/import-directory.ts';
import { namedIn } from '../../worker/import/tally.ts';
import type { Schedule } from '../schedule.ts';
import { follow, hasToBePolled, identity, stampOf } from './follow.ts';
import { Pauses } from './pauses.ts';

export interface WatchedFolderOptions {
  /** Absolute. */
  readonly dir: string;
  /** Directories of ours, with all that is in them. */
  readonly own: readonly string[];
  readonly schedule: Schedule;
  /** Some files have been still for long enough. */
  readonly onReady: () => void;
  /** Tests bring fewer. */
  readonly mostFiles?: number;
}

/** A file that may still be written to. */
interface Waiting {
  stamp: string;
  /** Ticks without a change that are still to come. */
  ticks: number;
}

const tickMs = 1_000;
/** The first tick may come at once. */
const stillTicks = limits.watchStillMs / tickMs + 1;
/** How often a directory is looked at: is it there, is it still the same one? Between there is nothing to do. */
const rootTicks = 5;
/** A polled directory is listed anew every five minutes: what came in the same step of its clock is not found by its time. */
const looksUntilListing = 60;
/** Names of failed files that a status tells. */
const toldFailures = 20;
/** A folder that was full is listed anew once it has room for this part of what it may have: all of it is looked at then. */
const roomToList = 0.1;

/**
 * One watched directory: which of its files have changed since they were imported, and which of these have been still for
 * long enough. It is followed again whenever it is gone and back, or another one is mounted in its place.
 */
export class WatchedFolder {
  readonly dir: string;
  readonly #options: WatchedFolderOptions;
  #state: WatchedFolderStatus['state'] = 'starting';
  /** Device and inode of the directory that is followed. */
  #root: string | undefined;
  #path = '';
  #mustPoll = false;
  #unfollow: (() => Promise<void>) | undefined;
  /**
   * Files as they were when they were imported or refused, and the SHA-256 of a content that only files of other sources have;
   * names are relative, with `/`.
   */
  readonly #known = new Map<string, { stamp: string; copyOf: string | undefined }>();
  readonly #waiting = new Map<string, Waiting>();
  readonly #ready = new Map<string, string>();
  /** By their names, the last that was refused: in an archive that may be one of many. */
  readonly #failures = new Map<string, WatchedFolderStatus['failures'][number]>();
  readonly #pauses = new Pauses();
  readonly #mostFiles: number;
  /** There are files beyond the limit. */
  #hasUnseen = false;
  #imported = 0;
  /** Until the next look at the directory. */
  #ticks = 0;
  /** Of a polled directory since it was listed. */
  #looks = 0;
  #isOver = false;
  #isIdle = false;
  #cancelTick: () => void = () => {};
  #running: Promise<void> = Promise.resolve();

  constructor(options: WatchedFolderOptions) {
    this.#options = options;
    this.dir = options.dir;
    this.#mostFiles = options.mostFiles ?? limits.watchedFiles;
  }

  start(): void {
    this.#tick();
  }

  async close(): Promise<void> {
    this.#isOver = true;
    this.#cancelTick();
    await this.#running;
    await this.#forget('absent');
  }

  status(): WatchedFolderStatus {
    return {
      dir: this.dir,
      state: this.#state,
      files: this.#count(),
      waiting: this.#waiting.size + this.#ready.size,
      imported: this.#imported,
      failed: this.#failures.size,
      failures: [...this.#failures.values()].slice(0, toldFailures),
      ...(this.#hasUnseen ? { full: true } : {}),
    };
  }

  get hasReady(): boolean {
    return this.#ready.size > 0;
  }

  /** Files to be imported now, for {@link settle} or {@link putBack}. */
  takeReady(most: number): ReadonlyMap<string, string> {
    const batch = new Map<string, string>();
    // Of a hundred thousand, a copy for each batch would take longer than the batch.
    for (const [file, stamp] of this.#ready) {
      if (batch.size === most) break;
      batch.set(file, stamp);
      this.#ready.delete(file);
    }
    return batch;
  }

  /** Takes note of what became of files; those that an import did not come to wait for the next one. */
  settle(
    batch: ReadonlyMap<string, string>,
    { result, left = [], copies }: Pick<ImportOutcome, 'result' | 'left' | 'copies'>,
  ): void {
    this.#imported += result.added + result.replaced;
    const isLeft = new Set(left);
    this.putBack(new Map([...batch].filter(([file]) => isLeft.has(file))));
    const failed = new Map(
      result.failures.map(({ file, reason }) => [namedIn(batch, file), { file, reason }]),
    );
    // The directory itself was gone; what is back unchanged is heard of no more.
    if (failed.has(undefined)) return this.putBack(batch, rootTicks);
    const replaced = result.replaced_files.map((name) => namedIn(batch, name));
    for (const file of new Set(replaced)) if (file !== undefined) this.#pauses.begin(file);
    for (const [file, stamp] of batch) {
      if (isLeft.has(file)) continue;
      const failure = failed.get(file);
      const reason = failure?.reason;
      if (reason === 'changed') {
        this.#touch(file, stamp);
        continue;
      }
      // What could not be read may be as it was when it can be: any event is heard then.
      if (reason !== 'unreadable') this.#known.set(file, { stamp, copyOf: copies.get(file) });
      if (failure === undefined) this.#failures.delete(file);
      else this.#failures.set(file, failure);
      // What was deleted while it waited is not told of again.
      if (reason === 'unreadable')
        lstat(join(this.#path, file)).catch(() => this.#forgetFile(file));
    }
  }

  /** Has those looked at again whose content another file had, which has others now. */
  lookAgain(displaced: ReadonlySet<string>): void {
    for (const [file, { stamp, copyOf = '' }] of this.#known)
      if (displaced.has(copyOf) && !this.#waiting.has(file)) this.#ready.set(file, stamp);
  }

  /** Files that were not imported after all: soon again, or after a while. */
  putBack(batch: ReadonlyMap<string, string>, waitTicks = 0): void {
    for (const [file, stamp] of batch)
      if (waitTicks === 0) this.#ready.set(file, stamp);
      else this.#waiting.set(file, { stamp, ticks: waitTicks });
  }

  #count(): number {
    const others = [...this.#waiting.keys(), ...this.#ready.keys()];
    return this.#known.size + others.filter((file) => !this.#known.has(file)).length;
  }

  #tick(): void {
    this.#isIdle = false;
    this.#running = this.#look().finally(() => this.#wait(this.#waiting.size === 0));
  }

  #wait(isIdle: boolean): void {
    if (this.#isOver) return;
    this.#isIdle = isIdle;
    if (isIdle) this.#ticks = 0;
    const delayMs = isIdle ? rootTicks * tickMs : tickMs;
    this.#cancelTick = this.#options.schedule(() => {
      this.#pauses.pass(delayMs);
      this.#tick();
    }, delayMs);
  }

  async #look(): Promise<void> {
    if (this.#ticks === 0) await this.#lookAtRoot();
    this.#ticks = (this.#ticks + 1) % rootTicks;
    for (const [file, waiting] of this.#waiting) {
      waiting.ticks -= 1;
      if (waiting.ticks <= 0) await this.#lookAtFile(file, waiting);
      if (this.#isOver) return;
    }
    if (this.hasReady) this.#options.onReady();
  }

  async #lookAtRoot(): Promise<void> {
    const root = await identity(this.dir);
    if (root === this.#root && root !== undefined) {
      this.#looks += 1;
      if (this.#state !== 'polling' || this.#looks < looksUntilListing) return;
      // Known files are told of again and are still known.
      await this.#unfollow?.();
    } else if (this.#root !== undefined || this.#state === 'starting') await this.#forget('absent');
    if (root !== undefined && !this.#isOver) await this.#follow(root);
  }

  async #follow(root: string): Promise<void> {
    try {
      const path = await realPath(this.dir);
      this.#path = path;
      const isPolling = this.#mustPoll || (await hasToBePolled(path));
      this.#unfollow = await follow({
        root: path,
        isPolling,
        isIgnored: (at, stats) => this.#isIgnored(at, stats),
        onFile: (at, stats) => void this.#hear(at, stats),
        onGone: (at) => this.#hearGone(this.#nameOf(at)),
        onExhausted: () => {
          this.#mustPoll = true;
          this.#root = '';
        },
      });
      this.#root = root;
      this.#looks = 0;
      this.#state = isPolling ? 'polling' : 'following';
    } catch {
      // Gone again, or closed to us: the next look tells.
      await this.#forget('absent');
    }
  }

  #isIgnored(path: string, stats: Stats | undefined): boolean {
    if (this.#options.own.some((own) => `${path}${sep}`.startsWith(own + sep))) return true;
    if (path !== this.#path && basename(path).startsWith('.')) return true;
    if (stats?.isFile() !== true) return false;
    if (!isLookedInto(path)) return true;
    const file = this.#nameOf(path);
    if (this.#size < this.#mostFiles || this.#lists.some((files) => files.has(file))) return false;
    this.#hasUnseen = true;
    return true;
  }

  get #lists() {
    return [this.#known, this.#waiting, this.#ready];
  }

  /** How many files are looked at; those that have changed count twice. */
  get #size(): number {
    return this.#known.size + this.#waiting.size + this.#ready.size;
  }

  #nameOf(path: string): string {
    return relative(this.#path, path).split(sep).join('/');
  }

  async #hear(path: string, given: Stats | undefined): Promise<void> {
    const stats = given ?? (await lstat(path).catch(() => undefined));
    const file = this.#nameOf(path);
    if (stats?.isFile() === true) this.#touch(file, stampOf(stats));
    else this.#forgetFile(file);
  }

  #hearGone(file: string): void {
    this.#forgetFile(file);
    // The next look at the directory finds another one.
    if (this.#hasUnseen && this.#size <= this.#mostFiles * (1 - roomToList)) this.#root = '';
  }

  #forgetFile(file: string): void {
    for (const files of [...this.#lists, this.#failures]) files.delete(file);
  }

  #touch(file: string, stamp: string): void {
    if (this.#isOver || this.#known.get(file)?.stamp === stamp) return;
    this.#ready.delete(file);
    this.#letSettle(file, stamp);
    if (!this.#isIdle) return;
    this.#cancelTick();
    this.#wait(false);
  }

  #letSettle(file: string, stamp: string): void {
    const pauseTicks = Math.ceil(this.#pauses.left(file) / tickMs);
    this.#waiting.set(file, { stamp, ticks: Math.max(stillTicks, pauseTicks) });
  }

  async #lookAtFile(file: string, waiting: Waiting): Promise<void> {
    const stats = await lstat(join(this.#path, file)).catch(() => undefined);
    if (stats?.isFile() !== true) return this.#forgetFile(file);
    const stamp = stampOf(stats);
    if (stamp !== waiting.stamp) this.#letSettle(file, stamp);
    else if (this.#waiting.get(file) === waiting) {
      this.#waiting.delete(file);
      this.#ready.set(file, stamp);
    }
  }

  /** Hears of nothing any more, and knows nothing of what will be there next: an import tells what is new. */
  async #forget(state: WatchedFolderStatus['state']): Promise<void> {
    const unfollow = this.#unfollow;
    this.#unfollow = undefined;
    this.#root = undefined;
    this.#state = state;
    this.#hasUnseen = false;
    for (const files of [...this.#lists, this.#failures, this.#pauses]) files.clear();
    await unfollow?.();
  }
}
