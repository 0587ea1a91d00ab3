import { unwatchFile, watchFile, type Stats } from 'node:fs';
import { limits } from '../../model/limits.ts';
import type { Clock, Log } from '../../model/process.ts';
import type { WaypointStore } from '../../storage/store.ts';
import type { StoreChange } from '../../storage/waypoints/journaled-rows.ts';
import type * as tasks from '../../worker/mirror-tasks.ts';
import type { Draft } from '../../worker/mirror/rewrite.ts';
import type { TakeEditResult } from '../../worker/mirror/take-edit.ts';
import { WorkerPool } from '../pool.ts';
import { processCpuMs, scheduleTimeout, waitAtMost, type Schedule } from '../schedule.ts';
import { Abandoned, mergeEdit } from './merge-edit.ts';
import { isCurrent } from './current-file.ts';
import { reasonOf } from './failure-reason.ts';
import { HeldEdit } from './held-edit.ts';
import { MirrorMemory } from './mirror-state.ts';

export interface BookmarksMirrorOptions {
  /** The bookmarks file. It may lie outside the data directory, in a folder that some program syncs. */
  readonly path: string;
  readonly waypointsPath: string;
  readonly backupsDirectory: string;
  readonly store: WaypointStore;
  readonly log: Log;
  readonly clock: Clock;
  /** CPU ms that the process has used. */
  readonly cpuMs?: () => number;
  /** Tests bring their own worker and timers. */
  readonly pool?: Pick<WorkerPool<typeof tasks>, 'run' | 'close'> | undefined;
  readonly schedule?: Schedule;
  /** The file brought something; told slice by slice. */
  readonly onMerged: (change: StoreChange) => void;
  /** Whether an edit is looked for each second, not only before each rewrite. */
  readonly isWatched?: boolean;
  readonly libraryReady?: () => Promise<void>;
  readonly isLibraryWhole?: () => boolean;
}

/** Looks at the file again and again within one rewrite, because somebody keeps writing to it: then later. */
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

type ReadEdit = Extract<TakeEditResult, { outcome: 'taken' | 'kept' | 'discarded' }>;
type TakenEdit = Extract<TakeEditResult, { outcome: 'taken' }>;

/** How one rewrite ended: done, or to be tried again. */
type Ending = 'done' | 'unsettled' | 'not_gpx' | 'too_large' | 'many_deletions' | 'changing';

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
  #unreadable: { readonly sha256: string; readonly sinceMs: number } | undefined;
  readonly #held = new HeldEdit();
  /** Conflicts of a merge that is to be done again, as JSON: they are in the journal already. */
  readonly #offered = new Set<string>();
  /** Of a file that is not there it is called once, with zeros: that is no edit. */
  readonly #onEdit = (now: Stats, before: Stats): unknown =>
    now.mode + before.mode > 0 && this.touch();

  constructor(options: BookmarksMirrorOptions) {
    this.#options = options;
    this.#schedule = options.schedule ?? scheduleTimeout;
    this.#pool = options.pool ?? new WorkerPool({ file: 'mirror-tasks' });
    this.#memory = new MirrorMemory(options.store.meta, options.path);
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

  /** How many bookmarks the file would delete, where that waits for a word of the user. */
  get deletionsWaiting(): number | undefined {
    return this.#held.deletions;
  }

  /**
   * Merges a file that would delete many bookmarks, or puts the store's in its place; a copy of it stays.
   * @returns false when none waits.
   */
  async decide(isAccepted: boolean): Promise<boolean> {
    if (!this.#held.decide(isAccepted)) return false;
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
    const { clock, cpuMs = processCpuMs } = this.#options;
    const [startedMs, startedCpuMs] = [clock.monotonic(), cpuMs()];
    this.#isDirty = false;
    const failure = await this.#rewrite().then(
      (ending) => (ending === 'done' ? undefined : ending),
      (error: unknown) => error,
    );
    this.#running = undefined;
    if (this.#isClosed || failure instanceof Abandoned) return;
    const tookMs = clock.monotonic() - startedMs;
    // On a busy machine most of the time is spent on waiting for it. A slow disk rests half of the time.
    const workMs = Math.min(tookMs, cpuMs() - startedCpuMs);
    this.#notBefore = startedMs + tookMs + Math.max(tookMs, pausePerWork * workMs);
    if (failure !== undefined) this.#retryAfter(failure);
    else {
      this.#failures = 0;
      this.#warned = undefined;
      // The file is ours.
      this.#held.release();
      if (this.#isDirty) this.#wake(limits.mirrorDebounceMs);
    }
  }

  /** Tries again, ever more rarely, and says so once for each cause. */
  #retryAfter(failure: unknown): void {
    this.#isDirty = true;
    if (failure === 'unsettled') return this.#wake(unsettledRetryMs);
    const reason = reasonOf(failure);
    if (reason !== this.#warned) this.#options.log.warn('mirror.not_written', { reason });
    this.#warned = reason;
    this.#wake(Math.min(firstRetryMs * 2 ** this.#failures, longestRetryMs));
    this.#failures += 1;
  }

  async #rewrite(): Promise<Ending> {
    const { path, waypointsPath } = this.#options;
    for (let attempt = 1; attempt <= triesAtOnce; attempt += 1) {
      const request = { path, waypointsPath, ...this.#memory.forDraft };
      const draft = await this.#unlessClosed(this.#pool.run('draft', request));
      switch (draft.outcome) {
        case 'current':
          return 'done';
        case 'same':
          this.#memory.commit(draft.content, undefined, draft);
          return 'done';
        case 'drafted':
          if (await this.#publish(draft)) return 'done';
          break;
        case 'foreign': {
          const ending = await this.#takeIn();
          if (ending !== 'done' && ending !== 'changing') return ending;
        }
      }
    }
    return 'changing';
  }

  /** @returns false when the file was changed since it was looked at. */
  async #publish(draft: Draft): Promise<boolean> {
    const { content, target, temporary, present } = draft;
    // What the file holds now stays known until the rename has happened: it may not happen, several times over.
    this.#memory.commit(content, present ?? this.#memory.state?.known[0], draft);
    const ending = this.#pool.run('publish', { target, temporary, present });
    return (await this.#unlessClosed(ending)) === 'published';
  }

  /** Merges what somebody else wrote; then its content is one that may be replaced. */
  async #takeIn(): Promise<Ending> {
    const { path, waypointsPath, backupsDirectory, clock } = this.#options;
    const result = await this.#unlessClosed(
      this.#pool.run('takeEdit', {
        path,
        waypointsPath,
        backupsDirectory,
        now: clock.now(),
        settled: this.#settled(),
        ...this.#memory.forEdit,
        ...this.#held.decided,
      }),
    );
    switch (result.outcome) {
      case 'missing':
        return 'done';
      case 'refused':
        return result.reason;
      case 'unsettled':
        if (this.#unreadable?.sha256 !== result.content.sha256)
          this.#unreadable = { sha256: result.content.sha256, sinceMs: clock.monotonic() };
        return 'unsettled';
      case 'guarded':
        this.#held.hold(result.content.sha256, result.deletions);
        return 'many_deletions';
      case 'taken':
      case 'kept':
      case 'discarded':
        return this.#replaceable(result);
    }
  }

  /** Ends with a content that may be replaced: it was merged, or a copy of it is kept. */
  async #replaceable(result: ReadEdit): Promise<Ending> {
    const { log } = this.#options;
    if (result.outcome === 'taken') {
      if (!(await this.#merge(result))) return 'changing';
      this.#memory.commitMerged(result.content, result);
    } else {
      if (result.outcome === 'kept') log.warn('mirror.unreadable_file_kept_in_backups');
      else log.info('mirror.edit_discarded');
      this.#memory.commit(result.content, this.#memory.state?.known[0]);
    }
    this.#unreadable = undefined;
    this.#held.release();
    this.#offered.clear();
    return 'done';
  }

  /** @returns false when the store was changed since the file was compared with it: then that is to be done again. */
  async #merge({ trackPoints, waypoints, conflictsLeft, ...edit }: TakenEdit): Promise<boolean> {
    const { store, log, onMerged, isLibraryWhole = () => true, libraryReady } = this.#options;
    // Tags of imported waypoints need them.
    await this.#unlessClosed(Promise.resolve(libraryReady?.()).catch(() => undefined));
    const merge = { ...edit, store, offered: this.#offered, onMerged, isLibraryWhole };
    const counts = await mergeEdit({ ...merge, isClosed: () => this.#isClosed });
    if (counts === undefined) return false;
    log.info('mirror.edit_merged', { waypoints, ...counts });
    if (conflictsLeft > 0)
      log.warn('mirror.conflicts_kept_in_backups_only', { conflicts: conflictsLeft });
    if (trackPoints > 0)
      log.warn('mirror.tracks_kept_in_backups_only', { track_points: trackPoints });
    return true;
  }

  /** The unreadable content that has been there, unchanged, for long enough. */
  #settled(): string | undefined {
    if (this.#unreadable === undefined) return undefined;
    const ageMs = this.#options.clock.monotonic() - this.#unreadable.sinceMs;
    return ageMs >= limits.mirrorSettleMs ? this.#unreadable.sha256 : undefined;
  }

  /** After close the store may be gone: nothing that waited goes on then. */
  async #unlessClosed<T>(step: Promise<T>): Promise<T> {
    const result = await step;
    if (this.#isClosed) throw new Abandoned();
    return result;
  }
}
