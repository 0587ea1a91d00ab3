import type { InferResult } from 'kysely';
import { hasChanged, type ObjectRows } from './dialect.ts';

/** A file of a repository that one user keeps the others from changing; its path is as the client names it. */
export type FileLock = InferResult<ReturnType<typeof select>>[number];

/** Filter of a list of locks. */
export interface LockFilter {
  readonly repositoryId: number;
  readonly id?: number | undefined;
  readonly path?: string | undefined;
}

/** Outcome of making a lock; `limit`: the repository has as many as allowed. */
export type LockOutcome = { readonly lock: FileLock; readonly isNew: boolean } | 'limit';

/** Locks of files, each path of a repository at most once. */
export function objectLocks(rows: ObjectRows) {
  return {
    /** Makes a lock, unless there is one of this path. @param most locks of a repository */
    async add(wanted: NewLock, most: number, now: number): Promise<LockOutcome> {
      for (;;) {
        const outcome = await rows
          .transaction()
          .execute((within) => addLock(within, wanted, most, now));
        if (outcome !== 'gone') return outcome;
      }
    },
    find: (filter: LockFilter) => findLock(rows, filter),
    /** Locks after the one of this id, in order of their ids, at most `limit`. */
    page: (filter: LockFilter, after: number, limit: number): Promise<FileLock[]> =>
      select(rows, filter).where('locks.id', '>', after).orderBy('locks.id').limit(limit).execute(),
    /** @returns whether it was there. */
    remove: ({ repositoryId, id }: { repositoryId: number; id: number }): Promise<boolean> =>
      hasChanged(
        rows,
        rows.deleteFrom('locks').where('repository_id', '=', repositoryId).where('id', '=', id),
      ),
  };
}

interface NewLock {
  readonly repositoryId: number;
  readonly userId: number;
  readonly path: string;
}

/** @returns `gone` where another server has made the lock and removed it meanwhile. */
async function addLock(
  within: ObjectRows,
  { repositoryId, userId, path }: NewLock,
  most: number,
  now: number,
): Promise<LockOutcome | 'gone'> {
  const found = await findLock(within, { repositoryId, path });
  if (found !== undefined) return { lock: found, isNew: false };
  const { count } = await within
    .selectFrom('locks')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('repository_id', '=', repositoryId)
    .executeTakeFirstOrThrow();
  if (Number(count) >= most) return 'limit';
  const added = within
    .insertInto('locks')
    .values({ repository_id: repositoryId, user_id: userId, path, locked_ms: now })
    .onConflict((conflict) => conflict.doNothing());
  const isNew = await hasChanged(within, added);
  const lock = await findLock(within, { repositoryId, path });
  return lock === undefined ? 'gone' : { lock, isNew };
}

function findLock(rows: ObjectRows, filter: LockFilter): Promise<FileLock | undefined> {
  return select(rows, filter).executeTakeFirst();
}

function select(rows: ObjectRows, { repositoryId, id, path }: LockFilter) {
  return rows
    .selectFrom('locks')
    .innerJoin('users', 'users.id', 'locks.user_id')
    .select(['locks.id as id', 'path', 'user_id as userId'])
    .select(['users.name as owner', 'locked_ms as lockedMs'])
    .where('repository_id', '=', repositoryId)
    .$if(id !== undefined, (query) => query.where('locks.id', '=', id!))
    .$if(path !== undefined, (query) => query.where('path', '=', path!));
}
