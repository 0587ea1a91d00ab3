import type { Access } from '../../model/objects.ts';
import { builtOnce, hasChanged, type ObjectRows } from './dialect.ts';
import type { RepositoryRow, UserRow } from './schema.ts';

export type { RepositoryRow, UserRow } from './schema.ts';

/** `OWNER/NAME` */
export function pathOf({ owner, name }: Pick<RepositoryRow, 'owner' | 'name'>): string {
  return `${owner}/${name}`;
}

export interface RepositoryChange {
  readonly isPublic?: boolean;
  /** null takes the limit away. */
  readonly quotaBytes?: number | null;
  readonly maxObjectBytes?: number | null;
}

/** Users, repositories and who may do what. */
export type ObjectsDirectory = ReturnType<typeof objectsDirectory>;

export function objectsDirectory(rows: ObjectRows) {
  return { ...users(rows), ...repositories(rows), ...grants(rows), ...standings(rows) };
}

/** State that decides about a request, read at one moment. */
export interface Standing {
  readonly user: UserRow | undefined;
  readonly repository: RepositoryRow | undefined;
  /** The user's grant there. */
  readonly granted: Access | undefined;
  /** Size of the object, if the repository holds it. */
  readonly held: number | undefined;
}

function standings(rows: ObjectRows) {
  return {
    /** @param user a name, in any case, or an id; 0 is no one's. @param path `OWNER/NAME`, in any case. */
    async standing(user: string | number, path: string, oid = ''): Promise<Standing> {
      const asked =
        typeof user === 'number'
          ? standingById(rows, user, keyOf(path), oid)
          : standingByName(rows, keyOf(user), keyOf(path), oid);
      const [row] = (await asked).rows;
      const { user_id, user_name, password, may_write, held, ...repository } = row!;
      return {
        user: user_id === null ? undefined : { id: user_id, name: user_name!, password: password! },
        // Sound: all of a row is there, or nothing.
        repository: repository.id === null ? undefined : (repository as RepositoryRow),
        granted: may_write === null ? undefined : accessOf({ may_write }),
        held: held ?? undefined,
      };
    },
  };
}

/**
 * One query, as every request asks it, and each goes to PostgreSQL and back. The values are columns of a row: SQLite plans a join
 * with values in it anew each time, at ten times the cost.
 */
function standingBy(key: 'id' | 'name_key') {
  return builtOnce((rows, user: string | number, path: string, oid: string) =>
    rows
      .selectFrom(
        rows
          .selectNoFrom((eb) => [
            eb.cast<string>(eb.val(user), key === 'id' ? 'bigint' : 'text').as('user'),
            eb.cast<string>(eb.val(path), 'text').as('path'),
            eb.cast<string>(eb.val(oid), 'text').as('oid'),
          ])
          .as('asked'),
      )
      .leftJoin('users', `users.${key}`, 'asked.user')
      .leftJoin('repositories', 'path_key', 'asked.path')
      .leftJoin('grants', (join) =>
        join
          .onRef('grants.user_id', '=', 'users.id')
          .onRef('grants.repository_id', '=', 'repositories.id'),
      )
      .leftJoin('holdings', (join) =>
        join
          .onRef('holdings.repository_id', '=', 'repositories.id')
          .onRef('holdings.oid', '=', 'asked.oid'),
      )
      .select(['users.id as user_id', 'users.name as user_name', 'password', 'may_write'])
      .select(['holdings.size as held', 'repositories.id', 'owner', 'repositories.name'])
      .select(['is_public', 'quota_bytes', 'max_object_bytes', 'bytes', 'objects']),
  );
}

const [standingById, standingByName] = [standingBy('id'), standingBy('name_key')];

function users(rows: ObjectRows) {
  const all = rows.selectFrom('users').select(['id', 'name', 'password']);
  return {
    /** @returns false when there is one of that name, whatever its case. */
    async addUser(name: string, password: string, now: number): Promise<boolean> {
      const query = rows
        .insertInto('users')
        .values({ name, name_key: keyOf(name), password, created_ms: now })
        .onConflict((conflict) => conflict.doNothing());
      return hasChanged(rows, query);
    },
    /** @returns false for an unknown one. */
    async setPassword(name: string, password: string): Promise<boolean> {
      const query = rows.updateTable('users').set({ password }).where('name_key', '=', keyOf(name));
      return hasChanged(rows, query);
    },
    async removeUser(name: string): Promise<boolean> {
      const query = rows.deleteFrom('users').where('name_key', '=', keyOf(name));
      return hasChanged(rows, query);
    },
    findUser: (name: string): Promise<UserRow | undefined> =>
      all.where('name_key', '=', keyOf(name)).executeTakeFirst(),
    users: (): Promise<UserRow[]> => all.orderBy('name_key').execute(),
  };
}

function repositories(rows: ObjectRows) {
  const all = rows
    .selectFrom('repositories')
    .select(['id', 'owner', 'name', 'is_public'])
    .select(['quota_bytes', 'max_object_bytes', 'bytes', 'objects']);
  return {
    /** @returns false when there is one of that name, whatever its case. */
    async addRepository(
      owner: string,
      name: string,
      isPublic: boolean,
      now: number,
    ): Promise<boolean> {
      const path_key = keyOf(`${owner}/${name}`);
      const query = rows
        .insertInto('repositories')
        .values({ owner, name, path_key, is_public: Number(isPublic), created_ms: now })
        .onConflict((conflict) => conflict.doNothing());
      return hasChanged(rows, query);
    },
    /** Changes what is given; at least one of it. */
    async changeRepository(id: number, change: RepositoryChange): Promise<void> {
      const { isPublic, quotaBytes, maxObjectBytes } = change;
      await rows
        .updateTable('repositories')
        .set({
          ...(isPublic === undefined ? {} : { is_public: Number(isPublic) }),
          ...(quotaBytes === undefined ? {} : { quota_bytes: quotaBytes }),
          ...(maxObjectBytes === undefined ? {} : { max_object_bytes: maxObjectBytes }),
        })
        .where('id', '=', id)
        .execute();
    },
    async removeRepository(id: number): Promise<boolean> {
      const query = rows.deleteFrom('repositories').where('id', '=', id);
      return hasChanged(rows, query);
    },
    /** @param path `OWNER/NAME`, in any case. */
    findRepository: (path: string): Promise<RepositoryRow | undefined> =>
      all.where('path_key', '=', keyOf(path)).executeTakeFirst(),
    repositories: (): Promise<RepositoryRow[]> => all.orderBy('path_key').execute(),
  };
}

function grants(rows: ObjectRows) {
  return {
    async grant(user_id: number, repository_id: number, access: Access): Promise<void> {
      const may_write = access === 'write' ? 1 : 0;
      await rows
        .insertInto('grants')
        .values({ user_id, repository_id, may_write })
        .onConflict((conflict) =>
          conflict.columns(['user_id', 'repository_id']).doUpdateSet({ may_write }),
        )
        .execute();
    },
    async revoke(userId: number, repositoryId: number): Promise<boolean> {
      const query = rows
        .deleteFrom('grants')
        .where('user_id', '=', userId)
        .where('repository_id', '=', repositoryId);
      return hasChanged(rows, query);
    },
    /** All grants, or those of one repository. */
    async grants(
      repositoryId?: number,
    ): Promise<{ user: string; repository: string; access: Access }[]> {
      const found = await rows
        .selectFrom('grants')
        .innerJoin('users', 'users.id', 'grants.user_id')
        .innerJoin('repositories', 'repositories.id', 'grants.repository_id')
        .$if(repositoryId !== undefined, (query) =>
          query.where('repository_id', '=', repositoryId!),
        )
        .select(['users.name as user', 'owner', 'repositories.name as name', 'may_write'])
        .orderBy('path_key')
        .orderBy('name_key')
        .execute();
      return found.map(({ user, owner, name, ...row }) => ({
        user,
        repository: pathOf({ owner, name }),
        access: accessOf(row),
      }));
    },
  };
}

function accessOf({ may_write }: { may_write: number }): Access {
  return may_write === 1 ? 'write' : 'read';
}

/** Names are told apart whatever their case: they are ASCII, so this is the same on every machine. */
function keyOf(name: string): string {
  return name.toLowerCase();
}
