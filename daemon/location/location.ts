import { readFix } from '../../model/fix.ts';
import { limits } from '../../model/limits.ts';
import type { Clock, LocationFix, Log } from '../../model/process.ts';
import type { Schedule } from '../schedule.ts';
import { keepRunning } from './keep-running.ts';
import { bestFix, noteFix, type KnownFix } from './known-fix.ts';
import type { LocationSource } from './location-source.ts';

export interface LocationOptions {
  readonly sources: readonly LocationSource[];
  readonly clock: Clock;
  readonly schedule: Schedule;
  readonly log: Log;
}

/**
 * Knows the position of the machine. A question starts the sources; limits.locationIdleMs after the last one they end: a
 * desktop shows that it is being watched, and a receiver takes power.
 */
export class Location {
  readonly #options: LocationOptions;
  readonly #known = new Map<string, KnownFix>();
  #lastAsked = 0;
  #running: { readonly abort: AbortController; readonly ended: Promise<unknown> } | undefined;
  #isClosed = false;

  constructor(options: LocationOptions) {
    this.#options = options;
  }

  latest(): LocationFix | undefined {
    const { clock, sources } = this.#options;
    this.#lastAsked = clock.monotonic();
    if (this.#running === undefined && sources.length > 0 && !this.#isClosed) this.#start();
    return bestFix(this.#known.values(), clock);
  }

  /** Lets go of the sources; resolves when they have ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#running?.abort.abort();
    await this.#running?.ended;
  }

  #start(): void {
    const { sources, schedule, log } = this.#options;
    const abort = new AbortController();
    const { signal } = abort;
    const runs = sources.map((source) =>
      keepRunning(source, {
        report: (fix) => this.#take(source.name, fix),
        signal,
        schedule,
        log,
      }),
    );
    const ended = Promise.all(runs).finally(() => {
      this.#running = undefined;
      this.#known.clear();
    });
    this.#running = { abort, ended };
    this.#stopWhenIdle(abort, limits.locationIdleMs);
  }

  #stopWhenIdle(abort: AbortController, delayMs: number): void {
    const { clock, schedule } = this.#options;
    const cancel = schedule(() => {
      abort.signal.removeEventListener('abort', cancel);
      const leftMs = this.#lastAsked + limits.locationIdleMs - clock.monotonic();
      if (leftMs > 0) this.#stopWhenIdle(abort, leftMs);
      else abort.abort();
    }, delayMs);
    abort.signal.addEventListener('abort', cancel, { once: true });
  }

  #take(source: string, report: unknown): boolean {
    const { clock, log } = this.#options;
    const fix = readFix(report, source, clock.now());
    if (fix === undefined) return false;
    if (!this.#known.has(source)) log.info('location.found', { source });
    this.#known.set(source, noteFix(fix, clock));
    return true;
  }
}
