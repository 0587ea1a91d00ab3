import { gzipSync } from 'node:zlib';
import { GeodataLookup } from '../../geodata/lookup.ts';
import type { AdminLookup, AdminPlace } from '../../model/admin-place.ts';
import { DayReader, SourcesChanged } from '../../storage/library/day-reader.ts';
import { TimelineControl } from './control.ts';
import { TimelineEngine, type TimelineFacts } from './engine.ts';
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

class GeodataFailed extends Error {
  override readonly name = 'GeodataFailed';
}

/**
 * Reads the observations of a period and writes its timeline.
 * @throws errors of SQLite, DayBlobCorrupt, UnusableGeneration, SourcesChanged if files go on changing.
 */
export function buildTimeline(
  task: TimelineTask,
  options: TimelineOptions = timelineOptions,
): TimelineOutcome {
  const control = new TimelineControl(task.control);
  try {
    if (control.isCancelled) throw new Cancelled();
    return withLookup(task, (lookup) =>
      untilUnchanged(() => run(task, control, { ...options, ...lookup })),
    );
  } catch (error) {
    if (error instanceof Cancelled) return { state: 'cancelled' };
    throw error;
  }
}

function withLookup<T>(
  { geodataPath }: TimelineTask,
  work: (lookup: Pick<TimelineOptions, 'lookup'>) => T,
): T {
  if (geodataPath === null) return work({});
  const geodata = new GeodataLookup(geodataPath);
  try {
    return work({ lookup: { find: (lat, lon) => findIn(geodata, lat, lon) } });
  } finally {
    geodata.close();
  }
}

/** What is wrong with a generation must not pass for damage to the library. */
function findIn(geodata: AdminLookup, lat: number, lon: number): AdminPlace {
  try {
    return geodata.find(lat, lon);
  } catch {
    throw new GeodataFailed();
  }
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
  control: TimelineControl,
  options: TimelineOptions,
): TimelineOutcome {
  const period = periodOf(task.startDay, task.endDay);
  const reader = new DayReader(task.libraryPath);
  try {
    const observations = reader.count(period.startDay, period.endDay);
    control.setTotal(observations);
    const { sources } = reader;
    const engine = new TimelineEngine(period, sources, options.lookup, options);
    const facts = feed(engine, reader, period, { control, options });
    const json = writeResult(facts, { dataset: task.dataset, sources, options });
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
  { control, options }: { control: TimelineControl; options: TimelineOptions },
): TimelineFacts {
  let processed = 0;
  let sinceLook = 0;
  const look = (): void => {
    sinceLook = 0;
    control.setProcessed(processed);
    if (control.isCancelled) throw new Cancelled();
  };
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
        if (sinceLook >= pointsBetweenLooks) look();
      },
    );
    look();
    options.onDay?.(day);
  }
  return engine.finish();
}
