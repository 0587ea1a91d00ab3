import { placeLevels, type PlaceLevel } from '../../../model/admin-place.ts';
import type {
  TimelineDay,
  TimelinePlace,
  TimelineResult,
  TimelineStop,
} from '../../../model/timeline-result.ts';
import { formatDate } from '../../../model/calendar-date.ts';
import { dayOf } from '../../../storage/day-blob.ts';
import { print, terminalWidth } from '../../terminal/output.ts';
import { layOut, tableLine, titleLine, type Column } from '../../terminal/table.ts';
import { kilometres, minuteOf, placeOf, stayTime } from './wording.ts';
import { counted, dateOf } from '../../terminal/wording.ts';

/** Rows of one level where all levels are shown. */
const overviewRows = 15;

const unnamed = '(at sea or unknown)';

const totals: readonly Column[] = [
  { title: 'DAYS', align: 'right' },
  { title: 'NIGHTS', align: 'right' },
  { title: 'TIME', align: 'right' },
  { title: 'LAST' },
];

const placeColumns: Readonly<Record<PlaceLevel, readonly Column[]>> = {
  country: [
    { title: 'COUNTRY', canShrink: true },
    ...totals.slice(0, -1),
    { title: 'FIRST' },
    ...totals.slice(-1),
  ],
  region: [{ title: 'REGION', canShrink: true }, { title: 'COUNTRY', canShrink: true }, ...totals],
  locality: [
    { title: 'LOCALITY', canShrink: true },
    { title: 'REGION', canShrink: true },
    // The code of the country: two names side by side is all that 80 columns have room for.
    { title: 'CC' },
    ...totals,
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
    // Who travels far goes through hundreds of towns; among countries every one counts.
    const shown = rows.filter((row) => level === 'country' || row.stop_seconds > 0);
    if (shown.length === 0) {
      const all = counted(rows.length, level, plural[level]);
      await print(`No stay in any ${level}: --level ${level} shows ${all}.`);
    } else {
      await printTable(placeColumns[level], shown.slice(0, overviewRows).map(placeRow));
      const more = rows.length - Math.min(shown.length, overviewRows);
      if (more > 0) await print(`… and ${more} more: --level ${level} shows all ${plural[level]}.`);
    }
    await print();
  }
}

/** Prints all rows of one level. */
export async function printLevel({ places }: TimelineResult, level: PlaceLevel): Promise<void> {
  await printTable(placeColumns[level], ofLevel(places, level).map(placeRow));
  await print();
}

function ofLevel(places: readonly TimelinePlace[], level: PlaceLevel): TimelinePlace[] {
  return places
    .filter((place) => place.level === level)
    .toSorted((a, b) => b.stop_seconds - a.stop_seconds);
}

function placeRow(place: TimelinePlace): string[] {
  const { level, recorded_days, nights, stop_seconds } = place;
  const first = level === 'country' ? [dateOf(place.first_observation_utc)] : [];
  return [
    ...namesOf(place),
    String(recorded_days),
    String(nights),
    stayTimeOrNone(stop_seconds),
    ...first,
    dateOf(place.last_observation_utc),
  ];
}

function namesOf({ level, country, country_id, region, locality }: TimelinePlace): string[] {
  if (level === 'country') return [country || unnamed];
  return level === 'region' ? [region, country] : [locality, region, country_id];
}

const stopColumns: readonly Column[] = [
  { title: 'ARRIVED' },
  { title: 'LEFT' },
  { title: 'TIME', align: 'right' },
  { title: 'KM', align: 'right' },
  { title: 'PLACE', canShrink: true },
];

/**
 * Prints stays and marks in the order of time. What was only passed is there for maps, and would be most of the table; the
 * way there counts as part of the way on.
 */
export async function printStops({ timeline, dataset }: TimelineResult): Promise<void> {
  const nameless = dataset === null ? '' : unnamed;
  const rows: string[][] = [];
  let wayM = 0;
  for (const stop of timeline) {
    wayM += stop.distance_from_previous_m;
    if (stop.kind === 'pass') continue;
    rows.push(stopRow(stop, wayM, nameless));
    wayM = 0;
  }
  if (rows.length > 0) await printTable(stopColumns, rows);
  const passes = timeline.length - rows.length;
  const places = counted(passes, 'place');
  if (passes > 0) await print(`… and ${places} only passed: timeline --stops -f csv shows all.`);
  await print();
}

function stopRow(stop: TimelineStop, wayM: number, nameless: string): string[] {
  const first = minuteOf(stop.first_observation_utc);
  const last = minuteOf(stop.last_observation_utc);
  const isOneDay = dateOf(first) === dateOf(last);
  return [
    stop.continues_before ? 'earlier' : first,
    stop.continues_after ? 'later' : isOneDay ? last.slice(11) : last,
    stop.kind === 'stay' ? stayTime(stop.duration_seconds) : stop.kind,
    stop.index === 0 ? '' : kilometres(wayM),
    placeOf(stop) || nameless,
  ];
}

const dayColumns: readonly Column[] = [
  { title: 'DAY' },
  { title: 'POINTS', align: 'right' },
  { title: 'STOPS', align: 'right' },
  { title: 'TIME', align: 'right' },
  { title: 'KM', align: 'right' },
  { title: 'COUNTRIES' },
];

/** Prints the days that have something, with the stops of `printStops` that touch each. */
export async function printDays({ days, timeline }: TimelineResult): Promise<void> {
  const stops = stopsByDay(timeline);
  const rows = days.map((day) => dayRow(day, stops.get(day.date_utc) ?? 0));
  await printTable(dayColumns, rows);
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

function dayRow(day: TimelineDay, stops: number): string[] {
  return [
    day.date_utc,
    day.recorded_observations.toLocaleString('en-US'),
    String(stops),
    stayTimeOrNone(day.stop_seconds),
    kilometres(day.distance_m),
    day.countries.join(' '),
  ];
}

/** `-` where nobody stayed. */
function stayTimeOrNone(seconds: number): string {
  return seconds === 0 ? '-' : stayTime(seconds);
}

async function printTable(columns: readonly Column[], rows: readonly string[][]): Promise<void> {
  const layout = layOut(columns, rows, terminalWidth());
  await print(titleLine(layout));
  for (const row of rows) await print(tableLine(layout, row));
}
