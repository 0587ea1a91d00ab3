import { unwatchFile, watchFile } from 'node:fs';
import { errorCode } from '../../model/error-code.ts';
import { limits } from '../../model/limits.ts';
import type { Clock, Log } from '../../model/process.ts';
import type { WaypointStore } from '../../storage/store.ts';
import type { StoreChange } from '../../storage/waypoints/journaled-rows.ts';
import type * as tasks from '../../worker/mirror-tasks.ts';
import type { Content } from '../../worker/mirror/present-file.ts';
import type { Draft } from '../../worker/mirror/rewrite.ts';
import type { TakeEditRequest, TakeEditResult } from '../../worker/mirror/take-edit.ts';
import { WorkerPool } from '../pool.ts';
import { scheduleTimeout, waitAtMost, type Schedule } from '../schedule.ts';
import { Abandoned, mergeEdit } from './merge-edit.ts';
import { isCurrent } from './current-file.ts';
import { readMirrorState, saveMirrorState, withPeer, type MirrorState } from './mirror-state.ts';

export interface BookmarksMirrorOptions {
  /** The bookmarks file. It may lie outside the data directory, in a folder that some program syncs. */
  readonly path: string;
  readonly waypointsPath: string;
  readonly backupsDirectory: string;
  readonly store: WaypointStore;
  readonly log: Log;
  readonly clock: Clock;
  /** Tests bring their own worker and timers. */
  readonly pool?: Pick<WorkerPool<typeof tasks>, 'run' | 'close'>;
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
/** Of the time at most one part in ten is spent on rewriting, however many bookmarks there are. */
const pausePerWork = 9;
const firstRetryMs = 1_000;
const longestRetryMs = 300_000;
/** An unreadable file is looked at again when it would count as settled; timers may be early by a little. */
const unsettledRetryMs = limits.mirrorSettleMs + 1_000;
/** What an orderly stop waits for the file. */
const flushTimeoutMs = 3_000;
const watchMs = 1_000;

const none = { accepted: undefined, discarded: undefined };

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
  #state: MirrorState | undefined;
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
  #waiting: { readonly sha256: string; readonly deletions: number } | undefined;
  /** Contents of which the user has said what is to become of them. */
  #decided: Pick<TakeEditRequest, 'accepted' | 'discarded'> = none;
  readonly #onEdit = (): void => this.touch();

  constructor(options: BookmarksMirrorOptions) {
    this.#options = options;
    this.#schedule = options.schedule ?? scheduleTimeout;
    this.#pool = options.pool ?? new WorkerPool({ file: 'mirror-tasks' });
    this.#state = readMirrorState(options.store.meta);
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
    if (await isCurrent(path, this.#state, store)) return;
    this.#isDirty = true;
    await this.#run();
  }

  /** How many bookmarks the file would delete, where that waits for a word of the user. */
  get deletionsWaiting(): number | undefined {
    return this.#waiting?.deletions;
  }

  /**
   * Merges a file that would delete many bookmarks, or puts the store's in its place; a copy of it stays.
   * @returns false when none waits.
   */
  async decide(isAccepted: boolean): Promise<boolean> {
    if (this.#waiting === undefined) return false;
    const { sha256 } = this.#waiting;
    this.#decided = { ...none, [isAccepted ? 'accepted' : 'discarded']: sha256 };
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
    this.#cancelTimer = undefined;
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
    const { clock } = this.#options;
    const startedMs = clock.monotonic();
    this.#isDirty = false;
    const failure = await this.#rewrite().then(
      (ending) => (ending === 'done' ? undefined : ending),
      (error: unknown) => error,
    );
    this.#running = undefined;
    if (this.#isClosed || failure instanceof Abandoned) return;
    const endedMs = clock.monotonic();
    this.#notBefore = endedMs + pausePerWork * (endedMs - startedMs);
    if (failure !== undefined) this.#retryAfter(failure);
    else {
      this.#failures = 0;
      this.#warned = undefined;
      if (this.#isDirty) this.#wake(limits.mirrorDebounceMs);
    }
  }

  /** Tries again, ever more rarely, and says so once for each cause. */
  #retryAfter(failure: unknown): void {
    this.#isDirty = true;
    if (failure === 'unsettled') {
      this.#wake(unsettledRetryMs);
      return;
    }
    const reason = reasonOf(failure);
    if (reason !== this.#warned) this.#options.log.warn('mirror.not_written', { reason });
    this.#warned = reason;
    this.#wake(Math.min(firstRetryMs * 2 ** this.#failures, longestRetryMs));
    this.#failures += 1;
  }

  async #rewrite(): Promise<Ending> {
    const { path, waypointsPath, store } = this.#options;
    for (let attempt = 1; attempt <= triesAtOnce; attempt += 1) {
      const draft = await this.#unlessClosed(
        this.#pool.run('draft', {
          path,
          waypointsPath,
          storeId: store.meta.get('store') ?? '',
          known: this.#state?.known ?? [],
          mirrored: this.#state?.revision,
          body: this.#state?.body,
          merged: this.#state?.merged ?? {},
        }),
      );
      switch (draft.outcome) {
        case 'current':
          return 'done';
        case 'same':
          this.#commit({ revision: draft.revision, body: draft.body, known: [draft.content] });
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
    const { content, body, revision, target, temporary, present } = draft;
    // What the file holds now stays known until the rename has happened: it may not happen, several times over.
    const before = present ?? this.#state?.known[0];
    this.#commit({ revision, body, known: withoutRepeats(content, before) });
    const request = { target, temporary, present };
    return (await this.#unlessClosed(this.#pool.run('publish', request))) === 'published';
  }

  /** Merges what somebody else wrote; then its content is one that may be replaced. */
  async #takeIn(): Promise<Ending> {
    const { path, waypointsPath, backupsDirectory, store, clock, log } = this.#options;
    const result = await this.#unlessClosed(
      this.#pool.run('takeEdit', {
        path,
        backupsDirectory,
        now: clock.now(),
        wasOurs: this.#state?.path === path,
        settled: this.#settled(),
        waypointsPath,
        storeId: store.meta.get('store') ?? '',
        equals: this.#state?.equals ?? {},
        ...this.#decided,
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
        this.#waiting = { sha256: result.content.sha256, deletions: result.deletions };
        return 'many_deletions';
      case 'kept':
        log.warn('mirror.unreadable_file_kept_in_backups');
        break;
      case 'discarded':
        log.info('mirror.edit_discarded');
        break;
      case 'taken':
        if (!(await this.#merge(result))) return 'changing';
    }
    this.#unreadable = undefined;
    this.#waiting = undefined;
    const known = withoutRepeats(result.content, this.#state?.known[0]);
    if (result.outcome === 'taken') this.#commitMerged(result, known);
    else this.#commit({ known });
    return 'done';
  }

  /** What was merged and is just what the store has stays as it is: else two daemons would rewrite it in turn for ever. */
  #commitMerged({ isEqual, mark }: TakenEdit, known: readonly Content[]): void {
    const { path, store } = this.#options;
    const revision = store.meta.revision();
    const ours = { store: store.meta.get('store') ?? '', revision: Number(revision), isEqual };
    const { merged, equals } = this.#state ?? {};
    const peers = { ...(merged && { merged }), ...(equals && { equals }) };
    const state = { path, known, ...(isEqual ? { revision } : {}), ...peers };
    this.#save(withPeer(state, mark, ours));
  }

  /** @returns false when the store was changed since the file was compared with it: then that is to be done again. */
  async #merge({ trackPoints, waypoints, ...edit }: TakenEdit): Promise<boolean> {
    const { store, log, onMerged, isLibraryWhole, libraryReady } = this.#options;
    // Tags of imported waypoints need them.
    await this.#unlessClosed(Promise.resolve(libraryReady?.()).catch(() => undefined));
    const counts = await mergeEdit({
      ...edit,
      store,
      onMerged,
      isClosed: () => this.#isClosed,
      isLibraryWhole: isLibraryWhole ?? (() => true),
    });
    if (counts === undefined) return false;
    log.info('mirror.edit_merged', { waypoints, ...counts });
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

  #commit(file: Omit<MirrorState, 'path' | 'merged' | 'equals'>): void {
    const { merged, equals } = this.#state ?? {};
    const peers = { ...(merged && { merged }), ...(equals && { equals }) };
    this.#save({ path: this.#options.path, ...file, ...peers });
  }

  #save(state: MirrorState): void {
    saveMirrorState(this.#options.store.meta, state);
    this.#state = state;
  }

  /** After close the store may be gone: nothing that waited goes on then. */
  async #unlessClosed<T>(step: Promise<T>): Promise<T> {
    const result = await step;
    if (this.#isClosed) throw new Abandoned();
    return result;
  }
}

function withoutRepeats(newest: Content, before: Content | undefined): readonly Content[] {
  return before === undefined || before.sha256 === newest.sha256 ? [newest] : [newest, before];
}

/** A word for the log: an error's message may hold a path. */
function reasonOf(failure: unknown): string {
  if (typeof failure === 'string') return failure;
  if (!(failure instanceof Error)) return 'unknown';
  // The worker's errors have the code in their message only.
  const [, ofWorker] = /failed: (\w+)\.$/.exec(failure.message) ?? [];
  return errorCode(failure) ?? ofWorker ?? failure.name;
}
