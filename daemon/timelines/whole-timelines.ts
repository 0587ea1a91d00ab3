import { WaypointError } from '../../model/failure.ts';
import { limits } from '../../model/limits.ts';
import type { Clock, Log } from '../../model/process.ts';
import { dayOf } from '../../storage/day-blob.ts';
import type { CorrectionRow } from '../../storage/waypoints/corrections.ts';
import type * as tasks from '../../worker/timeline-tasks.ts';
import { TimelineControl } from '../../worker/timeline/control.ts';
import type { WholeTimeline } from '../../worker/timeline/whole/whole.ts';
import { WorkerPool } from '../pool.ts';
import { scheduleTimeout, waitAtMost, type Schedule } from '../schedule.ts';
import { correctionOf, timelineHeapMb, type TimelineGeodata } from './jobs.ts';

export interface WholeTimelinesOptions {
  readonly libraryPath: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Names the present content of the library. */
  readonly libraryRevision: () => string;
  readonly corrections: () => readonly CorrectionRow[];
  /** Never rejects. */
  readonly libraryReady: () => Promise<void>;
  /** Null if no generation can be opened. */
  readonly geodata: () => Promise<TimelineGeodata | null>;
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
  #failure: unknown;
  #isClosed = false;

  constructor(options: WholeTimelinesOptions) {
    this.#options = options;
    this.#schedule = options.schedule ?? scheduleTimeout;
  }

  /** @throws WaypointError busy while it is being made; unavailable; internal */
  async get(): Promise<WholeTimeline> {
    const found = await this.#find();
    if (found !== undefined) return found;
    this.#making ??= this.#make();
    await waitAtMost(patienceMs, this.#making.ended, this.#schedule);
    const made = await this.#find();
    if (made !== undefined) return made;
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure !== undefined) throw failure;
    throw new WaypointError('busy');
  }

  /** What there is at once; has it made where it is missing. */
  async known(): Promise<WholeTimeline | undefined> {
    const found = await this.#find();
    if (found === undefined && !this.#isClosed) this.#making ??= this.#make();
    return found;
  }

  /** Cancels what is being made. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelForget?.();
    this.#making?.control.cancel();
    await this.#pool.close();
    await this.#making?.ended;
  }

  async #find(): Promise<WholeTimeline | undefined> {
    if (this.#isClosed) throw new WaypointError('unavailable');
    if (this.#made?.key !== (await this.#key())) return undefined;
    // Where the user was is not kept until the next change.
    this.#cancelForget?.();
    this.#cancelForget = this.#schedule(() => (this.#made = undefined), limits.timelineRetentionMs);
    return this.#made.whole;
  }

  /** Names all that the whole is made of, but for the day. */
  async #key(): Promise<string> {
    const { libraryRevision, corrections, geodata } = this.#options;
    return JSON.stringify([libraryRevision(), (await geodata())?.path, corrections()]);
  }

  #make(): Making {
    const control = new TimelineControl();
    const cancelDeadline = this.#schedule(() => control.cancel(), limits.timelineDeadlineMs);
    const ended = this.#work(control)
      .catch((error: unknown) => {
        this.#failure = error;
        this.#options.log.error('timeline.failed', { reason: String(error) });
      })
      .finally(() => {
        cancelDeadline();
        this.#making = undefined;
      });
    return { control, ended };
  }

  async #work(control: TimelineControl): Promise<void> {
    const { libraryPath, clock, corrections, libraryReady, geodata } = this.#options;
    await libraryReady();
    const [key, generation] = [await this.#key(), await geodata()];
    const outcome = await this.#pool.run('readWhole', {
      libraryPath,
      geodataPath: generation?.path ?? null,
      dataset: generation?.dataset ?? null,
      corrections: corrections().map(correctionOf),
      control: control.shared,
      today: dayOf(clock.now()),
    });
    if (outcome.state === 'completed') this.#made = { key, whole: outcome.whole };
  }
}
