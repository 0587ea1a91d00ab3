import { csvLine, withoutFormula } from '../../formats/export/csv.ts';
import { formatDate, parseDate } from '../../model/calendar-date.ts';
import { usageError } from '../../model/exit-error.ts';
import { limits } from '../../model/limits.ts';
import type { TimelineDay, TimelinePlace, TimelineResult } from '../../model/timeline-result.ts';
import { dayOf } from '../../storage/day-blob.ts';
import { defineCommand } from '../program/command.ts';
import { withDaemon } from '../program/connection.ts';
import { note, write } from '../terminal/output.ts';
import { tableLines, type TableColumn } from '../terminal/table.ts';
import { counted, forTerminal, wrapText } from '../terminal/text.ts';
import { calendarSvg } from './timeline/calendar-svg.ts';
import {
  parseWindow,
  reportWindow,
  type DayWindow,
  type WindowReport,
} from './timeline/day-window.ts';
import { periodOptions, requestOf, sourceOptions, zoneOptions } from './timeline/period.ts';
import { filledIn, runTimeline } from './timeline/run.ts';
import { clockOf } from './timeline/clock.ts';
import { countriesOn, spanColumns } from './timeline/tables.ts';
import {
  emptyLines,
  isEmpty,
  noteWidth,
  unfollowedLine,
  zoneSentence,
} from './timeline/wording.ts';
import { yearBars } from './timeline/year-bar.ts';

const schengen = 'schengen';

interface Report {
  readonly start_date: string;
  readonly end_date: string;
  readonly time_zone: string;
  readonly result: TimelineResult;
  readonly countries: readonly TimelinePlace[];
  /** Those of the period in the countries that were asked for. */
  readonly days: readonly TimelineDay[];
  readonly window?: WindowReport;
}

export const command = defineCommand({
  name: 'days',
  summary: 'count days and nights by country, for a tax office or a border',
  description:
    'Counts your days and nights in each country: recorded, inferred and unknown ones told apart. Days are those of the place where you were, unless --utc or --zone says otherwise. Without a period it is this year.',
  arguments: '[period...]',
  options: {
    '--last <span>': periodOptions['--last <span>'],
    ...zoneOptions,
    ...sourceOptions,
    '--in <countries>':
      'only these: codes such as ES,PT, or schengen (each country since it joined)',
    '--window <most/days>': 'at most so many days of any so many, such as 90/180',
    '--csv': 'every day as a line for a spreadsheet',
    '--svg': 'a picture: the calendar of each year by country',
  },
  examples: [
    'days 2024',
    'days 2024 --in ES',
    'days --last 1y --in schengen --window 90/180',
    'days 2024 --csv > days.csv',
    'days 2024 --svg > days.svg',
  ],
  notes: 'docs/days.md says how days are counted, and what the answer is not.',
  async run({ context, words: [words], options }) {
    if (options.csv && options.svg) throw usageError('Choose one of --csv and --svg.');
    const window = options.window === undefined ? undefined : parseWindow(options.window);
    const isIn = countryFilter(options.in);
    const today = dayOf(Date.now());
    const thisYear = words.length === 0 && options.last === undefined;
    const period = thisYear ? [formatDate(today).slice(0, 4)] : words;
    const request = requestOf(period, options, today);
    return withDaemon(
      { context, endsInOrder: true, needsLibrary: true },
      async (client, { stopped }) => {
        const asked = await filledIn(client, request);
        const result = await runTimeline(client, asked, stopped);
        if (result === undefined) return undefined;
        const earlier =
          window === undefined
            ? undefined
            : await runTimeline(client, before(asked, window), stopped);
        const last = formatDate(Math.min(today, parseDate(asked.end_date) ?? today));
        const days = result.days.filter(isIn);
        const all = [...(earlier?.days.filter(isIn) ?? []), ...days].map(
          ({ date_local: date }) => date,
        );
        const first = asked.start_date < last ? asked.start_date : last;
        return {
          ...asked,
          time_zone: result.period.time_zone,
          result,
          days,
          countries: countriesOn(result.places, days),
          ...(window === undefined ? {} : { window: reportWindow(window, all, first, last) }),
        } satisfies Report;
      },
    );
  },
  json: ({ result, countries, days, ...report }) => ({
    ...report,
    countries,
    days,
    unknown_days: result.summary.unknown_days,
    unknown_nights: result.summary.unknown_nights,
    transit_nights: result.summary.transit_nights,
    dataset: result.dataset,
    semantics: result.period.semantics,
  }),
  show: (report, { options }) =>
    options.svg ? writeSvg(report) : options.csv ? writeCsv(report) : reportLines(report),
});

type DayFilter = (day: TimelineDay) => boolean;

/** @throws ExitError 64 */
function countryFilter(text: string | undefined): DayFilter {
  if (text === undefined) return () => true;
  const isSchengen = text.toLowerCase() === schengen;
  const codes = new Set(text.split(',').map((code) => countryCode(code.trim())));
  if (!isSchengen && codes.has(undefined)) {
    throw usageError(
      `${forTerminal(text)} are no countries. Write codes such as ES,PT, or schengen.`,
    );
  }
  return ({ presence, date_local: date }) =>
    presence.some(
      ({ country_id: id, kind }) =>
        kind !== 'transit' && (isSchengen ? isInSchengen(id, date) : codes.has(id)),
    );
}

/** The code in use for a code, GB for UK; undefined for none of a country, which would count no days without a word. */
function countryCode(text: string): string | undefined {
  if (!/^[a-z]{2}$/iu.test(text)) return undefined;
  const { region = '' } = new Intl.Locale(`und-${text}`);
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
  return names.of(region) === undefined ? undefined : region;
}

/** The days that windows reach back to, and one more: the window of one day reaches back to none. */
function before<T extends { start_date: string; end_date: string }>(
  asked: T,
  { days }: DayWindow,
): T {
  const start = parseDate(asked.start_date) ?? 0;
  if (days > limits.timelineDays) throw usageError('The window is too long.');
  return { ...asked, start_date: formatDate(start - days), end_date: formatDate(start - 1) };
}

const columns: readonly TableColumn<TimelinePlace>[] = [
  { title: 'COUNTRY', canShrink: true, text: ({ country }) => country || '(at sea or unknown)' },
  { title: 'DAYS', align: 'right', text: ({ days }) => String(days) },
  { title: 'INFERRED', align: 'right', text: ({ days_inferred: days }) => String(days) },
  { title: 'NIGHTS', align: 'right', text: ({ nights }) => String(nights) },
  { title: 'INFERRED', align: 'right', text: ({ nights_inferred: nights }) => String(nights) },
];

async function* reportLines(report: Report): AsyncGenerator<string> {
  const { result, countries, days, start_date: start, end_date: end } = report;
  if (isEmpty(result)) return emptyLines(result).forEach(note);
  const head = `Days and nights from ${start} to ${end}. ${zoneSentence(report.time_zone)}`;
  yield* wrapText(head, noteWidth);
  yield '';
  yield* tableLines([...columns, ...spanColumns(clockOf(result))], countries);
  yield '';
  yield* yearBars(days);
  if (days.length > 0) yield* ['# at least four days of a week, + fewer, . none', ''];
  for (const line of [...windowLines(report), ...footLines(report)]) {
    yield* wrapText(line, noteWidth);
  }
}

function windowLines({ window }: Report): string[] {
  if (window === undefined) return [];
  const { most, days, on, used, left, greatest, greatest_on: at, exceeded_on: over } = window;
  return [
    `${counted(used, 'day')} of the ${days} until ${on}; ${left} of ${most} are left.`,
    `Greatest number in any ${days} days: ${greatest}, on ${at}.`,
    over === undefined
      ? `Staying on from ${on}, the last day allowed is ${window.limit_reached_on}.`
      : `Limit first exceeded on ${over}.`,
    '',
  ];
}

/** Caveats for the numbers of days. */
function footLines({ result, days }: Report): string[] {
  const { unknown_days, unknown_nights, transit_nights, unfollowed_observations } = result.summary;
  const { dataset } = result;
  return [
    `${counted(days.length, 'day')} listed. Of the whole period ${counted(unknown_days, 'day')} and ${counted(unknown_nights, 'night')} between the first and the last observation are unknown; ${counted(transit_nights, 'night')} in transit.`,
    `A day counts in every country with an observation of that day that was not in the air: the day of a border crossing in both. Inferred: nothing was recorded, but the observations before and after, at most 72 hours apart, are in the same country. Nights are 03:00 solar time.`,
    ...(unfollowed_observations > 0 ? [unfollowedLine(result.summary)] : []),
    dataset === null
      ? 'No geodata could be opened: there are no countries.'
      : forTerminal(`Borders: geodata ${dataset.dataset_version}, ${dataset.attribution}.`),
    'Worked out from imported recordings; it is no official record. Rules: docs/days.md',
  ];
}

async function writeSvg({ result, days }: Report): Promise<void> {
  if (isEmpty(result)) return emptyLines(result).forEach(note);
  await write(calendarSvg(result, days));
}

async function writeCsv({ days }: Report): Promise<void> {
  await write(csvLine(['date', 'utc_offset_minutes', 'country_id', 'kind', 'observations']));
  for (const day of days) {
    for (const { country_id: id, kind } of day.presence) {
      const cells = [day.date_local, String(day.utc_offset_minutes), id, kind];
      await write(csvLine([...cells.map(withoutFormula), String(day.recorded_observations)]));
    }
  }
}

/**
 * Since when days in a country count for the short stays of the Schengen area (ISO 3166-1 alpha-2 → first day). Territories
 * with codes of their own (Greenland, Réunion …) are not part of it.
 */
const since: Readonly<Record<string, string>> = {
  ...from('1995-03-26', 'BE DE ES FR LU MC NL PT'),
  ...from('1997-10-26', 'IT'),
  ...from('1997-12-01', 'AT'),
  ...from('2000-01-01', 'GR'),
  ...from('2001-03-25', 'DK FI IS NO SE'),
  ...from('2007-12-21', 'CZ EE HU LT LV MT PL SI SK'),
  ...from('2008-12-12', 'CH'),
  ...from('2011-12-19', 'LI'),
  ...from('2023-01-01', 'HR'),
  ...from('2024-03-31', 'BG RO'),
};

function from(date: string, countries: string): Record<string, string> {
  return Object.fromEntries(countries.split(' ').map((country) => [country, date]));
}

/** Whether a day (`YYYY-MM-DD`) in a country is one in the Schengen area. */
export function isInSchengen(country: string, date: string): boolean {
  const first = since[country];
  return first !== undefined && date >= first;
}
