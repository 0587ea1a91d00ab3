import { sql } from 'kysely';
import { WaypointError } from '../../model/failure.ts';
import { objectLimits } from '../../model/objects.ts';
import type { ObjectRows } from './dialect.ts';
import { pathOf } from './directory.ts';
import { lockRepository, refuseBeingRemoved, sizeOf } from './removals.ts';

/** Key of an announced upload, which goes past the servers to a bucket. */
export interface AnnouncedKey {
  readonly repositoryId: number;
  readonly userId: number;
  readonly oid: string;
  /** Of this moment only; an upload may be announced again. */
  readonly announcedMs?: number;
}

export interface Announcement extends AnnouncedKey {
  /** Bytes. */
  readonly size: number;
  readonly announcedMs: number;
}

/** Uploads that may be on their way to a bucket, as all servers see them; each keeps its room in the quota until it is given up. */
export function objectAnnouncements(rows: ObjectRows) {
  return { ...changeAnnouncements(rows), ...lookAtAnnouncements(rows) };
}

function changeAnnouncements(rows: ObjectRows) {
  return {
    /**
     * Notes an upload where the quota has room for it; one of an object that the repository holds needs no note.
     * @param untilMs when to look whether it has arrived
     * @param fits decides, by what the quota has left and the announcements of other objects.
     * @throws WaypointError being_removed; busy where the user has announced too many that never came
     */
    announce: (
      { repositoryId: repository_id, userId: user_id, oid, size, announcedMs }: Announcement,
      untilMs: number,
      fits: (left: number, others: { userId: number; size: number }[]) => boolean,
    ): Promise<boolean> =>
      rows.transaction().execute(async (within) => {
        const row = await lockRepository(within, repository_id);
        const isHeld = (await sizeOf(within, repository_id, oid)) !== undefined;
        if (row === undefined || isHeld) return true;
        await refuseBeingRemoved(within, repository_id, oid);
        const others = await sumsByUsers(within, repository_id, oid);
        const own = others.filter(({ userId }) => userId === user_id);
        if (own.reduce((sum, { count }) => sum + Number(count), 1) > objectLimits.announcements)
          throw new WaypointError('busy', { retryAfterSeconds: 60 });
        const reserved = others.filter(({ isGivenUp }) => isGivenUp === 0);
        if (row.quota_bytes !== null && !fits(row.quota_bytes - row.bytes, reserved)) return false;
        const noted = { size, announced_ms: announcedMs, until_ms: untilMs, is_given_up: 0 };
        await within
          .insertInto('announcements')
          .values({ repository_id, user_id, oid, ...noted })
          .onConflict((conflict) =>
            conflict.columns(['repository_id', 'oid', 'user_id']).doUpdateSet(noted),
          )
          .execute();
        return true;
      }),
    /**
     * Frees the room of an announcement at its client's wish, though its link may be used all the same: not where the quota would
     * not hold what was so freed lately. @param sinceMs announcements of before have links that are over.
     */
    cancel: (key: AnnouncedKey, sinceMs: number): Promise<void> =>
      rows.transaction().execute(async (within) => {
        const row = await lockRepository(within, key.repositoryId);
        if (row === undefined) return;
        const { sum } = await within
          .selectFrom('announcements')
          .select((eb) => eb.fn.sum<number | null>('size').as('sum'))
          .where('repository_id', '=', key.repositoryId)
          .where('announced_ms', '>', sinceMs)
          .where((eb) => eb.or([eb('is_given_up', '=', 1), eb.and(columnsOf(key))]))
          .executeTakeFirstOrThrow();
        if (row.quota_bytes !== null && (sum ?? 0) > row.quota_bytes) return;
        await within
          .updateTable('announcements')
          .set({ is_given_up: 1 })
          .where((eb) => eb.and(columnsOf(key)))
          .execute();
      }),
  };
}

function lookAtAnnouncements(rows: ObjectRows) {
  return {
    /** Announcements whose keys are to be looked at, the oldest first, at most `limit`; `repository` is `OWNER/NAME`. */
    async dueAnnouncements(
      now: number,
      limit: number,
    ): Promise<(Announcement & { repository: string })[]> {
      const due = await rows
        .selectFrom('announcements')
        .innerJoin('repositories', 'repositories.id', 'repository_id')
        .select(['repository_id as repositoryId', 'user_id as userId', 'oid', 'size'])
        .select(['announced_ms as announcedMs', 'owner', 'name'])
        .where('until_ms', '<=', now)
        .orderBy('until_ms')
        .limit(limit)
        .execute();
      return due.map(({ owner, name, ...rest }) => ({
        ...rest,
        repository: pathOf({ owner, name }),
      }));
    },
    /** All announcements, each with whether it keeps room. */
    announcements: () =>
      rows
        .selectFrom('announcements')
        .select(['repository_id as repositoryId', 'oid', 'size', 'is_given_up'])
        .execute(),
    /** @param keepsRoom whether its bytes count in the quota until then. */
    async lookAgain(key: AnnouncedKey, untilMs: number, keepsRoom: boolean): Promise<void> {
      await rows
        .updateTable('announcements')
        .set({ until_ms: untilMs, is_given_up: keepsRoom ? sql.ref('is_given_up') : 1 })
        .where((eb) => eb.and(columnsOf(key)))
        .execute();
    },
    async forget(key: AnnouncedKey): Promise<void> {
      await rows
        .deleteFrom('announcements')
        .where((eb) => eb.and(columnsOf(key)))
        .execute();
    },
  };
}

/** Number and bytes of each user's announcements of other objects, those that were given up apart. */
function sumsByUsers(within: ObjectRows, repositoryId: number, oid: string) {
  return within
    .selectFrom('announcements')
    .select(['user_id as userId', 'is_given_up as isGivenUp'])
    .select(({ fn }) => [fn.sum<number>('size').as('size'), fn.countAll<number>().as('count')])
    .where('repository_id', '=', repositoryId)
    .where('oid', '!=', oid)
    .groupBy(['user_id', 'is_given_up'])
    .execute();
}

function columnsOf({ repositoryId, userId, oid, announcedMs }: AnnouncedKey) {
  const columns = { repository_id: repositoryId, user_id: userId, oid };
  return announcedMs === undefined ? columns : { ...columns, announced_ms: announcedMs };
}
