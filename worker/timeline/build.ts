import { gzipSync } from 'node:zlib';
import { DayReader, SourcesChanged } from '../../storage/library/day-reader.ts';
import { TimelineControl } from './control.ts';
import { TimelineEngine, type TimelineFacts } from './engine.ts';
import { withGeodata, type Geodata } from './geodata.ts';
import { mergeDay } from './observations/merge-day.ts';
import { timelineOptions, type TimelineOptions } from './options.ts';
import { periodOf, type Period } from './period.ts';
import { writeResult } from './result/write-result.ts';
import type { TimelineOutcome, TimelineTask } from './task.ts';

/** How often a job begins again because files were replaced while it read them. */
const attempts = 5;
/** Days to each side of the period that are looked at, for stays across its edges: more than a silence may last. */
const lookDays = 2;
const pointsBetweenLooks = 50_000;

class Cancelled extends Error {}

/**
 * Reads the observations of a period and writes its timeline.
 * @throws errors of SQLite, DayBlobCorrupt, SourcesChanged if files go on changing.
 */
export function buildTimeline(
  task: TimelineTask,
  options: TimelineOptions = timelineOptions,
): TimelineOutcome {
  const control = new TimelineControl(task.control);
  try {
    look(control);
    return withGeodata(task, (geodata) =>
      untilUnchanged(() => run(task, options, geodata ?? options.geodata, control)),
    );
  } catch (error) {
    if (error instanceof Cancelled) return { state: 'cancelled' };
    throw error;
  }
}

/** @param processed observations of the period. */
function look(control: TimelineControl, processed?: number): void {
  if (processed !== undefined) control.setProcessed(processed);
  if (control.isCancelled) throw new Cancelled();
}

function untilUnchanged<T>(work: () => T): T {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof SourcesChanged) || attempt === attempts) throw error;
    }
  }
}

function run(
  task: TimelineTask,
  options: TimelineOptions,
  geodata: Geodata | undefined,
  control: TimelineControl,
): TimelineOutcome {
  const period = periodOf(task.startDay, task.endDay);
  const reader = new DayReader(task.libraryPath);
  try {
    const { sources } = reader;
    const observations = reader.count(period.startDay, period.endDay);
    control.setTotal(observations);
    const engine = new TimelineEngine(period, sources, geodata?.lookup, options);
    const facts = feed(engine, reader, period, control, options.onDay);
    look(control);
    const json = writeResult(facts, { dataset: geodata?.dataset ?? null, sources, options });
    look(control);
    // The fastest level: a result is kept for minutes, and is one of few.
    const compressed = gzipSync(json, { level: 1 });
    return { state: 'completed', json: compressed, bytes: json.length, observations };
  } finally {
    reader.close();
  }
}

function feed(
  engine: TimelineEngine,
  reader: DayReader,
  period: Period,
  control: TimelineControl,
  onDay?: (day: number) => void,
): TimelineFacts {
  let processed = 0;
  let sinceLook = 0;
  const last = period.endDay + lookDays;
  let day = reader.nextDay(period.startDay - lookDays);
  for (; day !== undefined && day <= last; day = reader.nextDay(day + 1)) {
    const counts = day >= period.startDay && day <= period.endDay;
    mergeDay(
      reader.rows(day),
      (row) => reader.blob(row),
      (columns, from, to, source, kind) => {
        engine.take(columns, from, to, source, kind);
        if (counts) processed += to - from;
        sinceLook += to - from;
        if (sinceLook < pointsBetweenLooks) return;
        sinceLook = 0;
        look(control, processed);
      },
    );
    look(control, processed);
    onDay?.(day);
  }
  return engine.finish();
}
