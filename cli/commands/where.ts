import { kilometres, placeOf, stayTime } from '../../model/timeline-words.ts';
import { formatDate, parseDate } from '../../model/calendar-date.ts';
import { usageError } from '../../model/exit-error.ts';
import { formatTime, parseTime } from '../../model/time.ts';
import type { TimelineRequest } from '../../model/timeline-job.ts';
import { momentAt, partAt } from '../../model/moment.ts';
import type { TimelineResult, TimelineStop } from '../../model/timeline-result.ts';
import { dayOf } from '../../storage/day-blob.ts';
import { defineCommand } from '../program/command.ts';
import { note } from '../terminal/output.ts';
import { degrees, forTerminal } from '../terminal/text.ts';
import { clockOf, instantOf, type Clock } from './timeline/clock.ts';
import { writeStops } from './timeline/csv.ts';
import { choiceOf, sourceOptions, zoneOptions } from './timeline/period.ts';
import { timelineOf } from './timeline/run.ts';
import { stopLines } from './timeline/tables.ts';
import { emptyLines, footLines, headLines, isEmpty, minuteOf } from './timeline/wording.ts';

/** Days looked at before and after: twice what a silence within a stay may last. */
const daysAround = 3;
/** The first and the last day that can be written. */
const [minDay, maxDay] = [dayOf(-62_167_219_200_000), dayOf(253_402_300_799_999)];

const kinds: Readonly<Record<TimelineStop['kind'], string>> = {
  stay: '',
  mark: ' (a single point)',
  pass: ' (passing through)',
};

export const command = defineCommand({
  name: 'where',
  summary: 'show where you were at a moment',
  description:
    'Shows at which stop of the timeline you were at a moment, or between which two; of a day without a time the stops of that day.',
  arguments: '<time...>',
  options: {
    ...zoneOptions,
    ...sourceOptions,
    '--csv': 'a line for each stop of a day, for a spreadsheet',
  },
  examples: [
    'where yesterday',
    'where 2019-07-14T15:30Z',
    'where 2019-07-14 15:30',
    'where 2019-07-14',
    'where 2019-07-14T17:30+02:00 --json',
  ],
  notes: `Days and times, also a time without a zone that you ask for, are those of the place where you were.
"today" and "yesterday" are dates of this machine.`,
  async run({ context, words: [words], options }) {
    const choice = choiceOf(options);
    const text = momentOf(words.join(' ').trim(), new Date());
    const isDay = parseDate(text) !== undefined;
    if (options.csv && !isDay) throw usageError('CSV has the stops of a day: leave out the time.');
    if (isDay) {
      const result = await timelineOf(context, { start_date: text, end_date: text, ...choice });
      return result && { result, date: text, timeMs: undefined };
    }
    const { timeMs, hasZone } = parseMoment(text);
    const result = await timelineOf(context, { ...periodAround(timeMs), ...choice });
    const instant = result && (hasZone ? timeMs : instantOf(result, timeMs));
    return result && { result, date: text, timeMs: instant };
  },
  json: ({ result, date, timeMs }) =>
    timeMs === undefined
      ? { date_local: date, stops: result.timeline, dataset: result.dataset }
      : { time_utc: formatTime(timeMs), ...whereAt(result, timeMs), dataset: result.dataset },
  show({ result, timeMs }, { options }) {
    if (timeMs !== undefined) return momentLines(result, timeMs);
    return options.csv ? writeStops(result.timeline) : dayLines(result);
  },
});

async function* dayLines(result: TimelineResult): AsyncGenerator<string> {
  if (isEmpty(result)) return emptyLines(result).forEach(note);
  yield* headLines(result);
  yield '';
  yield* stopLines(result);
  yield* footLines(result);
}

/** `now`, `today` and `yesterday` of this machine's clock; anything else as it is. */
export function momentOf(text: string, now: Date): string {
  if (text === 'now') return formatTime(now.getTime());
  if (text !== 'today' && text !== 'yesterday') return text;
  const today = dayOf(now.getTime() - now.getTimezoneOffset() * 60_000);
  return formatDate(text === 'yesterday' ? today - 1 : today);
}

/**
 * Reads a moment: a date and a time, with seconds or without, with `Z`, an offset or no zone.
 * @returns ms since 1970, read as UTC where there is no zone.
 * @throws ExitError 64
 */
export function parseMoment(text: string): { readonly timeMs: number; readonly hasZone: boolean } {
  const form =
    /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})(:\d{2}(?:\.\d+)?)?\s*(Z|[+-]\d{2}:?\d{2})?$/iu;
  const [, date, minutes, seconds = ':00', zone] = form.exec(text.trim()) ?? [];
  const offset = (zone ?? 'Z').toUpperCase().replace(/^([+-]\d{2})(\d{2})$/u, '$1:$2');
  const timeMs = parseTime(`${date}T${minutes}${seconds}${offset}`);
  if (timeMs !== undefined) return { timeMs, hasZone: zone !== undefined };
  throw usageError(
    `${forTerminal(text)} is no moment. Write 2019-07-14T15:30Z, 2019-07-14 15:30, or 2019-07-14 for its stops.`,
  );
}

/** The days that tell where the user was at an instant (ms since 1970). */
export function periodAround(timeMs: number, around = daysAround): TimelineRequest {
  const day = dayOf(timeMs);
  return {
    start_date: formatDate(Math.max(minDay, day - around)),
    end_date: formatDate(Math.min(maxDay, day + around)),
  };
}

/** At which stop of a timeline an instant (ms since 1970) lies, or between which. */
function* momentLines(result: TimelineResult, timeMs: number): Generator<string> {
  const answer = whereAt(result, timeMs);
  const clock = clockOf(result);
  const utc = `${minuteOf(formatTime(timeMs))} UTC`;
  const local = clock(formatTime(timeMs));
  const time = result.period.time_zone === 'UTC' ? utc : `${local} (${utc})`;
  if (answer.state === 'stop') {
    yield `${time}: ${nameOf(answer.stop)}${kinds[answer.stop.kind]}`;
    return yield* stopDetails(answer.stop, clock);
  }
  const { previous, next } = answer;
  if (previous === undefined && next === undefined) {
    return note(`Nothing was recorded within ${daysAround} days of ${time}.`);
  }
  const isBetween = answer.state === 'between';
  yield `${time}: ${isBetween ? 'between two stops' : 'not known'}`;
  if (previous !== undefined) {
    yield beside(previous, 'left', clock(previous.last_observation_utc, previous));
  }
  if (next !== undefined) {
    const km = isBetween ? `, ${kilometres(next.distance_from_previous_m)} km on` : '';
    yield beside(next, 'reached', clock(next.first_observation_utc, next)) + km;
  }
  const day = result.days.find(({ date_local: date }) => local.startsWith(date));
  if ((day?.recorded_observations ?? 0) === 0) yield 'Nothing was recorded that day.';
}

function* stopDetails(stop: TimelineStop, clock: Clock): Generator<string> {
  const first = clock(stop.first_observation_utc, stop);
  const last = clock(stop.last_observation_utc, stop);
  yield `position  ${degrees(stop.latitude)}, ${degrees(stop.longitude)}`;
  yield `from      ${stop.continues_before ? 'before ' : ''}${first}`;
  yield `to        ${stop.continues_after ? 'after ' : ''}${last}`;
  if (stop.duration_seconds > 0) {
    // The stop may go on beyond the days that were read.
    const least = stop.continues_before || stop.continues_after ? 'at least ' : '';
    yield `for       ${least}${stayTime(stop.duration_seconds)}`;
  }
  if (stop.bridged_seconds > 0) {
    yield `          of which ${stayTime(stop.bridged_seconds)} are inferred: nothing was recorded`;
  }
}

function beside(stop: TimelineStop, verb: string, time: string): string {
  const done = stop.kind === 'stay' ? verb : 'passed';
  return `${done.padEnd(8)} ${time}  ${nameOf(stop)}`;
}

function nameOf(stop: TimelineStop): string {
  const position = `${degrees(stop.latitude)}, ${degrees(stop.longitude)}`;
  return placeOf(stop) || position;
}

/** Finds the stop at an instant (ms since 1970), or the stops around it with the leg between them. */
export function whereAt(result: TimelineResult, timeMs: number) {
  const moment = momentAt(result, timeMs);
  if (moment.state !== 'between') return moment;
  const { trip, ...between } = moment;
  const leg = partAt(trip?.legs ?? [], timeMs);
  return { ...between, ...(leg && { leg }) };
}
