import { csvLine, withoutFormula } from '../../../formats/export/csv.ts';
import { knownFields } from '../../../model/schema.ts';
import { timelineStopSchema, type TimelineStop } from '../../../model/timeline-result.ts';
import { write } from '../../terminal/output.ts';

/** Writes stops as CSV, with their position once. */
export function writeStops(stops: readonly TimelineStop[]): Promise<void> {
  return writeRows(knownFields(timelineStopSchema.omit({ lat: true, lon: true })), stops);
}

/** Writes rows as CSV; the columns are fields of them, in their order. */
export async function writeRows(columns: readonly string[], rows: Iterable<object>): Promise<void> {
  await write(csvLine(columns));
  for (const row of rows) {
    const cells: ReadonlyMap<string, unknown> = new Map(Object.entries(row));
    await write(csvLine(columns.map((column) => cellText(cells.get(column)))));
  }
}

/** Items of a list are separated by blanks, the parts of an item by colons: `DE:recorded FR:recorded`. */
function cellText(cell: unknown): string {
  const items = Array.isArray(cell) ? cell.map(itemText).join(' ') : itemText(cell);
  return typeof cell === 'number' ? items : withoutFormula(items);
}

function itemText(item: unknown): string {
  if (typeof item === 'object' && item !== null) return Object.values(item).join(':');
  if (typeof item === 'string') return item;
  return item === undefined ? '' : JSON.stringify(item);
}
