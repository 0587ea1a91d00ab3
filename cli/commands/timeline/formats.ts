import type { PlaceLevel } from '../../../model/admin-place.ts';
import { knownFields } from '../../../model/schema.ts';
import {
  timelineDaySchema,
  timelinePlaceSchema,
  timelineStopSchema,
  type TimelineResult,
} from '../../../model/timeline-result.ts';
import { csvLine, withoutFormula } from '../../../formats/export/csv.ts';
import { write } from '../../terminal/output.ts';

/** Writes stops as GeoJSON points (RFC 7946), one feature a line. */
export async function writeGeoJson({ timeline }: TimelineResult): Promise<void> {
  await write('{"type":"FeatureCollection","features":[');
  for (const [at, { latitude, longitude, ...properties }] of timeline.entries()) {
    const geometry = { type: 'Point', coordinates: [longitude, latitude] };
    const feature = { type: 'Feature', geometry, properties };
    await write(`${at === 0 ? '' : ','}\n${JSON.stringify(feature)}`);
  }
  await write('\n]}\n');
}

/** What of a timeline is wanted. */
export interface TimelineChoice {
  readonly stops: boolean;
  readonly days: boolean;
  readonly level: PlaceLevel | undefined;
}

/** Writes stops, days or places as CSV; the columns are the fields of the API, in their order. */
export function writeCsv(result: TimelineResult, choice: TimelineChoice): Promise<void> {
  if (choice.stops) return writeRows(knownFields(timelineStopSchema), result.timeline);
  if (choice.days) return writeRows(knownFields(timelineDaySchema), result.days);
  const places = result.places.filter(({ level }) => level === (choice.level ?? level));
  return writeRows(knownFields(timelinePlaceSchema), places);
}

async function writeRows(columns: readonly string[], rows: readonly object[]): Promise<void> {
  await write(csvLine(columns));
  for (const row of rows) {
    const cells: ReadonlyMap<string, unknown> = new Map(Object.entries(row));
    await write(csvLine(columns.map((column) => cellText(cells.get(column)))));
  }
}

/** The countries of a day are separated by blanks. */
function cellText(cell: unknown): string {
  if (Array.isArray(cell)) return withoutFormula(cell.join(' '));
  if (typeof cell === 'string') return withoutFormula(cell);
  return cell === undefined ? '' : JSON.stringify(cell);
}
