import { knownFields } from '../../../model/schema.ts';
import {
  timelineDaySchema,
  timelinePlaceSchema,
  timelineStopSchema,
  type TimelineDay,
  type TimelinePlace,
  type TimelineStop,
} from '../../../model/timeline-result.ts';
import { csvLine, withoutFormula } from '../../../formats/export/csv.ts';
import { write } from '../../terminal/output.ts';

/** Writes stops as GeoJSON points (RFC 7946), one feature a line. */
export async function writeGeoJson(stops: readonly TimelineStop[]): Promise<void> {
  await write('{"type":"FeatureCollection","features":[');
  for (const [at, { latitude, longitude, ...properties }] of stops.entries()) {
    const geometry = { type: 'Point', coordinates: [longitude, latitude] };
    const feature = { type: 'Feature', geometry, properties };
    await write(`${at === 0 ? '' : ','}\n${JSON.stringify(feature)}`);
  }
  await write('\n]}\n');
}

/** Writes stops as CSV; the columns are the fields of the API, in their order. */
export function writeStopsCsv(stops: readonly TimelineStop[]): Promise<void> {
  return writeCsv(knownFields(timelineStopSchema), stops);
}

/** Writes rows of places as CSV. */
export function writePlacesCsv(places: readonly TimelinePlace[]): Promise<void> {
  return writeCsv(knownFields(timelinePlaceSchema), places);
}

/** Writes days as CSV; their countries are separated by blanks. */
export function writeDaysCsv(days: readonly TimelineDay[]): Promise<void> {
  return writeCsv(
    knownFields(timelineDaySchema),
    days.map((day) => ({ ...day, countries: day.countries.join(' ') })),
  );
}

type Cell = string | number | boolean;

async function writeCsv<Row extends Readonly<Record<keyof Row, Cell>>>(
  columns: readonly string[],
  rows: readonly Row[],
): Promise<void> {
  await write(csvLine(columns));
  for (const row of rows) {
    const cells: ReadonlyMap<string, Cell> = new Map(Object.entries<Cell>(row));
    await write(csvLine(columns.map((column) => cellText(cells.get(column) ?? ''))));
  }
}

function cellText(cell: Cell): string {
  return typeof cell === 'string' ? withoutFormula(cell) : String(cell);
}
