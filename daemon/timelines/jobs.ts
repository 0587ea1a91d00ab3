import { parseDate } from '../../model/calendar-date.ts';
import { WaypointError } from '../../model/failure.ts';
import type { Clock, Log } from '../../model/process.ts';
import { parseTime } from '../../model/time.ts';
import type { TimelineRequest } from '../../model/timeline-job.ts';
import { inUnits } from '../../storage/units.ts';
import type { CorrectionRow } from '../../storage/waypoints/corrections.ts';
import type { Correction } from '../../worker/timeline-tasks.ts';
import type { Geodata } from '../geodata/geodata.ts';
import { WorkerPool } from '../pool.ts';
import { scheduleTimeout, type Schedule } from '../schedule.ts';
import { execute, type ExecutionEnd, type PreparedTask, type TimelineTasks } from './execution.ts';
import { defaultLimits, newJob, type TimelineJob, type TimelineLimits } from './job.ts';
import { TrackedJobs } from './tracked-jobs.ts';

/** Options of jobs and of the timeline of all time. */
export interface RecordedOptions {
  readonly libraryPath: string;
  readonly clock: Clock;
  readonly log: Log;
  /** The user's corrections, the oldest first. */
  readonly corrections: () => readonly CorrectionRow[];
  /** Timelines wait while a lost library is read again: their results would look complete. Never rejects. */
  readonly libraryReady: () => Promise<void>;
  /** Called when a timeline is begun; null if no generation can be opened. */
  readonly geodata: Geodata['inUse'];
}

export interface TimelineJobsOptions extends RecordedOptions {
  readonly isActive: (importId: number) => boolean;
}

/** Parts that tests replace. */
export interface TimelineOverrides {
  readonly limits?: Partial<TimelineLimits>;
  readonly schedule?: Schedule;
  readonly pool?: WorkerPool<TimelineTasks>;
}

/** The worker needs a bounded memory whatever it reads, well below this; one that needs more fails alone. */
export const timelineHeapMb = 512;

/**
 * The timeline jobs of a daemon (specification sections 3 and 8, contract E): one at a time in a worker of their own, the
 * others queued. Jobs live in memory only.
 */
export class TimelineJobs {
  readonly #options: TimelineJobsOptions;
  readonly #limits: TimelineLimits;
  readonly #schedule: Schedule;
  readonly #pool: WorkerPool<TimelineTasks>;
  readonly #tracked: TrackedJobs;
  readonly #queue: TimelineJob[] = [];
  #running:
    | { readonly job: TimelineJob; readonly execution: ReturnType<typeof execute> }
    | undefined;
  #isWorking = false;
  #isClosed = false;

  constructor(options: TimelineJobsOptions, overrides: TimelineOverrides = {}) {
    this.#options = options;
    this.#limits = { ...defaultLimits, ...overrides.limits };
    this.#schedule = overrides.schedule ?? scheduleTimeout;
    this.#pool =
      overrides.pool ?? new WorkerPool({ file: 'timeline-tasks', heapMb: timelineHeapMb });
    this.#tracked = new TrackedJobs(this.#schedule, this.#limits);
  }

  /**
   * Queues a job.
   * @returns its id.
   * @throws WaypointError busy, unavailable; invalid for imports that there are not
   */
  submit(request: TimelineRequest): string {
    if (this.#isClosed) throw new WaypointError('unavailable');
    this.#activeOnly(request, 'sources');
    this.#activeOnly(request, 'exclude_sources');
    if (this.#queue.length >= this.#limits.queued) throw new WaypointError('busy');
    const job = newJob(request, this.#options.clock.now());
    if (!this.#tracked.add(job)) throw new WaypointError('busy');
    this.#queue.push(job);
    void this.#work();
    return job.id;
  }

  /** The jobs that are not over. */
  counts(): { readonly queued: number; readonly running: number } {
    return { queued: this.#queue.length, running: this.#running === undefined ? 0 : 1 };
  }

  /** @throws WaypointError not_found for a job that is unknown, or no longer known */
  find(id: string): Readonly<TimelineJob> {
    const job = this.#tracked.find(id);
    if (job === undefined) throw new WaypointError('not_found');
    return job;
  }

  /**
   * Cancels a job: at once in the queue, within a second in the worker.
   * @throws WaypointError not_found, timeline_over
   */
  cancel(id: string): void {
    const job = this.find(id);
    const at = this.#queue.findIndex((queued) => queued === job);
    const [queued] = at === -1 ? [] : this.#queue.splice(at, 1);
    if (queued !== undefined) this.#end(queued, { state: 'cancelled' });
    else if (this.#running?.job === job) this.#cancelRunning();
    else throw new WaypointError('timeline_over');
  }

  /** Cancels all jobs, waits for the worker to let go of its own and ends it. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const job of this.#queue.splice(0)) this.#end(job, { state: 'cancelled' });
    this.#cancelRunning();
    await this.#running?.execution.ended;
    this.#tracked.close();
    await this.#pool.close();
  }

  #cancelRunning(): void {
    if (this.#running === undefined) return;
    this.#running.job.state = 'cancelling';
    this.#running.execution.cancel();
  }

  async #work(): Promise<void> {
    if (this.#isWorking) return;
    this.#isWorking = true;
    while (this.#queue.length > 0) {
      await this.#options.libraryReady();
      const job = this.#queue.shift();
      if (job !== undefined) await this.#execute(job);
    }
    this.#isWorking = false;
  }

  async #execute(job: TimelineJob): Promise<void> {
    const prepare = () => this.#prepare(job);
    const execution = execute(this.#pool, this.#schedule, this.#limits, prepare);
    job.state = 'running';
    job.startedAt = this.#options.clock.now();
    const startedMs = this.#options.clock.monotonic();
    job.progress = () => execution.control.read();
    this.#running = { job, execution };
    const end = await execution.ended;
    this.#running = undefined;
    this.#end(job, end, this.#options.clock.monotonic() - startedMs);
  }

  async #prepare({ request }: TimelineJob): Promise<PreparedTask> {
    const geodata = await this.#options.geodata();
    return {
      libraryPath: this.#options.libraryPath,
      only: this.#activeOnly(request, 'sources'),
      without: this.#activeOnly(request, 'exclude_sources'),
      corrections: this.#options.corrections().map(correctionOf),
      geodataPath: geodata?.path ?? null,
      dataset: geodata?.dataset ?? null,
      timeZone: request.time_zone ?? 'UTC',
      startDay: dayOf(request.start_date),
      endDay: dayOf(request.end_date),
    };
  }

  #activeOnly(
    request: TimelineRequest,
    field: 'sources' | 'exclude_sources',
  ): readonly number[] | undefined {
    const ids = request[field];
    if (ids?.every(this.#options.isActive) === false) throw new WaypointError('invalid', { field });
    return ids;
  }

  #end(job: TimelineJob, end: ExecutionEnd, durationMs = 0): void {
    const { clock, log } = this.#options;
    job.finishedAt = clock.now();
    if (end.state === 'completed' && this.#tracked.makeRoom(end.json.length)) {
      job.state = 'completed';
      job.result = end.json;
    } else if (end.state === 'cancelled') {
      job.state = 'cancelled';
    } else {
      job.state = 'failed';
      job.error = end.state === 'late' ? 'late' : 'failed';
      log.error('timeline.failed', { reason: reasonOf(end) });
    }
    this.#tracked.ended(job);
    log.info('timeline.ended', {
      state: job.state,
      observations: job.progress().processed,
      duration_ms: Math.round(durationMs),
    });
  }
}

export function correctionOf({ id, kind, mode, lat, lon, ...row }: CorrectionRow): Correction {
  const [startMs, endMs] = [parseTime(row.start_utc)!, parseTime(row.end_utc)!];
  return { id, kind, mode, startMs, endMs, latE7: lat && inUnits(lat), lonE7: lon && inUnits(lon) };
}

function dayOf(date: string): number {
  const day = parseDate(date);
  if (day === undefined) throw new RangeError("The request's schema lets real dates through only.");
  return day;
}

/** The worker's errors hold no paths. */
function reasonOf(end: ExecutionEnd): string {
  if (end.state !== 'failed') return end.state === 'late' ? 'deadline' : 'too large';
  return end.cause instanceof Error ? end.cause.message : String(end.cause);
}
