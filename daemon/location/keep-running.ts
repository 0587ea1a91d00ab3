import { describeError } from '../../model/error-description.ts';
import type { Log } from '../../model/process.ts';
import { pause, type Schedule } from '../schedule.ts';
import { SourceFailed, type LocationSource } from './location-source.ts';

const firstBackOffMs = 1_000;
const longestBackOffMs = 300_000;

export interface KeepRunningOptions {
  /** Takes what the source reports; tells whether it was a position. */
  readonly report: (fix: unknown) => boolean;
  readonly signal: AbortSignal;
  readonly schedule: Schedule;
  readonly log: Log;
}

/** Runs one session of a source after the other until the signal is aborted; never rejects. */
export async function keepRunning(
  source: LocationSource,
  { report, signal, schedule, log }: KeepRunningOptions,
): Promise<void> {
  let failures = 0;
  while (!signal.aborted) {
    let hasPosition = false;
    let failure: unknown;
    try {
      await source.run((fix) => {
        if (!signal.aborted && report(fix)) hasPosition = true;
      }, signal);
    } catch (error) {
      failure = error;
    }
    if (signal.aborted) return;
    failures = hasPosition ? 0 : failures + 1;
    const pauseMs = hasPosition ? source.pauseMs : backOffMs(failures, failure);
    // A machine without such a source is no news each time.
    const write = failures <= 1 ? log.info : log.debug;
    const why = failure === undefined ? {} : describeError(failure);
    write('location.source_ended', { source: source.name, again_in_ms: pauseMs, ...why });
    // Aborted, it has nothing to wait for.
    await pause(pauseMs, schedule, signal).catch(() => undefined);
  }
}

/**
 * The pause before the next try after so many failures in a row: 1 s, 2 s, 4 s … 5 minutes. After a refusal the longest:
 * every try may ask the user anew.
 */
function backOffMs(failures: number, failure: unknown): number {
  if (failure instanceof SourceFailed && failure.code === 'refused') return longestBackOffMs;
  return Math.min(firstBackOffMs * 2 ** (failures - 1), longestBackOffMs);
}
