import type { Database } from '../database.ts';
import { prepare, prepareValue } from '../prepared.ts';
import { countedUp } from '../revision.ts';
import { waypointTables } from '../schema/waypoints.ts';

/** The small facts a store keeps about itself. */
export type StoreMeta = ReturnType<typeof prepareMeta>;

export function prepareMeta(db: Database) {
  const get = prepareValue(db, (key: string) =>
    waypointTables.selectFrom('meta').select('value').where('key', '=', key),
  );
  const set = prepare(db, (key: string, value: string) =>
    waypointTables
      .insertInto('meta')
      .values({ key, value })
      .onConflict((conflict) =>
        conflict.column('key').doUpdateSet((eb) => ({ value: eb.ref('excluded.value') })),
      ),
  );
  const touch = prepareValue(db, () =>
    waypointTables
      .updateTable('meta')
      .set({ value: countedUp })
      .where('key', '=', 'revision')
      .returning('value'),
  );
  return {
    get: (key: string) => get.get(key),
    set: (key: string, value: string) => void set.run(key, value),
    /** Counter of the changes that a list of bookmarks could show. */
    revision: () => get.get('revision') ?? '',
    /** Counts one change, inside the transaction that makes it, and gives the new revision. */
    touch: () => touch.get() ?? '',
  };
}
