import { headerValues, type Context } from '../http/context.ts';
import { WaypointError } from '../model/failure.ts';
import type { Access, Operation } from '../model/objects.ts';
import type { RepositoryRow, UserRow } from '../storage/objects/directory.ts';
import { networkOf } from './client-address.ts';
import { readBasic } from './credentials.ts';
import type { ObjectParts } from './parts.ts';
import type { Scope } from './tokens.ts';

type AccessParts = Pick<ObjectParts, 'directory' | 'logins' | 'tokens' | 'limiter' | 'strangers'>;

/** What a request wants to do. */
export interface AccessSpec {
  /** `OWNER/NAME` */
  readonly path: string;
  readonly operation: Operation;
  /** The one object it is about, which a link's token must name. */
  readonly oid?: string;
  /** The client's address. */
  readonly from: string;
}

/** Who may do it, and where. */
export interface Permit {
  readonly repository: RepositoryRow;
  /** undefined for an anonymous client. */
  readonly user: UserRow | undefined;
}

/**
 * Decides whether a request may be done. What a client may not see does not exist for it; only an anonymous one is asked for
 * a password instead, because git would never ask for one after a 404.
 * @throws WaypointError unauthorized, not_found, forbidden, busy
 */
export async function permit(ctx: Context, spec: AccessSpec, parts: AccessParts): Promise<Permit> {
  const who = await identify(ctx, spec, parts);
  if (who.user !== undefined) parts.strangers.admit(ctx.req.socket);
  const repository = await parts.directory.findRepository(spec.path);
  const isScoped = who.scope === undefined || covers(who.scope, spec, repository);
  // A token for something else is as good as none.
  if (!isScoped) throw new WaypointError('object_credentials');
  const granted =
    repository === undefined ? undefined : await accessOf(who.user, repository, parts);
  const isAnonymous = who.user === undefined;
  if (repository === undefined || granted === undefined) {
    throw new WaypointError(isAnonymous ? 'object_credentials' : 'not_found');
  }
  if (spec.operation === 'upload' && granted !== 'write') {
    throw new WaypointError(isAnonymous ? 'object_credentials' : 'read_only');
  }
  return { repository, user: who.user };
}

interface Identity {
  readonly user: UserRow | undefined;
  readonly scope?: Scope;
}

async function identify(ctx: Context, spec: AccessSpec, parts: AccessParts): Promise<Identity> {
  const { logins, tokens, limiter } = parts;
  const [header, ...more] = headerValues(ctx, 'authorization');
  const token = /^bearer +([A-Za-z0-9._-]+) *$/iu.exec(header ?? '')?.[1];
  const scope = token === undefined ? undefined : tokens.read(token);
  // The link of an object was counted when it was made: a transfer that was accepted is not held up any more.
  if (scope?.oid === undefined) limiter.take(networkOf(spec.from));
  if (header === undefined) return { user: undefined };
  if (more.length > 0) throw new WaypointError('object_credentials');
  if (token !== undefined) return identifyByToken(scope, parts);
  const login = readBasic(header);
  const user = login === undefined ? undefined : await logins.check(login, spec.from);
  if (user === undefined) throw new WaypointError('object_credentials');
  return { user };
}

async function identifyByToken(
  scope: Scope | undefined,
  { directory }: AccessParts,
): Promise<Identity> {
  const user = scope && (await directory.findUserById(scope.userId));
  // Its user may have been removed.
  if (scope === undefined || (user === undefined && scope.userId !== 0)) {
    throw new WaypointError('object_credentials');
  }
  return { user, scope };
}

function covers(scope: Scope, spec: AccessSpec, repository: RepositoryRow | undefined): boolean {
  if (repository?.id !== scope.repositoryId) return false;
  if (scope.oid !== undefined && scope.oid !== spec.oid) return false;
  // What may be sent may be asked about; a login for uploads is one for downloads.
  return scope.operation === spec.operation || scope.operation === 'upload';
}

/** What somebody may do now, whenever the token was made. */
async function accessOf(
  user: UserRow | undefined,
  repository: RepositoryRow,
  { directory }: AccessParts,
): Promise<Access | undefined> {
  const granted = user === undefined ? undefined : await directory.access(user.id, repository.id);
  return granted ?? (repository.is_public === 1 ? 'read' : undefined);
}
