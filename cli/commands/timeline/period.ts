import { daysInMonth, formatDate, parseDate } from '../../../model/calendar-date.ts';
import { limits } from '../../../model/limits.ts';
import type { TimelineRequest } from '../../../model/timeline-job.ts';
import { isTimeZone, localTimeZone } from '../../../model/time-zone.ts';
import { usageError } from '../../../model/exit-error.ts';
import type { OptionValues } from '../../program/command.ts';
import { invocation } from '../../terminal/invocation.ts';
import { forTerminal } from '../../terminal/text.ts';
import type { WholePeriod } from './run.ts';

/** UTC days since 1970, both inclusive. */
interface Days {
  readonly first: number;
  readonly last: number;
}

const forms = 'Write 2024, 2024-07, 2024-07-14, two of these, all, or --last 30d (4w, 12m, 2y).';

/** The words that commands about days and stops understand, as far as each has them. */
type RequestOptions = Partial<OptionValues<typeof periodOptions>>;

export const sourceOptions = {
  '--sources <ids>': 'only these files, by their ids in "imports list": 3,4',
  '--exclude-sources <ids>': 'all but these files',
} as const;

export const zoneOptions = {
  '--local': 'days and times of the place where you were: the default',
  '--utc': 'days and times in UTC',
  '--zone <zone>': 'days and times of one time zone, such as Europe/Lisbon',
} as const;

export const periodOptions = {
  '--last <span>': 'the last days, weeks, months or years, today included: 30d, 4w, 12m, 2y',
  ...zoneOptions,
  ...sourceOptions,
} as const;

/**
 * Reads the period of a command, its clock, and which files count.
 * @throws ExitError 64
 */
export function requestOf(
  words: readonly string[],
  options: RequestOptions,
  today: number,
): TimelineRequest | WholePeriod {
  const choice = choiceOf(options);
  if (words.length === 1 && words[0] === 'all') return { isAll: true, ...choice };
  return { ...parsePeriod(words, options.last, today), ...choice };
}

/**
 * Reads what a request says beside its period. Every command that a person reads has the clock of the place.
 * @throws ExitError 64
 */
export function choiceOf(
  options: RequestOptions,
): Omit<TimelineRequest, 'start_date' | 'end_date'> & { readonly time_zone: string } {
  const { local = false, utc = false, zone, sources, excludeSources } = options;
  if (zone !== undefined && !isTimeZone(zone)) {
    throw usageError(`${forTerminal(zone)} is no time zone. Write one like Europe/Lisbon, or UTC.`);
  }
  if ([local, utc, zone !== undefined].filter(Boolean).length > 1)
    throw usageError('Give one of --local, --utc and --zone.');
  return {
    time_zone: zone ?? (utc ? 'UTC' : localTimeZone),
    ...(sources === undefined ? {} : { sources: idsOf(sources) }),
    ...(excludeSources === undefined ? {} : { exclude_sources: idsOf(excludeSources) }),
  };
}

function idsOf(text: string): number[] {
  const ids = text.split(',').map((word) => word.trim());
  if (!ids.every((id) => /^[1-9]\d{0,14}$/u.test(id))) {
    throw usageError(
      `${forTerminal(text)} are no ids of files. "${invocation()} imports list" shows them: 3,4.`,
    );
  }
  return ids.map(Number);
}

/**
 * Reads the period of a timeline: a year, a month or a day; from the start of one to the end of another; or the last
 * days, weeks, months or years, today included.
 * @param today UTC days since 1970.
 * @throws ExitError 64
 */
export function parsePeriod(
  words: readonly string[],
  last: string | undefined,
  today: number,
): TimelineRequest {
  const days = last === undefined ? daysOf(words) : lastDays(words, last, today);
  const count = days.last - days.first + 1;
  if (count < 1) throw usageError('The period ends before it begins.');
  if (count > limits.timelineDays) {
    const most = limits.timelineDays.toLocaleString('en-US');
    throw usageError(`A timeline covers at most ${most} days; these are ${count}.`);
  }
  return { start_date: formatDate(days.first), end_date: formatDate(days.last) };
}

function daysOf([start, end = start, ...others]: readonly string[]): Days {
  if (start === undefined || end === undefined || others.length > 0) {
    throw usageError(`Say which period. ${forms}`);
  }
  return { first: spanOf(start).first, last: spanOf(end).last };
}

function spanOf(word: string): Days {
  const [, year, month, day] = /^(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?$/u.exec(word) ?? [];
  const first = parseDate(`${year}-${month ?? '01'}-${day ?? '01'}`);
  if (year === undefined || first === undefined) {
    throw usageError(`${forTerminal(word)} is no date. ${forms}`);
  }
  if (day !== undefined) return { first, last: first };
  const last = daysInMonth(Number(year), Number(month ?? '12'));
  return { first, last: parseDate(`${year}-${month ?? '12'}-${last}`) ?? first };
}

function lastDays(words: readonly string[], last: string, today: number): Days {
  if (words.length > 0) throw usageError('Give either a period or --last, not both.');
  const [, digits = '', unit = ''] = /^(\d{1,5})([dwmy])$/u.exec(last) ?? [];
  const count = Number(digits);
  if (count === 0) throw usageError(`${forTerminal(last)} is no number of days. ${forms}`);
  if (unit === 'd') return { first: today - count + 1, last: today };
  if (unit === 'w') return { first: today - 7 * count + 1, last: today };
  return { first: monthsBefore(today, unit === 'm' ? count : 12 * count) + 1, last: today };
}

/** The same day of an earlier month, or the last day of it. */
function monthsBefore(day: number, months: number): number {
  const [year, month, date] = formatDate(day).split('-').map(Number) as [number, number, number];
  const index = year * 12 + month - 1 - months;
  const [earlierYear, earlierMonth] = [Math.floor(index / 12), (index % 12) + 1];
  const two = (value: number): string => String(value).padStart(2, '0');
  const earlierDate = Math.min(date, daysInMonth(earlierYear, earlierMonth));
  const text = `${String(earlierYear).padStart(4, '0')}-${two(earlierMonth)}-${two(earlierDate)}`;
  const earlier = parseDate(text);
  if (earlier === undefined) throw usageError('That is before all dates.');
  return earlier;
}
