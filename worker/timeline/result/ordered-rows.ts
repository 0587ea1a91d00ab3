import { Buffer } from 'node:buffer';
import { placeLevels, type AdminPlace } from '../../../model/admin-place.ts';
import type { AdminRow } from '../aggregate/admin-rows.ts';

/** The rows with most observations, those first; equal ones by level and names. */
export function largestRows(rows: Iterable<AdminRow>, most: number): AdminRow[] {
  const compare = (a: AdminRow, b: AdminRow): number =>
    b.observations - a.observations || compareLevels(a, b) || compareNames(a.place, b.place);
  return [...rows].toSorted(compare).slice(0, most);
}

/** By level, then observations descending, then names. */
export function inOrder(rows: readonly AdminRow[]): AdminRow[] {
  const compare = (a: AdminRow, b: AdminRow): number =>
    compareLevels(a, b) || b.observations - a.observations || compareNames(a.place, b.place);
  return rows.toSorted(compare);
}

function compareLevels(a: AdminRow, b: AdminRow): number {
  return placeLevels.indexOf(a.level) - placeLevels.indexOf(b.level);
}

const nameKeys = [
  'country',
  'region',
  'locality',
  'country_id',
  'region_id',
  'locality_id',
] as const satisfies (keyof AdminPlace)[];

function compareNames(a: AdminPlace, b: AdminPlace): number {
  for (const key of nameKeys) {
    if (a[key] !== b[key]) return compareCodePoints(a[key], b[key]);
  }
  return 0;
}

/** The order of UTF-8 bytes is that of code points; that of JavaScript's strings is not. */
function compareCodePoints(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
