import { gzipSync } from 'node:zlib';
import { closing } from '../../model/closing.ts';
import { dayMs, dayOf } from '../../storage/day-blob.ts';
import { DayReader, SourcesChanged, type DaySource } from '../../storage/library/day-reader.ts';
import { TimelineControl } from './control.ts';
import { TimelineEngine, type TimelineFacts } from './engine.ts';
import { withGeodata, type Geodata } from './geodata.ts';
import { mergeDay } from './observations/merge-day.ts';
import { statedSpans } from './stated.ts';
import { timelineOptions, type TimelineOptions } from './options.ts';
import { type Period } from './period.ts';
import { daysWithin, findPeriod } from './find-period.ts';
import { Calendar } from './calendar/calendar.ts';
import { writeResult, type ResultFrame } from './result/write-result.ts';
import type { TimelineOutcome, TimelineTask } from './task.ts';

/** How often a job begins again because files were replaced; then it reads the library as it is at one moment. */
const mostRestarts = 3;
/** How often a waiting job looks whether it is cancelled, ms. */
const lookMs = 100;
/** UTC days read on each side of the period: observations farther apart say nothing about the days between. */
const lookDays = 4;
const pointsBetweenLooks = 50_000;
/** The longest time that is looked at whole: a century. */
const mostDays = 36_525;
/** Most imports listed as not followed. */
const mostUnfollowed = 100;

class Cancelled extends Error {}

/**
 * Reads the observations of a period and writes its timeline.
 * @throws errors of SQLite, DayBlobCorrupt
 */
export function buildTimeline(
  task: TimelineTask,
  options: TimelineOptions = timelineOptions,
): TimelineOutcome {
  return withFacts(task, options, (facts, { observations, ...frame }) => {
    const json = writeResult(facts, frame);
    // The fastest level: a result is kept for minutes, and is one of few.
    const compressed = gzipSync(json, { level: 1 });
    return { state: 'completed', json: compressed, bytes: json.length, observations };
  });
}

/** What was read for a timeline, beside its facts. */
export interface Read extends ResultFrame {
  /** Of the period. */
  readonly observations: number;
}

/** A task whose period is all that was recorded, unless it names one. */
export type ReadTask = Omit<TimelineTask, 'startDay' | 'endDay'> &
  (Pick<TimelineTask, 'startDay' | 'endDay'> | { readonly today: number });

/**
 * Reads the observations of a period, and makes something of the facts.
 * Files that are replaced meanwhile make it begin again a while later, three times at most.
 * @throws errors of SQLite, DayBlobCorrupt
 */
export function withFacts<T>(
  task: ReadTask,
  options: TimelineOptions,
  finish: (facts: TimelineFacts, read: Read) => T,
): T | { readonly state: 'cancelled' } {
  const control = new TimelineControl(task.control);
  try {
    look(control);
    return withGeodata(task, (geodata) =>
      untilUnchanged(
        (isLast) => {
          const { facts, read } = run(task, options, geodata ?? options.geodata, control, isLast);
          look(control);
          const made = finish(facts, read);
          look(control);
          return made;
        },
        () => pause(control, options.restartMs),
      ),
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

/** @param work not to be disturbed the last time. */
function untilUnchanged<T>(work: (isLast: boolean) => T, wait: () => void): T {
  for (let restarts = 0; ; restarts += 1) {
    try {
      return work(restarts === mostRestarts);
    } catch (error) {
      if (!(error instanceof SourcesChanged)) throw error;
      wait();
    }
  }
}

function pause(control: TimelineControl, ms: number): void {
  const bell = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  for (let waited = 0; waited < ms; waited += lookMs) {
    // This is a worker: it may sleep.
    Atomics.wait(bell, 0, 0, lookMs);
    look(control);
  }
}

function run(
  task: ReadTask,
  options: TimelineOptions,
  geodata: Geodata | undefined,
  control: TimelineControl,
  isSnapshot: boolean,
): { facts: TimelineFacts; read: Read } {
  const { timeZone = 'UTC' } = task;
  const calendar = new Calendar(timeZone);
  using reader = closing(new DayReader(task.libraryPath, wantedBy(task), isSnapshot));
  const { sources } = reader;
  const days = 'today' in task ? recordedDays(reader, task) : task;
  const period = findPeriod(reader, calendar, days);
  const observations = reader.count(dayOf(period.startMs), dayOf(period.endMs - 1));
  control.set('total', observations);
  const [fromMs, toMs] = [period.startMs - lookDays * dayMs, period.endMs + lookDays * dayMs];
  const { corrections = [] } = task;
  const stated = statedSpans(
    reader.stated(fromMs, toMs),
    corrections.filter(({ startMs, endMs }) => endMs > fromMs && startMs < toMs),
  );
  const engine = new TimelineEngine(period, calendar, sources, geodata?.lookup, options, stated);
  const facts = feed(engine, reader, period, control, options.onDay);
  const read = {
    unfollowedIds: idsOf(facts, sources),
    dataset: geodata?.dataset ?? null,
    lookup: geodata?.lookup,
    sources,
    corrections,
    options,
    timeZone,
    observations,
  };
  return { facts, read };
}

/**
 * The UTC days of all observations and of stays that the user states, but for those that a clock ahead of time has dated and
 * what no one alive recorded.
 */
function recordedDays(
  reader: DayReader,
  {
    today,
    corrections = [],
  }: { readonly today: number; readonly corrections?: ReadTask['corrections'] },
): Pick<Period, 'startDay' | 'endDay'> {
  const [oldest, newest] = [today + 2 - mostDays, today + 2];
  const stated = corrections.filter(({ kind, latE7 }) => kind === 'stay' && latE7 !== undefined);
  const startDay = stated.reduce(
    (first, { startMs }) => Math.min(first, Math.max(oldest, dayOf(startMs))),
    reader.nextDay(oldest) ?? newest,
  );
  const lasts = [
    ...reader.sources.map(({ lastMs }) => lastMs ?? 0),
    ...stated.map(({ endMs }) => endMs),
  ];
  const endDay = lasts.reduce(
    (latest, lastMs) => Math.max(latest, Math.min(newest, dayOf(lastMs) + 1)),
    startDay,
  );
  return { startDay: startDay - 1, endDay };
}

function wantedBy({ only, without = [] }: ReadTask): (importId: number) => boolean {
  const [wanted, unwanted] = [new Set(only), new Set(without)];
  return (id) => (only === undefined || wanted.has(id)) && !unwanted.has(id);
}

/** Gives the ids of the imports that were not followed. */
function idsOf({ unfollowed }: TimelineFacts, sources: readonly DaySource[]): number[] {
  const first = [...unfollowed.keys()].slice(0, mostUnfollowed);
  return first.map((source) => sources[source]!.id).toSorted((a, b) => a - b);
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
  const [firstDay, lastDay] = [dayOf(period.startMs), dayOf(period.endMs - 1)];
  for (const day of daysWithin(reader, firstDay - lookDays, lastDay + lookDays)) {
    const counts = day >= firstDay && day <= lastDay;
    mergeDay(reader, day, (columns, from, to, source, kind) => {
      engine.take(columns, from, to, source, kind);
      if (counts) processed += to - from;
      sinceLook += to - from;
      if (sinceLook < pointsBetweenLooks) return;
      sinceLook = 0;
      look(control, processed);
    });
    look(control, processed);
    onDay?.(day);
  }
  return engine.finish();
}
