import { WaypointError } from '../../model/failure.ts';
import { limits } from '../../model/limits.ts';
import { dayOf } from '../../storage/day-blob.ts';
import type * as tasks from '../../worker/timeline-tasks.ts';
import { TimelineControl } from '../../worker/timeline/control.ts';
import type { WholeTimeline } from '../../worker/timeline/whole/whole.ts';
import { WorkerPool } from '../pool.ts';
import { scheduleTimeout, waitAtMost, type Schedule } from '../schedule.ts';
import { correctionOf, timelineHeapMb, type RecordedOptions } from './jobs.ts';

export interface WholeTimelinesOptions extends RecordedOptions {
  /** Names the present content of the library, and the present corrections. */
  readonly libraryRevision: () => string;
  readonly correctionsRevision: () => number;
  readonly schedule?: Schedule | undefined;
}

interface Making {
  readonly control: TimelineControl;
  readonly ended: Promise<void>;
}

/** A request waits so long before it is told to come again, ms. */
const patienceMs = 1_000;

/** The timeline of all that was recorded, as places and summaries need it: made once for each revision, when it is asked for. */
export class WholeTimelines {
  readonly #options: WholeTimelinesOptions;
  readonly #schedule: Schedule;
  readonly #pool = new WorkerPool<Pick<typeof tasks, 'readWhole'>>({
    file: 'timeline-tasks',
    heapMb: timelineHeapMb,
  });
  #made: { readonly key: string; readonly whole: WholeTimeline } | undefined;
  #making: Making | undefined;
  #cancelForget: (() => void) | undefined;
  /** The last failure; the next request is told of it, the one after tries again. */
  #failed: { readonly key: string; readonly error: unknown } | undefined;
  #isClosed = false;

  constructor(options: WholeTimelinesOptions) {
    this.#options = options;
    this.#schedule = options.schedule ?? scheduleTimeout;
  }

  /** @throws WaypointError being_made; unavailable; why it could not be made */
  async get(): Promise<WholeTimeline> {
    const found = await this.known();
    if (found !== undefined) return found;
    if (this.#making !== undefined)
      await waitAtMost(patienceMs, this.#making.ended, this.#schedule);
    const made = await this.#find();
    if (made !== undefined) return made;
    const failed = this.#failed;
    if (failed?.key !== (await this.#key())) throw new WaypointError('being_made');
    this.#failed = undefined;
    throw failed.error;
  }

  /** Gives the timeline if it is there, else starts to make it. */
  async known(): Promise<WholeTimeline | undefined> {
    const found = await this.#find();
    if (found !== undefined || this.#making !== undefined) return found;
    if (this.#failed?.key !== (await this.#key())) this.#making ??= this.#make();
    return undefined;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelForget?.();
    this.#making?.control.cancel();
    await this.#pool.close();
    await this.#making?.ended;
  }

  async #find(): Promise<WholeTimeline | undefined> {
    const key = await this.#key();
    if (this.#made?.key !== key || this.#isClosed) return undefined;
    // Where the user was is not kept until the next change.
    this.#cancelForget?.();
    this.#cancelForget = this.#schedule(() => (this.#made = undefined), limits.timelineRetentionMs);
    return this.#made.whole;
  }

  /** Names all that the whole is made of, but for the day. @throws WaypointError unavailable once it is closed */
  async #key(): Promise<string> {
    const { libraryRevision, correctionsRevision, geodata } = this.#options;
    const generation = await geodata();
    // The stores may be closed by now, and no timer may be started.
    if (this.#isClosed) throw new WaypointError('unavailable');
    return JSON.stringify([libraryRevision(), correctionsRevision(), generation?.path]);
  }

  #make(): Making {
    const control = new TimelineControl();
    const cancelDeadline = this.#schedule(() => control.cancel(), limits.timelineDeadlineMs);
    const ended = this.#work(control).finally(() => {
      cancelDeadline();
      this.#making = undefined;
    });
    return { control, ended };
  }

  /** Never rejects. */
  async #work(control: TimelineControl): Promise<void> {
    const { libraryPath, clock, log, corrections, libraryReady, geodata } = this.#options;
    await libraryReady();
    let key = '';
    try {
      key = await this.#key();
      const generation = await geodata();
      const outcome = await this.#pool.run('readWhole', {
        libraryPath,
        geodataPath: generation?.path ?? null,
        dataset: generation?.dataset ?? null,
        corrections: corrections().map(correctionOf),
        control: control.shared,
        today: dayOf(clock.now()),
      });
      if (outcome.state === 'cancelled') throw new Error('deadline');
      this.#made = { key, whole: outcome.whole };
    } catch (error) {
      if (this.#isClosed) return;
      this.#failed = { key, error };
      log.error('timeline.failed', { reason: String(error) });
    }
  }
}
