import type {
  PlaceLevel,
  TimelineDay,
  TimelinePlace,
  TimelineResult,
  TimelineStop,
} from '../../model/timeline-result.ts';
import { print, terminalWidth } from './output.ts';
import { layOut, tableLine, titleLine, type Column } from './table.ts';
import { kilometres, minuteOf, placeOf, stayTime } from './timeline-wording.ts';
import { dateOf } from './wording.ts';

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
  country: [{ title: 'COUNTRY', canShrink: true }, ...totals],
  region: [{ title: 'REGION', canShrink: true }, { title: 'COUNTRY', canShrink: true }, ...totals],
  locality: [
    { title: 'LOCALITY', canShrink: true },
    { title: 'REGION', canShrink: true },
    { title: 'COUNTRY', canShrink: true },
    ...totals,
  ],
};

const plural: Readonly<Record<PlaceLevel, string>> = {
  country: 'countries',
  region: 'regions',
  locality: 'localities',
};

/** Prints the rows of every level, the longest times of each first. */
export async function printOverview({ places }: TimelineResult): Promise<void> {
  for (const level of ['country', 'region', 'locality'] as const) {
    const rows = rowsOf(places, level);
    if (rows.length === 0) continue;
    await printTable(placeColumns[level], rows.slice(0, overviewRows));
    const more = rows.length - overviewRows;
    if (more > 0) await print(`… and ${more} more: --level ${level} shows all ${plural[level]}.`);
    await print();
  }
}

/** Prints all rows of one level. */
export async function printLevel({ places }: TimelineResult, level: PlaceLevel): Promise<void> {
  await printTable(placeColumns[level], rowsOf(places, level));
  await print();
}

function rowsOf(places: readonly TimelinePlace[], level: PlaceLevel): string[][] {
  return places
    .filter((place) => place.level === level)
    .toSorted((a, b) => b.stop_seconds - a.stop_seconds)
    .map((place) => {
      const names = {
        country: [],
        region: [place.region],
        locality: [place.locality, place.region],
      };
      return [
        ...[...names[level], place.country].map((name) => name || unnamed),
        String(place.recorded_days),
        String(place.nights),
        place.stop_seconds === 0 ? '-' : stayTime(place.stop_seconds),
        dateOf(place.last_observation_utc),
      ];
    });
}

const stopColumns: readonly Column[] = [
  { title: 'ARRIVED' },
  { title: 'LEFT' },
  { title: 'TIME', align: 'right' },
  { title: 'KM', align: 'right' },
  { title: 'PLACE', canShrink: true },
];

/** Prints the stops in the order of time; a day's end falls into LEFT only where it is another day. */
export async function printStops({ timeline, dataset }: TimelineResult): Promise<void> {
  await printTable(
    stopColumns,
    timeline.map((stop) => stopRow(stop, dataset === null ? '' : unnamed)),
  );
  await print();
}

function stopRow(stop: TimelineStop, nameless: string): string[] {
  const [first, last] = [minuteOf(stop.first_observation_utc), minuteOf(stop.last_observation_utc)];
  const isOneDay = dateOf(first) === dateOf(last);
  return [
    stop.continues_before ? `before ${first}` : first,
    stop.continues_after ? `after ${last}` : isOneDay ? last.slice(11) : last,
    stop.kind === 'stay' ? stayTime(stop.duration_seconds) : stop.kind,
    stop.index === 0 ? '' : kilometres(stop.distance_from_previous_m),
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

/** Prints the days that have something. */
export async function printDays({ days }: TimelineResult): Promise<void> {
  await printTable(dayColumns, days.map(dayRow));
  await print();
}

function dayRow(day: TimelineDay): string[] {
  return [
    day.date_utc,
    day.recorded_observations.toLocaleString('en-US'),
    String(day.stops),
    stayTime(day.stop_seconds),
    kilometres(day.distance_m),
    day.countries.join(' '),
  ];
}

async function printTable(columns: readonly Column[], rows: readonly string[][]): Promise<void> {
  const layout = layOut(columns, rows, terminalWidth());
  await print(titleLine(layout));
  for (const row of rows) await print(tableLine(layout, row));
}
