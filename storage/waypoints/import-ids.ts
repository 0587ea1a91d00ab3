import { closing } from '../../model/closing.ts';
import { openReader } from '../database.ts';
import { prepareValue } from '../prepared.ts';
import { waypointTables } from '../schema/waypoints.ts';

/** The ids of active imports with these contents, ascending. @throws errors of SQLite */
export function importIdsOf(waypointsPath: string, contents: readonly string[]): number[] {
  using db = closing(openReader(waypointsPath));
  const idOf = prepareValue(db, (sha256: string) =>
    waypointTables
      .selectFrom('imports')
      .select('id')
      .where('sha256', '=', sha256)
      .where('state', '=', 'active')
      .orderBy('id')
      .limit(1),
  );
  return contents.flatMap((sha256) => idOf.get(sha256) ?? []).toSorted((a, b) => a - b);
}
