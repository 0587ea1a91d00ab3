import { normalizeText } from '../../model/text.ts';
import { waypointSchema, type Place, type Waypoint } from '../../model/waypoint.ts';
import type { ApiClient } from '../../client/waypoints/node/api-client.ts';
import { ExitError, usageError } from '../../model/exit-error.ts';
import { note } from '../terminal/output.ts';
import { degrees, forTerminal } from '../terminal/text.ts';

/** A position in degrees WGS84. */
export interface Position {
  readonly lat: number;
  readonly lon: number;
}

const numberText = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/u;
const positionForms = 'Write a position as 42.1 -8.3, "42.1,-8.3" or 42.1N 8.3W';
/** A longer list of homonyms is no help in choosing. */
const maxCandidates = 20;

/**
 * Reads a position given as two words or as one with a comma, in decimal degrees, with signs or with N, S, E, W.
 * @throws ExitError 64 when it is none.
 */
export function parsePosition(first: string, second?: string): Position {
  const words = second === undefined ? first.replace(/^geo:/iu, '').split(',') : [first, second];
  const [latText, lonText, ...others] = words.map((word) => word.trim());
  if (latText === undefined || lonText === undefined || others.length > 0) {
    throw usageError(`${positionForms}.`);
  }
  const lat = parseDegrees(latText, 'N', 'S');
  const lon = parseDegrees(lonText, 'E', 'W');
  if (lat === undefined || lon === undefined) throw usageError(`${positionForms}.`);
  if (Math.abs(lat) > 90) {
    throw usageError('The latitude comes first and is between -90 and 90; then the longitude.');
  }
  if (Math.abs(lon) > 180) throw usageError('The longitude is between -180 and 180.');
  return { lat, lon };
}

/** Degrees as `-8.3`, `8.3W`, `W8.3` or `8.3°W`. */
function parseDegrees(text: string, positive: string, negative: string): number | undefined {
  const letters = text.replace(/[^a-z]/giu, '').toUpperCase();
  const hasSide = letters === positive || letters === negative;
  const digits = hasSide ? text.replace(/[a-z]/giu, '').replace(/[°\s]/gu, '') : text;
  if (!numberText.test(digits)) return undefined;
  // "-8.3W" could mean either side.
  if (hasSide && /^[+-]/u.test(digits)) return undefined;
  return letters === negative ? -Number(digits) : Number(digits);
}

/**
 * Finds the one waypoint of this name; `at` says which when several have it, and saves the search.
 * @throws ExitError when there is none, or more than one.
 */
export async function findPlace(
  client: ApiClient,
  name: string,
  {
    at,
    bookmarksOnly = false,
  }: { readonly at?: string | undefined; readonly bookmarksOnly?: boolean },
): Promise<Place> {
  const wanted = normalizeText(name);
  if (at !== undefined) return { name: wanted, ...parsePosition(at) };
  const query = bookmarksOnly ? { bookmarksOnly: true } : {};
  const found: Waypoint[] = [];
  const similar = new Set<string>();
  for await (const waypoint of client.elements(waypointSchema, '/api/waypoints', { query })) {
    if (waypoint.name === wanted) found.push(waypoint);
    else if (isSimilar(waypoint.name, wanted)) similar.add(waypoint.name);
    if (found.length >= maxCandidates) break;
  }
  const [only] = found;
  if (only === undefined) throw notFound(wanted, bookmarksOnly, [...similar]);
  if (found.length > 1) throw ambiguous(found);
  return { name: only.name, lat: only.lat, lon: only.lon };
}

function isSimilar(name: string, wanted: string): boolean {
  return name.length === wanted.length && name.toLowerCase() === wanted.toLowerCase();
}

function notFound(name: string, bookmarksOnly: boolean, similar: readonly string[]): ExitError {
  const kind = bookmarksOnly ? 'bookmark' : 'waypoint';
  const hint = similar[0] === undefined ? '' : ` Did you mean "${forTerminal(similar[0])}"?`;
  return new ExitError(`No ${kind} is called "${forTerminal(name)}".${hint}`);
}

function ambiguous(found: readonly Waypoint[]): ExitError {
  for (const { lat, lon, bookmark } of found) {
    note(`  --at ${degrees(lat)},${degrees(lon)}  ${bookmark ? 'bookmark' : 'imported'}`);
  }
  const many = found.length >= maxCandidates ? `${maxCandidates} or more` : String(found.length);
  return new ExitError(
    `${many} waypoints have this name. Say which one with --at LAT,LON (above).`,
  );
}
