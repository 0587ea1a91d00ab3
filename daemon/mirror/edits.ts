import { limits } from '../../model/limits.ts';
import type { Clock, Log } from '../../model/process.ts';
import type { WaypointStore } from '../../storage/store.ts';
import type * as tasks from '../../worker/mirror-tasks.ts';
import type { TakeEditRequest, TakeEditResult } from '../../worker/mirror/take-edit.ts';
import type { WorkerPool } from '../pool.ts';
import type { Schedule } from '../schedule.ts';
import { applyMerge } from './apply-merge.ts';
import type { MirrorMemory } from './mirror-state.ts';

export interface BookmarksMirrorOptions {
  /** The bookmarks file. It may lie outside the data directory, in a folder that some program syncs. */
  readonly path: string;
  readonly waypointsPath: string;
  readonly backupsDirectory: string;
  readonly store: WaypointStore;
  readonly log: Log;
  readonly clock: Clock;
  /** How long the tasks have worked so far, ms. */
  readonly workMs?: () => number;
  /** Tests bring their own worker and timers. */
  readonly pool?: Pick<WorkerPool<typeof tasks>, 'run' | 'close' | 'busyMs'> | undefined;
  readonly schedule?: Schedule;
  /** Whether an edit is looked for each second, not only before each rewrite. */
  readonly isWatched?: boolean;
  readonly libraryReady?: () => Promise<void>;
}

type ReadEdit = Extract<TakeEditResult, { outcome: 'taken' | 'kept' | 'discarded' }>;
type TakenEdit = Extract<TakeEditResult, { outcome: 'taken' }>;

/** How one rewrite ended: done, or to be tried again. */
export type Ending = 'done' | 'unsettled' | 'not_gpx' | 'too_large' | 'many_deletions' | 'changing';

interface EditsOptions extends BookmarksMirrorOptions {
  readonly pool: NonNullable<BookmarksMirrorOptions['pool']>;
  readonly memory: MirrorMemory;
  /** Waits for a step; throws once the mirror is closed. */
  readonly step: <T>(running: Promise<T>) => Promise<T>;
}

/** Merges edits of the bookmarks file by other programs and stores. */
export class Edits {
  readonly #options: EditsOptions;
  #unreadable: { readonly sha256: string; readonly sinceMs: number } | undefined;
  /** An edit that would delete many bookmarks, and the decision of the user about it. */
  #held: { readonly sha256: string; readonly deletions: number; isAccepted?: boolean } | undefined;

  constructor(options: EditsOptions) {
    this.#options = options;
  }

  /** Bookmarks that the held edit would delete; undefined without one. */
  get deletions(): number | undefined {
    return this.#held?.deletions;
  }

  /** @returns false without a held edit. */
  decide(isAccepted: boolean): boolean {
    if (this.#held === undefined) return false;
    this.#held.isAccepted = isAccepted;
    return true;
  }

  /** Forgets the held edit: it was merged, replaced, or is gone. */
  release(): void {
    this.#held = undefined;
  }

  /** Merges the file; then its content may be replaced. */
  async takeIn(): Promise<Ending> {
    const { clock, pool, step } = this.#options;
    const result = await step(pool.run('takeEdit', this.#request()));
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
        this.#held = { sha256: result.content.sha256, deletions: result.deletions };
        return 'many_deletions';
      case 'taken':
      case 'kept':
      case 'discarded':
        return this.#replaceable(result);
    }
  }

  #request(): TakeEditRequest {
    const { path, waypointsPath, backupsDirectory, clock, memory } = this.#options;
    const { sha256, isAccepted } = this.#held ?? {};
    return {
      path,
      waypointsPath,
      backupsDirectory,
      now: clock.now(),
      settled: this.#settled(),
      storeId: memory.storeId,
      wasOurs: memory.wasOurs,
      written: memory.written,
      accepted: isAccepted === true ? sha256 : undefined,
      discarded: isAccepted === false ? sha256 : undefined,
    };
  }

  /** Ends with a content that may be replaced: it was merged, or a copy of it is kept. */
  async #replaceable(result: ReadEdit): Promise<Ending> {
    const { log } = this.#options;
    if (result.outcome === 'taken') {
      if (!(await this.#merge(result))) return 'changing';
    } else {
      if (result.outcome === 'kept') log.warn('mirror.unreadable_file_kept_in_backups');
      else log.info('mirror.edit_discarded');
      this.#options.memory.commitEdit(result.content);
    }
    this.#unreadable = undefined;
    this.#held = undefined;
    return 'done';
  }

  /** @returns false when the store was changed since the file was compared with it: then that is to be done again. */
  async #merge({ steps, content, isEqual, revision, copy, ...edit }: TakenEdit): Promise<boolean> {
    const { store, log, clock, libraryReady, memory, step } = this.#options;
    // An imported waypoint below a deleted bookmark shows again with its tags.
    await step(Promise.resolve(libraryReady?.()).catch(() => undefined));
    if (Number(store.meta.revision()) !== revision) return false;
    const counts = applyMerge(store, steps);
    memory.commitEdit(content, isEqual ? store.meta.revision() : undefined);
    memory.noteMerge({ at: clock.now(), ...counts, copy });
    const { waypoints, trackPoints } = edit;
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
}
