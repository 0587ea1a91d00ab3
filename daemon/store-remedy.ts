import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Paths } from './paths.ts';

/** The paths in a directory; none where it is not there. */
export function entriesOf(directory: string): string[] {
  try {
    return readdirSync(directory).map((name) => join(directory, name));
  } catch {
    return []; // Not there: a first start.
  }
}

/** What stands beside `waypoints.sqlite` only if it was there once. An empty imports directory proves nothing. */
export function companionsOf(paths: Paths): string[] {
  const files = [paths.libraryDatabase, join(paths.data, 'bookmarks.gpx')];
  return [...files, ...entriesOf(paths.imports), ...entriesOf(paths.backups)];
}

/**
 * The commands that lead out when `waypoints.sqlite` is lost: back to the newest copy, or on from the bookmarks file and
 * the imports. What is left goes aside first: a write-ahead log of the lost store would be applied to whatever takes its
 * place.
 */
export function storeRemedy(paths: Paths): string {
  const aside = join(paths.data, 'damaged');
  const remains = readdirSync(paths.data).some((name) =>
    name.startsWith(basename(paths.waypointsDatabase)),
  );
  const before = remains
    ? `mkdir -p "${aside}" && mv "${paths.waypointsDatabase}"* "${aside}" && `
    : '';
  const anew = `To rebuild it from bookmarks.gpx and the imports: ${before}waypointd serve --new-store --data-dir "${paths.data}"`;
  const newest = entriesOf(paths.backups)
    .filter((path) => path.endsWith('.sqlite'))
    .toSorted()
    .at(-1);
  if (newest === undefined) return `${anew}`;
  return `To go back to the newest copy: ${before}cp "${newest}" "${paths.waypointsDatabase}". ${anew}`;
}
