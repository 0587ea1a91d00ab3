import type { Selectable } from 'kysely';
import type { ContentName } from '../content-store/content-store.ts';
import { objectAnnouncements } from './announcements.ts';
import { pathOf } from './directory.ts';
import { builtOnce, hasChanged, type ObjectRows } from './dialect.ts';
import { lockRepository, objectRemovals, refuseBeingRemoved, sizeOf } from './removals.ts';
import type { ObjectsDb } from './schema.ts';

/** An object; its size in bytes. */
export type Holding = Readonly<Pick<Selectable<ObjectsDb['holdings']>, 'oid' | 'size'>>;

export interface Traffic {
  readonly sent: number;
  readonly received: number;
}

/** Outcome of adding an object to a repository. */
export type AddOutcome = 'added' | 'present' | 'over_quota' | 'no_repository';

/** Contents that repositories hold. A content may be held by several; its bytes are stored once. */
export type Holdings = ReturnType<typeof objectHoldings>;

export function objectHoldings(rows: ObjectRows) {
  return {
    ...readHoldings(rows),
    ...changeHoldings(rows),
    ...objectAnnouncements(rows),
    ...objectRemovals(rows),
    ...traffic(rows),
  };
}

function readHoldings(rows: ObjectRows) {
  return {
    size: (repositoryId: number, oid: string) => sizeOf(rows, repositoryId, oid),
    /** Whether any repository, or the named one, holds a content. */
    async isHeld({ oid, repository }: ContentName): Promise<boolean> {
      const [owner = '', name = ''] = repository?.split('/') ?? [];
      const row = await rows
        .selectFrom('holdings')
        .innerJoin('repositories', 'repositories.id', 'repository_id')
        .select('oid')
        .where('oid', '=', oid)
        .$if(repository !== undefined, (query) =>
          query.where('owner', '=', owner).where('name', '=', name),
        )
        .limit(1)
        .executeTakeFirst();
      return row !== undefined;
    },
    /** Objects of a repository after `after`, in order of oid, at most `limit`. */
    page: (repositoryId: number, after: string, limit: number): Promise<Holding[]> =>
      rows
        .selectFrom('holdings')
        .select(['oid', 'size'])
        .where('repository_id', '=', repositoryId)
        .where('oid', '>', after)
        .orderBy('oid')
        .limit(limit)
        .execute(),
    /** Lists what each repository holds; read in pages, so that a server beside it need not wait. */
    everything: () => everything(rows),
  };
}

const pageRows = 1_000;

async function* everything(rows: ObjectRows): AsyncGenerator<Holding & Required<ContentName>> {
  const all = rows
    .selectFrom('holdings')
    .innerJoin('repositories', 'repositories.id', 'repository_id')
    .select(['repository_id as id', 'oid', 'size', 'owner', 'name'])
    .orderBy('repository_id')
    .orderBy('oid')
    .limit(pageRows);
  for (let [id, oid] = [0, '']; ;) {
    const page = await all
      .where((eb) => eb(eb.refTuple('repository_id', 'oid'), '>', eb.tuple(id, oid)))
      .execute();
    for (const row of page) yield { oid: row.oid, size: row.size, repository: pathOf(row) };
    const last = page.at(-1);
    if (last === undefined || page.length < pageRows) return;
    ({ id, oid } = last);
  }
}

function changeHoldings(rows: ObjectRows) {
  return {
    /**
     * Adds an object, whatever the quota. @returns false when the repository held it already.
     * @throws WaypointError being_removed
     */
    add: (repositoryId: number, holding: Holding, now: number): Promise<boolean> =>
      rows.transaction().execute(async (within) => {
        await lockRepository(within, repositoryId);
        return insert(within, repositoryId, holding, now);
      }),
    /** Adds an object where the quota, and the repository, still stand. @throws WaypointError being_removed */
    addWithinQuota: (repositoryId: number, holding: Holding, now: number): Promise<AddOutcome> =>
      rows.transaction().execute(async (within) => {
        const row = await lockRepository(within, repositoryId);
        if (row === undefined) return 'no_repository';
        const isOver = row.quota_bytes !== null && row.bytes + holding.size > row.quota_bytes;
        if (!isOver)
          return (await insert(within, repositoryId, holding, now)) ? 'added' : 'present';
        const size = await sizeOf(within, repositoryId, holding.oid);
        return size === undefined ? 'over_quota' : 'present';
      }),
    /** @returns whether it was held. */
    remove: (repositoryId: number, oid: string) => remove(rows, repositoryId, oid),
    /** Removes many objects, all or none. */
    removeAll: (repositoryId: number, oids: readonly string[]): Promise<void> =>
      rows.transaction().execute(async (within) => {
        for (const oid of oids) await remove(within, repositoryId, oid);
      }),
  };
}

/** Adds a row; from then on its bytes count instead of the announcements of it. */
async function insert(
  within: ObjectRows,
  repositoryId: number,
  { oid, size }: Holding,
  storedMs: number,
): Promise<boolean> {
  await refuseBeingRemoved(within, repositoryId, oid);
  const { numAffectedRows } = await addHolding(within, repositoryId, oid, size, storedMs);
  await forgetAnnouncements(within, repositoryId, oid);
  return numAffectedRows === 1n;
}

const addHolding = builtOnce(
  (within, repository_id: number, oid: string, size: number, stored_ms: number) =>
    within
      .insertInto('holdings')
      .values({ repository_id, oid, size, stored_ms })
      .onConflict((conflict) => conflict.doNothing()),
);

const forgetAnnouncements = builtOnce((within, repositoryId: number, oid: string) =>
  within
    .deleteFrom('announcements')
    .where('repository_id', '=', repositoryId)
    .where('oid', '=', oid),
);

async function remove(rows: ObjectRows, repositoryId: number, oid: string): Promise<boolean> {
  const query = rows
    .deleteFrom('holdings')
    .where('repository_id', '=', repositoryId)
    .where('oid', '=', oid);
  return hasChanged(rows, query);
}

function traffic(rows: ObjectRows) {
  return {
    /** Adds to the traffic of a day (UTC, since 1970). */
    async addTraffic(
      repository_id: number,
      day: number,
      { sent, received }: Traffic,
    ): Promise<void> {
      await rows
        .insertInto('traffic')
        .values({ repository_id, day, sent_bytes: sent, received_bytes: received })
        .onConflict((conflict) =>
          conflict.columns(['repository_id', 'day']).doUpdateSet((eb) => ({
            sent_bytes: eb('traffic.sent_bytes', '+', eb.ref('excluded.sent_bytes')),
            received_bytes: eb('traffic.received_bytes', '+', eb.ref('excluded.received_bytes')),
          })),
        )
        .execute();
    },
    /** Counts bytes as sent where the limit of the day has room for them. @returns whether it has. */
    async reserveTraffic(
      repository_id: number,
      day: number,
      bytes: number,
      limit: number,
    ): Promise<boolean> {
      if (bytes > limit) return false;
      const query = rows
        .insertInto('traffic')
        .values({ repository_id, day, sent_bytes: bytes, received_bytes: 0 })
        .onConflict((conflict) =>
          conflict
            .columns(['repository_id', 'day'])
            .doUpdateSet((eb) => ({
              sent_bytes: eb('traffic.sent_bytes', '+', eb.ref('excluded.sent_bytes')),
            }))
            .where('traffic.sent_bytes', '<=', limit - bytes),
        );
      return hasChanged(rows, query);
    },
    async trafficSince(repositoryId: number, day: number): Promise<Traffic> {
      const sums = await rows
        .selectFrom('traffic')
        .select(({ fn }) => [
          fn.sum<number | null>('sent_bytes').as('sent'),
          fn.sum<number | null>('received_bytes').as('received'),
        ])
        .where('repository_id', '=', repositoryId)
        .where('day', '>=', day)
        .executeTakeFirst();
      return { sent: sums?.sent ?? 0, received: sums?.received ?? 0 };
    },
  };
}
