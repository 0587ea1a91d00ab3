import { kilometres, placeOf, stayTime } from '../../../model/timeline-words.ts';
import { placeLevels, type PlaceLevel } from '../../../model/admin-place.ts';
import type {
  TimelineDay,
  TimelinePlace,
  TimelineResult,
  TimelineStop,
} from '../../../model/timeline-result.ts';
import { formatDate } from '../../../model/calendar-date.ts';
import { formatTime } from '../../../model/time.ts';
import { dayOf } from '../../../storage/day-blob.ts';
import { tableLines, type TableColumn } from '../../terminal/table.ts';
import { counted, dateOf } from '../../terminal/text.ts';
import { clockOf, type Clock } from './clock.ts';

/** Rows of one level where all levels are shown. */
const overviewRows = 15;

const unnamed = '(at sea or unknown)';

type PlaceColumn = TableColumn<TimelinePlace>;

const countryName: PlaceColumn = {
  title: 'COUNTRY',
  canShrink: true,
  text: ({ level, country }) => country || (level === 'country' ? unnamed : ''),
};
const regionName: PlaceColumn = { title: 'REGION', canShrink: true, text: ({ region }) => region };
const totals: readonly PlaceColumn[] = [
  { title: 'DAYS', align: 'right', text: (place) => String(place.days) },
  { title: 'NIGHTS', align: 'right', text: (place) => String(place.nights) },
  { title: 'TIME', align: 'right', text: (place) => stayTimeOrNone(place.stop_seconds) },
];

export function spanColumns(clock: Clock): [first: PlaceColumn, last: PlaceColumn] {
  return [
    { title: 'FIRST', text: (place) => dateOf(clock(place.first_observation_utc)) },
    { title: 'LAST', text: (place) => dateOf(clock(place.last_observation_utc)) },
  ];
}

function placeColumns(result: TimelineResult, level: PlaceLevel): PlaceColumn[] {
  const [first, last] = spanColumns(clockOf(result));
  if (level === 'country') return [countryName, ...totals, first, last];
  if (level === 'region') return [regionName, countryName, ...totals, last];
  return [
    { title: 'LOCALITY', canShrink: true, text: ({ locality }) => locality },
    regionName,
    // The code of the country: two names side by side is all that 80 columns have room for.
    { title: 'CC', text: (place) => place.country_id },
    ...totals,
    last,
  ];
}

const plural: Readonly<Record<PlaceLevel, string>> = {
  country: 'countries',
  region: 'regions',
  locality: 'localities',
};

/** The rows of every level that has any, the longest times of each first. */
export async function* overviewLines(result: TimelineResult): AsyncGenerator<string> {
  for (const level of placeLevels) {
    const rows = ofLevel(result, level);
    if (rows.length === 0) continue;
    // A long journey goes through hundreds of towns; among countries every one counts.
    const shown = rows.filter((row) => level === 'country' || row.stop_seconds > 0);
    if (shown.length === 0) {
      const all = counted(rows.length, level, plural[level]);
      yield `No stay in any ${level}: --level ${level} shows ${all}.`;
    } else {
      yield* tableLines(placeColumns(result, level), shown.slice(0, overviewRows));
      const more = rows.length - Math.min(shown.length, overviewRows);
      if (more > 0) yield `… and ${more} more: --level ${level} shows all ${plural[level]}.`;
    }
    yield '';
  }
}

export async function* levelLines(
  result: TimelineResult,
  level: PlaceLevel,
): AsyncGenerator<string> {
  yield* tableLines(placeColumns(result, level), ofLevel(result, level));
  yield '';
}

function ofLevel({ places }: TimelineResult, level: PlaceLevel): TimelinePlace[] {
  return places
    .filter((place) => place.level === level)
    .toSorted((a, b) => b.stop_seconds - a.stop_seconds);
}

/** The countries in which the user was on these days, those with most days first. */
export function countriesOn(
  places: readonly TimelinePlace[],
  days: readonly TimelineDay[],
): TimelinePlace[] {
  const stays = days.flatMap(({ presence }) => presence.filter(({ kind }) => kind !== 'transit'));
  const here = new Set(stays.map(({ country_id: id }) => id));
  return places
    .filter((place) => place.level === 'country' && place.days > 0 && here.has(place.country_id))
    .toSorted((a, b) => b.days - a.days);
}

interface StopRow {
  readonly stop: TimelineStop;
  /** The way to it from the row before, metres. */
  readonly wayM: number;
  readonly arrived: string;
  readonly left: string;
  /** The name of a stop without place names. */
  readonly nameless: string;
}

const stopColumns: readonly TableColumn<StopRow>[] = [
  { title: 'ARRIVED', text: ({ stop, arrived }) => (stop.continues_before ? 'earlier' : arrived) },
  { title: 'LEFT', text: timeLeft },
  {
    title: 'TIME',
    align: 'right',
    text: ({ stop }) => (stop.kind === 'stay' ? stayTime(stop.duration_seconds) : stop.kind),
  },
  {
    title: 'KM',
    align: 'right',
    text: ({ stop, wayM }) => (stop.index === 0 ? '' : kilometres(wayM)),
  },
  { title: 'PLACE', canShrink: true, text: ({ stop, nameless }) => placeOf(stop) || nameless },
];

function timeLeft({ stop, arrived, left }: StopRow): string {
  if (stop.continues_after) return 'later';
  return dateOf(arrived) === dateOf(left) ? left.slice(11) : left;
}

/**
 * Stays and marks in the order of time, with the ways between them unless others were left out. What was only
 * passed is there for maps, and would be most of the table; the way there counts as part of the way on.
 */
export async function* stopLines(result: TimelineResult, hasWays = true): AsyncGenerator<string> {
  const { timeline, dataset } = result;
  const clock = clockOf(result);
  const nameless = dataset === null ? '' : unnamed;
  const rows: StopRow[] = [];
  let wayM = 0;
  for (const stop of timeline) {
    wayM += stop.distance_from_previous_m;
    if (stop.kind === 'pass') continue;
    const arrived = clock(stop.first_observation_utc, stop);
    const left = clock(stop.last_observation_utc, stop);
    rows.push({ stop, wayM, arrived, left, nameless });
    wayM = 0;
  }
  const columns = stopColumns.filter(({ title }) => hasWays || title !== 'KM');
  if (rows.length > 0) yield* tableLines(columns, rows);
  const passes = timeline.length - rows.length;
  const places = counted(passes, 'place');
  if (passes > 0) yield `… and ${places} only passed: timeline --stops -f csv shows all.`;
  yield '';
}

/** The days that have something, with the stops of {@link stopLines} that touch each. */
export async function* dayLines(result: TimelineResult): AsyncGenerator<string> {
  const stops = stopsByDay(result);
  const columns: readonly TableColumn<TimelineDay>[] = [
    { title: 'DAY', text: (day) => day.date_local },
    {
      title: 'POINTS',
      align: 'right',
      text: (day) => day.recorded_observations.toLocaleString('en-US'),
    },
    { title: 'STOPS', align: 'right', text: (day) => String(stops.get(day.date_local) ?? 0) },
    { title: 'TIME', align: 'right', text: (day) => stayTimeOrNone(day.stop_seconds) },
    { title: 'KM', align: 'right', text: (day) => kilometres(day.distance_m) },
    { title: 'COUNTRIES', text: (day) => day.countries.join(' ') },
  ];
  yield* tableLines(columns, result.days);
  yield '';
}

/** How many stays and marks touch a day, by `YYYY-MM-DD`. */
function stopsByDay(result: TimelineResult): Map<string, number> {
  const clock = clockOf(result);
  const counts = new Map<string, number>();
  const dayAt = (timeMs: number, stop: TimelineStop): number =>
    dayOf(Date.parse(dateOf(clock(formatTime(timeMs), stop))));
  for (const stop of result.timeline) {
    if (stop.kind === 'pass') continue;
    const firstMs = Date.parse(stop.first_observation_utc);
    // A stay until midnight has nothing of the day that begins then.
    const lastMs = Math.max(firstMs, Date.parse(stop.last_observation_utc) - 1);
    const lastDay = dayAt(lastMs, stop);
    for (let day = dayAt(firstMs, stop); day <= lastDay; day += 1) {
      const date = formatDate(day);
      counts.set(date, (counts.get(date) ?? 0) + 1);
    }
  }
  return counts;
}

/** `-` where there was no stay. */
function stayTimeOrNone(seconds: number): string {
  return seconds === 0 ? '-' : stayTime(seconds);
}
