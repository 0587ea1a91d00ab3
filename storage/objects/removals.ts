import { WaypointError } from '../../model/failure.ts';
import { builtOnce, hasChanged, type ObjectRows } from './dialect.ts';

/** A server that was killed while it removed a content leaves that to another after this time. */
const removalMs = 600_000;

/** Contents that are being removed from a bucket. */
export function objectRemovals(rows: ObjectRows) {
  return {
    /**
     * Keeps all others from announcing or verifying a content that is about to be removed.
     * @returns false where it must stay: it is held, was announced anew, or another server removes it.
     */
    beginRemoval: (repositoryId: number, oid: string, now: number): Promise<boolean> =>
      rows.transaction().execute(async (within) => {
        const row = await lockRepository(within, repositoryId);
        const isHeld = (await sizeOf(within, repositoryId, oid)) !== undefined;
        if (row === undefined || isHeld) return false;
        const live = await within
          .selectFrom('announcements')
          .select('oid')
          .where('repository_id', '=', repositoryId)
          .where('oid', '=', oid)
          .where('until_ms', '>', now)
          .where('is_given_up', '=', 0)
          .executeTakeFirst();
        if (live !== undefined) return false;
        const begun = within
          .insertInto('removals')
          .values({ repository_id: repositoryId, oid, since_ms: now })
          .onConflict((conflict) =>
            conflict
              .columns(['repository_id', 'oid'])
              .doUpdateSet({ since_ms: now })
              .where('removals.since_ms', '<=', now - removalMs),
          );
        return hasChanged(within, begun);
      }),
    /** @param since as it was begun; a removal that another server has taken over goes on. */
    async endRemoval(repositoryId: number, oid: string, since: number): Promise<void> {
      await rows
        .deleteFrom('removals')
        .where('repository_id', '=', repositoryId)
        .where('oid', '=', oid)
        .where('since_ms', '=', since)
        .execute();
    },
  };
}

/** Reads the quota; changes nothing, but where several servers write lets none of them in until the transaction ends. */
export async function lockRepository(within: ObjectRows, repositoryId: number) {
  return (await lock(within, repositoryId)).rows[0];
}

const lock = builtOnce((within, repositoryId: number) =>
  within
    .updateTable('repositories')
    .set((eb) => ({ objects: eb.ref('objects') }))
    .where('id', '=', repositoryId)
    .returning(['bytes', 'quota_bytes']),
);

/** @throws WaypointError being_removed */
export async function refuseBeingRemoved(
  within: ObjectRows,
  repositoryId: number,
  oid: string,
): Promise<void> {
  const [removal] = (await removalOf(within, repositoryId, oid)).rows;
  if (removal !== undefined) throw new WaypointError('being_removed', { retryAfterSeconds: 5 });
}

const removalOf = builtOnce((rows, repositoryId: number, oid: string) =>
  rows
    .selectFrom('removals')
    .select('oid')
    .where('repository_id', '=', repositoryId)
    .where('oid', '=', oid),
);

/** Size of an object of this repository; undefined when this repository does not hold it. */
export async function sizeOf(
  rows: ObjectRows,
  repositoryId: number,
  oid: string,
): Promise<number | undefined> {
  return (await holdingOf(rows, repositoryId, oid)).rows[0]?.size;
}

const holdingOf = builtOnce((rows, repositoryId: number, oid: string) =>
  rows
    .selectFrom('holdings')
    .select('size')
    .where('repository_id', '=', repositoryId)
    .where('oid', '=', oid),
);
