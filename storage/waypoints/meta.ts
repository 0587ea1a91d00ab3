import type { Database } from '../database.ts';
import { prepare, prepareValue } from '../prepared.ts';
import { countedUp } from '../revision.ts';
import { waypointTables } from '../schema/waypoints.ts';

/** The small facts a store keeps about itself. */
export interface StoreMeta {
  get(key: string): string | undefined;
  set(key: string, value: string): void;
  /** Counter of the changes that a list of bookmarks could show. */
  revision(): string;
  /** Counts one change, inside the transaction that makes it, and gives the new revision. */
  touch(): string;
}

export function prepareMeta(db: Database): StoreMeta {
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
    get: (key) => get.get(key),
    set: (key, value) => void set.run(key, value),
    revision: () => get.get('revision') ?? '',
    touch: () => touch.get() ?? '',
  };
}
