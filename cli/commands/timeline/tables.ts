import { placeLevels, type PlaceLevel } from '../../../model/admin-place.ts';
import type {
  TimelineDay,
  TimelinePlace,
  TimelineResult,
  TimelineStop,
} from '../../../model/timeline-result.ts';
import { formatDate } from '../../../model/calendar-date.ts';
import { dayOf } from '../../../storage/day-blob.ts';
import { print } from '../../terminal/output.ts';
import { printTable, type TableColumn } from '../../terminal/table.ts';
import { counted, dateOf } from '../../terminal/text.ts';
import { kilometres, minuteOf, placeOf, stayTime } from './wording.ts';

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
const first: PlaceColumn = {
  title: 'FIRST',
  text: (place) => dateOf(place.first_observation_utc),
};
const last: PlaceColumn = { title: 'LAST', text: (place) => dateOf(place.last_observation_utc) };
const totals: readonly PlaceColumn[] = [
  { title: 'DAYS', align: 'right', text: (place) => String(place.days) },
  { title: 'NIGHTS', align: 'right', text: (place) => String(place.nights) },
  { title: 'TIME', align: 'right', text: (place) => stayTimeOrNone(place.stop_seconds) },
];

const placeColumns: Readonly<Record<PlaceLevel, readonly PlaceColumn[]>> = {
  country: [countryName, ...totals, first, last],
  region: [regionName, countryName, ...totals, last],
  locality: [
    { title: 'LOCALITY', canShrink: true, text: ({ locality }) => locality },
    regionName,
    // The code of the country: two names side by side is all that 80 columns have room for.
    { title: 'CC', text: (place) => place.country_id },
    ...totals,
    last,
  ],
};

const plural: Readonly<Record<PlaceLevel, string>> = {
  country: 'countries',
  region: 'regions',
  locality: 'localities',
};

/** Prints the rows of every level that has any, the longest times of each first. */
export async function printOverview({ places }: TimelineResult): Promise<void> {
  for (const level of placeLevels) {
    const rows = ofLevel(places, level);
    if (rows.length === 0) continue;
    // A long journey goes through hundreds of towns; among countries every one counts.
    const shown = rows.filter((row) => level === 'country' || row.stop_seconds > 0);
    if (shown.length === 0) {
      const all = counted(rows.length, level, plural[level]);
      await print(`No stay in any ${level}: --level ${level} shows ${all}.`);
    } else {
      await printTable(placeColumns[level], shown.slice(0, overviewRows));
      const more = rows.length - Math.min(shown.length, overviewRows);
      if (more > 0) await print(`… and ${more} more: --level ${level} shows all ${plural[level]}.`);
    }
    await print();
  }
}

/** Prints all rows of one level. */
export async function printLevel({ places }: TimelineResult, level: PlaceLevel): Promise<void> {
  await printTable(placeColumns[level], ofLevel(places, level));
  await print();
}

function ofLevel(places: readonly TimelinePlace[], level: PlaceLevel): TimelinePlace[] {
  return places
    .filter((place) => place.level === level)
    .toSorted((a, b) => b.stop_seconds - a.stop_seconds);
}

interface StopRow {
  readonly stop: TimelineStop;
  /** The way to it from the row before, metres. */
  readonly wayM: number;
  /** What a stop without names is called. */
  readonly nameless: string;
}

const stopColumns: readonly TableColumn<StopRow>[] = [
  {
    title: 'ARRIVED',
    text: ({ stop }) => (stop.continues_before ? 'earlier' : minuteOf(stop.first_observation_utc)),
  },
  { title: 'LEFT', text: ({ stop }) => (stop.continues_after ? 'later' : timeLeft(stop)) },
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

function timeLeft(stop: TimelineStop): string {
  const left = minuteOf(stop.last_observation_utc);
  const isOneDay = dateOf(stop.first_observation_utc) === dateOf(left);
  return isOneDay ? left.slice(11) : left;
}

/**
 * Prints stays and marks in the order of time, with the ways between them unless others were left out. What was only
 * passed is there for maps, and would be most of the table; the way there counts as part of the way on.
 */
export async function printStops(
  { timeline, dataset }: TimelineResult,
  hasWays = true,
): Promise<void> {
  const nameless = dataset === null ? '' : unnamed;
  const rows: StopRow[] = [];
  let wayM = 0;
  for (const stop of timeline) {
    wayM += stop.distance_from_previous_m;
    if (stop.kind === 'pass') continue;
    rows.push({ stop, wayM, nameless });
    wayM = 0;
  }
  const columns = stopColumns.filter(({ title }) => hasWays || title !== 'KM');
  if (rows.length > 0) await printTable(columns, rows);
  const passes = timeline.length - rows.length;
  const places = counted(passes, 'place');
  if (passes > 0) await print(`… and ${places} only passed: timeline --stops -f csv shows all.`);
  await print();
}

/** Prints the days that have something, with the stops of `printStops` that touch each. */
export async function printDays({ days, timeline }: TimelineResult): Promise<void> {
  const stops = stopsByDay(timeline);
  const columns: readonly TableColumn<TimelineDay>[] = [
    { title: 'DAY', text: (day) => day.date_local },
    {
      title: 'POINTS',
      align: 'right',
      text: (day) => day.recorded_observations.toLocaleString('en-US'),
    },
    { title: 'STOPS', align: 'right', text: (day) => String(stops.get(day.date_utc) ?? 0) },
    { title: 'TIME', align: 'right', text: (day) => stayTimeOrNone(day.stop_seconds) },
    { title: 'KM', align: 'right', text: (day) => kilometres(day.distance_m) },
    { title: 'COUNTRIES', text: (day) => day.countries.join(' ') },
  ];
  await printTable(columns, days);
  await print();
}

/** How many stays and marks touch a UTC day, by `YYYY-MM-DD`. */
function stopsByDay(timeline: readonly TimelineStop[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const stop of timeline) {
    if (stop.kind === 'pass') continue;
    const firstMs = Date.parse(stop.first_observation_utc);
    // A stay until midnight has nothing of the day that begins then.
    const lastMs = Math.max(firstMs, Date.parse(stop.last_observation_utc) - 1);
    for (let day = dayOf(firstMs); day <= dayOf(lastMs); day += 1) {
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
