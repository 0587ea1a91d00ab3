import type { Access } from '../../model/objects.ts';
import type { Database } from '../database.ts';

export interface UserRow {
  readonly id: number;
  readonly name: string;
  /** As objects/passwords makes it. */
  readonly password: string;
}

export interface RepositoryRow {
  readonly id: number;
  readonly owner: string;
  readonly name: string;
  readonly is_public: 0 | 1;
  readonly quota_bytes: number | null;
  readonly max_object_bytes: number | null;
  /** Sum of the sizes of its objects. */
  readonly bytes: number;
  readonly objects: number;
}

export interface GrantRow {
  readonly user: string;
  readonly repository: string;
  readonly access: Access;
}

export interface RepositoryChange {
  readonly isPublic?: boolean;
  /** null takes the limit away. */
  readonly quotaBytes?: number | null;
  readonly maxObjectBytes?: number | null;
}

/** Users, repositories and who may do what. */
export interface ObjectsDirectory {
  /** @returns false when there is one of that name, whatever its case. */
  addUser(name: string, password: string, now: number): boolean;
  /** @returns false when there is none. */
  setPassword(name: string, password: string): boolean;
  removeUser(name: string): boolean;
  findUser(name: string): UserRow | undefined;
  findUserById(id: number): UserRow | undefined;
  users(): UserRow[];
  addRepository(owner: string, name: string, isPublic: boolean, now: number): boolean;
  changeRepository(id: number, change: RepositoryChange): void;
  removeRepository(id: number): boolean;
  /** @param path `OWNER/NAME`, in any case. */
  findRepository(path: string): RepositoryRow | undefined;
  repositories(): RepositoryRow[];
  grant(userId: number, repositoryId: number, access: Access): void;
  revoke(userId: number, repositoryId: number): boolean;
  /** What a user was granted; undefined for nothing. */
  access(userId: number, repositoryId: number): Access | undefined;
  /** All grants, or those of one repository. */
  grants(repositoryId?: number): GrantRow[];
}

const repositoryColumns =
  'id, owner, name, is_public, quota_bytes, max_object_bytes, bytes, objects';

export function prepareDirectory(db: Database): ObjectsDirectory {
  return { ...prepareUsers(db), ...prepareRepositories(db), ...prepareGrants(db) };
}

type Users = Pick<
  ObjectsDirectory,
  'addUser' | 'setPassword' | 'removeUser' | 'findUser' | 'findUserById' | 'users'
>;

function prepareUsers(db: Database): Users {
  const add = db.prepare(
    `INSERT INTO users (name, name_key, password, created_ms) VALUES (?, ?, ?, ?)
     ON CONFLICT DO NOTHING`,
  );
  const setPassword = db.prepare('UPDATE users SET password = ? WHERE name_key = ?');
  const remove = db.prepare('DELETE FROM users WHERE name_key = ?');
  const find = db.prepare<unknown[], UserRow>(
    'SELECT id, name, password FROM users WHERE name_key = ?',
  );
  const findById = db.prepare<unknown[], UserRow>(
    'SELECT id, name, password FROM users WHERE id = ?',
  );
  const all = db.prepare<unknown[], UserRow>(
    'SELECT id, name, password FROM users ORDER BY name_key',
  );
  return {
    addUser: (name, password, now) => add.run(name, keyOf(name), password, now).changes === 1,
    setPassword: (name, password) => setPassword.run(password, keyOf(name)).changes === 1,
    removeUser: (name) => remove.run(keyOf(name)).changes > 0,
    findUser: (name) => find.get(keyOf(name)),
    findUserById: (id) => findById.get(id),
    users: () => all.all(),
  };
}

type Repositories = Pick<
  ObjectsDirectory,
  'addRepository' | 'changeRepository' | 'removeRepository' | 'findRepository' | 'repositories'
>;

function prepareRepositories(db: Database): Repositories {
  const add = db.prepare(
    `INSERT INTO repositories (owner, name, path_key, is_public, created_ms)
     VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  );
  const setPublic = db.prepare('UPDATE repositories SET is_public = ? WHERE id = ?');
  const setQuota = db.prepare('UPDATE repositories SET quota_bytes = ? WHERE id = ?');
  const setLargest = db.prepare('UPDATE repositories SET max_object_bytes = ? WHERE id = ?');
  const remove = db.prepare('DELETE FROM repositories WHERE id = ?');
  const find = db.prepare<unknown[], RepositoryRow>(
    `SELECT ${repositoryColumns} FROM repositories WHERE path_key = ?`,
  );
  const all = db.prepare<unknown[], RepositoryRow>(
    `SELECT ${repositoryColumns} FROM repositories ORDER BY path_key`,
  );
  const change = db.transaction((id: number, wanted: RepositoryChange) => {
    const { isPublic, quotaBytes, maxObjectBytes } = wanted;
    if (isPublic !== undefined) setPublic.run(isPublic ? 1 : 0, id);
    if (quotaBytes !== undefined) setQuota.run(quotaBytes, id);
    if (maxObjectBytes !== undefined) setLargest.run(maxObjectBytes, id);
  });
  return {
    addRepository: (owner, name, isPublic, now) =>
      add.run(owner, name, keyOf(`${owner}/${name}`), isPublic ? 1 : 0, now).changes === 1,
    changeRepository: (id, wanted) => change.immediate(id, wanted),
    removeRepository: (id) => remove.run(id).changes > 0,
    findRepository: (path) => find.get(keyOf(path)),
    repositories: () => all.all(),
  };
}

type Grants = Pick<ObjectsDirectory, 'grant' | 'revoke' | 'access' | 'grants'>;

function prepareGrants(db: Database): Grants {
  const grant = db.prepare(
    `INSERT INTO grants (user_id, repository_id, may_write) VALUES (?, ?, ?)
     ON CONFLICT (user_id, repository_id) DO UPDATE SET may_write = excluded.may_write`,
  );
  const revoke = db.prepare('DELETE FROM grants WHERE user_id = ? AND repository_id = ?');
  const access = db
    .prepare<unknown[], number>(
      'SELECT may_write FROM grants WHERE user_id = ? AND repository_id = ?',
    )
    .pluck();
  const all = db.prepare<unknown[], GrantRow>(`
    SELECT u.name AS user, r.owner || '/' || r.name AS repository,
      iif(g.may_write, 'write', 'read') AS access
    FROM grants AS g JOIN users AS u ON u.id = g.user_id
      JOIN repositories AS r ON r.id = g.repository_id
    WHERE ? IS NULL OR g.repository_id = ?
    ORDER BY r.path_key, u.name_key`);
  return {
    grant: (userId, repositoryId, wanted) => {
      grant.run(userId, repositoryId, wanted === 'write' ? 1 : 0);
    },
    revoke: (userId, repositoryId) => revoke.run(userId, repositoryId).changes > 0,
    access: (userId, repositoryId) => {
      const mayWrite = access.get(userId, repositoryId);
      if (mayWrite === undefined) return undefined;
      return mayWrite === 1 ? 'write' : 'read';
    },
    grants: (repositoryId) => all.all(repositoryId ?? null, repositoryId ?? null),
  };
}

/** Names are told apart whatever their case: they are ASCII, so this is the same on every machine. */
function keyOf(name: string): string {
  return name.toLowerCase();
}
