import { route, type Answer, type Route } from '../../http/route.ts';
import { WaypointError } from '../../model/failure.ts';
import {
  lockAnswerSchema,
  lockId,
  lockRequestSchema,
  locksAnswerSchema,
  locksQuery,
  lockTakenSchema,
  unlockRequestSchema,
  verifyLocksAnswerSchema,
  verifyLocksRequestSchema,
  type Lock,
} from '../../model/object-locks.ts';
import { repositoryBases } from '../../model/object-routes.ts';
import { objectLimits } from '../../model/objects.ts';
import type { UserRow } from '../../storage/objects/directory.ts';
import type { FileLock, LockFilter } from '../../storage/objects/locks.ts';
import { authorize, type Permit } from '../access.ts';
import { answerType, checkAccept } from '../negotiate.ts';
import type { ObjectParts } from '../parts.ts';
import { whenFree } from '../when-free.ts';

/** `/locks`: files that one user keeps the others from changing, as git-lfs asks before each push. */
export function lockRoutes(parts: ObjectParts): Route[] {
  return repositoryBases.flatMap((base) => [
    ...readRoutes(base, parts),
    makeRoute(base, parts),
    unlockRoute(base, parts),
  ]);
}

type Base = (typeof repositoryBases)[number];

function readRoutes({ base, repository }: Base, parts: ObjectParts): Route[] {
  return [
    route({
      method: 'GET',
      path: `${base}/locks`,
      summary: 'Lists the locks of a repository, or the one of a path or an id.',
      params: repository,
      query: locksQuery,
      answers: { 200: locksAnswerSchema },
      async handle({ ctx, params, query }) {
        checkAccept(ctx);
        const permit = await authorize(ctx, { ...params, operation: 'download' }, parts);
        const id = query.id === undefined ? undefined : lockId.safeParse(query.id);
        // No lock has an invalid id.
        const filter = { repositoryId: permit.repository.id, path: query.path };
        const wanted = { ...filter, id: id && (id.success ? id.data : 0) };
        const { locks, ...next } = await page(wanted, query, parts);
        const json = { locks: locks.map(shown), ...next };
        return { status: 200, json, contentType: answerType(ctx) };
      },
    }),
    route({
      method: 'POST',
      path: `${base}/locks/verify`,
      summary: 'Lists the locks of a repository, those of the user apart from those of others.',
      params: repository,
      body: verifyLocksRequestSchema,
      answers: { 200: verifyLocksAnswerSchema },
      async handle({ ctx, params, body }) {
        const permit = await authorize(ctx, { ...params, operation: 'upload' }, parts);
        const filter = { repositoryId: permit.repository.id };
        const { locks, ...next } = await page(filter, body, parts);
        const isOurs = ({ userId }: FileLock): boolean => userId === permit.user?.id;
        const ours = locks.filter(isOurs).map(shown);
        const theirs = locks.filter((lock) => !isOurs(lock)).map(shown);
        return { status: 200, json: { ours, theirs, ...next }, contentType: answerType(ctx) };
      },
    }),
  ];
}

function makeRoute({ base, repository }: Base, parts: ObjectParts): Route {
  return route({
    method: 'POST',
    path: `${base}/locks`,
    summary: 'Locks a file; 409 with the lock that is there already, be it of the same user.',
    params: repository,
    body: lockRequestSchema,
    answers: { 201: lockAnswerSchema, 409: lockTakenSchema },
    async handle({ ctx, params, body: { path } }): Promise<Answer> {
      const permit = await authorize(ctx, { ...params, operation: 'upload' }, parts);
      const { locks, journal, clock } = parts;
      const wanted = { repositoryId: permit.repository.id, userId: writer(permit).id, path };
      const made = await whenFree(() => locks.add(wanted, objectLimits.locks, clock.now()));
      if (made === 'limit') throw new WaypointError('too_many_locks');
      // Another request's lock may have been made this moment, too.
      await journal.sync();
      const [lock, contentType] = [shown(made.lock), answerType(ctx)];
      if (made.isNew) return { status: 201, json: { lock }, contentType };
      const { message, code } = new WaypointError('already_locked');
      const json = { lock, message, code, request_id: ctx.state.requestId };
      return { status: 409, json, contentType };
    },
  });
}

function unlockRoute({ base, lock: lockParams }: Base, parts: ObjectParts): Route {
  return route({
    method: 'POST',
    path: `${base}/locks/{id}/unlock`,
    summary: 'Unlocks a file; with `force` also one that another user has locked.',
    params: lockParams,
    body: unlockRequestSchema,
    answers: { 200: lockAnswerSchema },
    async handle({ ctx, params, body: { force = false } }) {
      const { owner, name, id } = params;
      const permit = await authorize(ctx, { owner, name, operation: 'upload' }, parts);
      const { locks, journal } = parts;
      const which = { repositoryId: permit.repository.id, id };
      const lock = await locks.find(which);
      if (lock === undefined) throw new WaypointError('not_found');
      if (lock.userId !== writer(permit).id && !force) throw new WaypointError('lock_of_another');
      await whenFree(() => locks.remove(which));
      await journal.sync();
      return { status: 200, json: { lock: shown(lock) }, contentType: answerType(ctx) };
    },
  });
}

/** Nobody writes without a name. */
function writer({ user }: Permit): UserRow {
  if (user === undefined) throw new WaypointError('object_credentials');
  return user;
}

/** One page of locks in the order in which they were made, and where the next one begins. */
async function page(
  filter: LockFilter,
  {
    cursor = 0,
    limit = objectLimits.locksPage,
  }: Partial<Record<'cursor' | 'limit', number | undefined>>,
  { locks }: ObjectParts,
): Promise<{ locks: FileLock[]; next_cursor?: string }> {
  const most = Math.min(limit, objectLimits.locksPage);
  const found = await locks.page(filter, cursor, most + 1);
  const shownOnes = found.slice(0, most);
  const isMore = found.length > most;
  return { locks: shownOnes, ...(isMore && { next_cursor: String(shownOnes.at(-1)?.id) }) };
}

function shown({ id, path, lockedMs, owner }: FileLock): Lock {
  return {
    id: String(id),
    path,
    locked_at: new Date(lockedMs).toISOString(),
    owner: { name: owner },
  };
}
