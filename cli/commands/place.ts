import { readDegrees, type Position } from '../../model/position.ts';
import { normalizeText } from '../../model/text.ts';
import { waypointSchema, type Place, type Waypoint } from '../../model/waypoint.ts';
import { ExitError, usageError } from '../../model/exit-error.ts';
import type { DaemonClient } from '../program/daemon-client.ts';
import { note } from '../terminal/output.ts';
import type { TableColumn } from '../terminal/table.ts';
import { degrees, forTerminal, tagList } from '../terminal/text.ts';

/** The option that says which waypoint of a name is meant; see {@link findPlace}. */
export const atOption = {
  '--at <lat,lon>': 'which one, when several have this name: LAT,LON',
} as const;

export const nameColumns: readonly TableColumn<Place>[] = [
  { title: 'NAME', canShrink: true, text: ({ name }) => name },
  { title: 'LAT', align: 'right', text: ({ lat }) => degrees(lat) },
  { title: 'LON', align: 'right', text: ({ lon }) => degrees(lon) },
];

export const tagsColumn: TableColumn<Pick<Waypoint, 'tags'>> = {
  title: 'TAGS',
  canShrink: true,
  text: ({ tags }) => tagList(tags),
};

const positionForms = 'Write a position as 42.1 -8.3, "42.1,-8.3" or 42.1N 8.3W';
/** A longer list of homonyms is no help in choosing. */
const maxCandidates = 20;

/**
 * Reads a position given as two words or as one with a comma, in decimal degrees, with signs or with N, S, E, W.
 * @throws ExitError 64 for any other text.
 */
export function parsePosition(first: string, second?: string): Position {
  const degrees = readDegrees(second === undefined ? first : `${first},${second}`);
  if (degrees === undefined) throw usageError(`${positionForms}.`);
  const { lat, lon } = degrees;
  if (Math.abs(lat) > 90) {
    throw usageError('The latitude comes first and is between -90 and 90; then the longitude.');
  }
  if (Math.abs(lon) > 180) throw usageError('The longitude is between -180 and 180.');
  return { lat, lon };
}

/**
 * Finds the one waypoint of this name; `at` says which when several have it, and saves the search.
 * @throws ExitError when no waypoint, or more than one, has this name.
 */
export async function findPlace(
  client: DaemonClient,
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
