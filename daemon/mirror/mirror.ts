import { unwatchFile, watchFile, type Stats } from 'node:fs';
import { limits } from '../../model/limits.ts';
import { bookmarksFileProblems, bookmarksFileRemedy } from '../../model/bookmarks-file.ts';
import { errorCode } from '../../model/error-code.ts';
import type { Draft } from '../../worker/mirror/rewrite.ts';
import { WorkerPool } from '../pool.ts';
import { scheduleTimeout, waitAtMost, type Schedule } from '../schedule.ts';
import { Edits, type BookmarksMirrorOptions, type Ending } from './edits.ts';
import { isCurrent } from './current-file.ts';
import { MirrorMemory, type LastMerge } from './mirror-state.ts';

export type { BookmarksMirrorOptions } from './edits.ts';

/** Looks at the file within one rewrite while another program keeps writing to it. */
const triesAtOnce = 3;
/** Of the CPU's time at most one part in ten is spent on rewriting, however many bookmarks there are. */
const pausePerWork = 9;
const firstRetryMs = 1_000;
const longestRetryMs = 300_000;
/** An unreadable file is looked at again when it would count as settled; timers may be early by a little. */
const unsettledRetryMs = limits.mirrorSettleMs + 1_000;
/** What an orderly stop waits for the file. */
const flushTimeoutMs = 3_000;
const watchMs = 1_000;

/** The mirror was closed while it waited: the store may be closed too. */
class Abandoned extends Error {
  override readonly name = 'Abandoned';
}

/**
 * Keeps the bookmarks file a mirror of the store's bookmarks and tags, and takes in what others write to it. The store is
 * the truth. A content is replaced only after its hash is committed as one of ours or as merged, so that no crash and no
 * race loses an edit; the file itself is whole at every moment. Nothing here ever fails a request.
 */
export class BookmarksMirror {
  readonly #options: BookmarksMirrorOptions;
  readonly #schedule: Schedule;
  readonly #pool: NonNullable<BookmarksMirrorOptions['pool']>;
  readonly #memory: MirrorMemory;
  /** The store may hold what the file does not. */
  #isDirty = false;
  #isClosed = false;
  #closing: Promise<void> | undefined;
  #running: Promise<void> | undefined;
  #starting: Promise<void> | undefined;
  #cancelTimer: (() => void) | undefined;
  /** Monotonic ms before which no rewrite starts. */
  #notBefore = 0;
  #failures = 0;
  #warned: string | undefined;
  readonly #edits: Edits;
  /** Of a file that is not there it is called once, with zeros: that is no edit. */
  readonly #onEdit = (now: Stats, before: Stats): unknown =>
    now.mode + before.mode > 0 && this.touch();

  constructor(options: BookmarksMirrorOptions) {
    this.#options = options;
    this.#schedule = options.schedule ?? scheduleTimeout;
    this.#pool = options.pool ?? new WorkerPool({ file: 'mirror-tasks' });
    this.#memory = new MirrorMemory(options.store.meta, options.path);
    const step = <T>(running: Promise<T>): Promise<T> => this.#unlessClosed(running);
    this.#edits = new Edits({ ...options, pool: this.#pool, memory: this.#memory, step });
  }

  /** Merges a file that was changed while nobody looked, then writes what the store has newer; all in the background. */
  start(): void {
    const { path, isWatched = false } = this.#options;
    // Its own look each second: no system tells of changes on every file system.
    if (isWatched) watchFile(path, { interval: watchMs, persistent: false }, this.#onEdit);
    this.#starting = this.#start();
  }

  async #start(): Promise<void> {
    const { path, store } = this.#options;
    if (await isCurrent(path, this.#memory.state, store)) return;
    this.#isDirty = true;
    await this.#run();
  }

  get lastMerge(): LastMerge | undefined {
    return this.#memory.state?.lastMerge;
  }

  /** Sentence that tells why the file cannot be written; undefined where it can, or will be soon. */
  get problem(): string | undefined {
    return this.#warned === undefined ? undefined : bookmarksFileProblems[this.#warned];
  }

  get deletionsWaiting(): number | undefined {
    return this.#edits.deletions;
  }

  /**
   * Merges a file that would delete many bookmarks, or puts the store's in its place; a copy of it stays.
   * @returns false when none waits.
   */
  async decide(isAccepted: boolean): Promise<boolean> {
    if (!this.#edits.decide(isAccepted)) return false;
    this.#isDirty = true;
    await this.flush();
    return true;
  }

  /** Something that the file shows has changed. */
  touch(): void {
    this.#isDirty = true;
    if (this.#isClosed || this.#running !== undefined || this.#cancelTimer !== undefined) return;
    this.#wake(limits.mirrorDebounceMs);
  }

  /**
   * Brings the file up to date now.
   * @returns whether it is: not when it cannot be written, nor after `timeoutMs`.
   */
  async flush(timeoutMs = flushTimeoutMs): Promise<boolean> {
    await waitAtMost(timeoutMs, this.#finish(), this.#schedule);
    return !this.#isDirty && this.#running === undefined;
  }

  /** Flushes, then stops for good and ends the worker: the store may be closed afterwards. */
  close(timeoutMs = flushTimeoutMs): Promise<void> {
    this.#closing ??= this.#flushAndStop(timeoutMs);
    return this.#closing;
  }

  async #flushAndStop(timeoutMs: number): Promise<void> {
    const isUpToDate = await this.flush(timeoutMs);
    this.#isClosed = true;
    unwatchFile(this.#options.path, this.#onEdit);
    this.#cancelTimer?.();
    // Nothing is lost: the next start finds that the file is older than the store.
    if (!isUpToDate) this.#options.log.warn('mirror.stale_at_stop');
    await this.#pool.close();
  }

  async #finish(): Promise<void> {
    await this.#starting;
    await this.#running;
    if (this.#isDirty) await this.#run();
  }

  #wake(delayMs: number): void {
    const pauseMs = this.#notBefore - this.#options.clock.monotonic();
    this.#cancelTimer = this.#schedule(() => void this.#run(), Math.max(delayMs, pauseMs));
  }

  #run(): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.#running ??= this.#rewriteAndPlan();
    return this.#running;
  }

  async #rewriteAndPlan(): Promise<void> {
    const { clock, workMs = () => this.#pool.busyMs } = this.#options;
    const [startedMs, before] = [clock.monotonic(), workMs()];
    this.#isDirty = false;
    const failure = await this.#rewrite().then(
      (ending) => (ending === 'done' ? undefined : ending),
      (error: unknown) => error,
    );
    this.#running = undefined;
    if (this.#isClosed || failure instanceof Abandoned) return;
    const tookMs = clock.monotonic() - startedMs;
    // On a busy machine most of the time is spent on waiting for it. A slow disk rests half of the time.
    const workedMs = Math.min(tookMs, workMs() - before);
    this.#notBefore = startedMs + tookMs + Math.max(tookMs, pausePerWork * workedMs);
    if (failure !== undefined) this.#retryAfter(failure);
    else {
      this.#failures = 0;
      this.#warned = undefined;
      // The file is ours.
      this.#edits.release();
      if (this.#isDirty) this.#wake(limits.mirrorDebounceMs);
    }
  }

  /** Tries again, ever more rarely, and says so once for each cause. */
  #retryAfter(failure: unknown): void {
    this.#isDirty = true;
    if (failure === 'unsettled') return this.#wake(unsettledRetryMs);
    const reason = reasonOf(failure);
    const isNew = reason !== this.#warned;
    this.#warned = reason;
    const { problem } = this;
    const more = problem === undefined ? {} : { problem: `${problem}. ${bookmarksFileRemedy}` };
    if (isNew) this.#options.log.warn('mirror.not_written', { reason, ...more });
    this.#wake(Math.min(firstRetryMs * 2 ** this.#failures, longestRetryMs));
    this.#failures += 1;
  }

  #draftRequest() {
    const { path, waypointsPath, store, clock } = this.#options;
    store.forgetOldStamps(clock.now());
    const { state, storeId } = this.#memory;
    return {
      path,
      waypointsPath,
      storeId,
      known: state?.known ?? [],
      // A file of an older version has no ids: it is written anew.
      mirrored: state?.written && state.revision,
      body: state?.body,
      written: this.#memory.nextWritten(clock.now()),
    };
  }

  async #rewrite(): Promise<Ending> {
    for (let attempt = 1; attempt <= triesAtOnce; attempt += 1) {
      const draft = await this.#unlessClosed(this.#pool.run('draft', this.#draftRequest()));
      switch (draft.outcome) {
        case 'current':
          return 'done';
        case 'same':
          this.#memory.commitSame(draft);
          return 'done';
        case 'drafted':
          if (await this.#publish(draft)) return 'done';
          break;
        case 'foreign': {
          const ending = await this.#edits.takeIn();
          if (ending !== 'done' && ending !== 'changing') return ending;
        }
      }
    }
    return 'changing';
  }

  /** @returns false when the file was changed since it was looked at. */
  async #publish(draft: Draft): Promise<boolean> {
    const { content, target, temporary, present, written, revision } = draft;
    const file = { written, revision: Number(revision) };
    this.#memory.commitDraft({ ...draft, content: { ...content, file } }, present);
    const ending = this.#pool.run('publish', { target, temporary, present });
    return (await this.#unlessClosed(ending)) === 'published';
  }

  /** After close the store may be gone: nothing that waited goes on then. */
  async #unlessClosed<T>(step: Promise<T>): Promise<T> {
    const result = await step;
    if (this.#isClosed) throw new Abandoned();
    return result;
  }
}

/** A word for the log: an error's message may hold a path. */
function reasonOf(failure: unknown): string {
  if (typeof failure === 'string') return failure;
  if (!(failure instanceof Error)) return 'unknown';
  // The worker's errors have the code in their message only.
  const [, ofWorker] = /failed: (\w+)\.$/.exec(failure.message) ?? [];
  return errorCode(failure) ?? ofWorker ?? failure.name;
}
