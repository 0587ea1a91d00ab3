import { headerValues, type Context } from '../http/context.ts';
import { WaypointError } from '../model/failure.ts';
import type { Operation } from '../model/objects.ts';
import type { RepositoryRow, Standing, UserRow } from '../storage/objects/directory.ts';
import { networkOf } from './client-address.ts';
import { readBasic, type Login } from './credentials.ts';
import type { ObjectParts } from './parts.ts';
import type { Scope } from './tokens.ts';

type AccessParts = Pick<ObjectParts, 'directory' | 'logins' | 'tokens' | 'limiter' | 'strangers'>;

/** Action of a request. */
export interface AccessSpec {
  /** `OWNER/NAME` */
  readonly path: string;
  readonly operation: Operation;
  /** The one object it is about, which a link's token must name. */
  readonly oid?: string;
  /** The client's address. */
  readonly from: string;
}

/** User and repository of a request. */
export interface Permit {
  readonly repository: RepositoryRow;
  /** undefined for an anonymous client. */
  readonly user: UserRow | undefined;
  /** Size of the one object, if the repository holds it. */
  readonly held: number | undefined;
}

/**
 * Decides whether a request may be done. What a client may not see does not exist for it; only an anonymous one is asked for
 * a password instead, because git would never ask for one after a 404.
 * @throws WaypointError unauthorized, not_found, forbidden, busy
 */
export async function permit(ctx: Context, spec: AccessSpec, parts: AccessParts): Promise<Permit> {
  const { user, repository, granted, held } = await identify(ctx, spec, parts);
  const isAnonymous = user === undefined;
  const access = granted ?? (repository?.is_public === 1 ? 'read' : undefined);
  if (repository === undefined || access === undefined) {
    throw new WaypointError(isAnonymous ? 'object_credentials' : 'not_found');
  }
  if (spec.operation === 'upload' && access !== 'write') {
    throw new WaypointError(isAnonymous ? 'object_credentials' : 'read_only');
  }
  return { repository, user, held };
}

/** @throws WaypointError object_credentials, busy */
async function identify(ctx: Context, spec: AccessSpec, parts: AccessParts): Promise<Standing> {
  const { login, scope } = readCredentials(ctx, spec, parts);
  const who = login?.isName === true ? login.user : (scope?.userId ?? 0);
  const standing = await parts.directory.standing(who, spec.path, spec.oid);
  const isRight =
    login === undefined
      ? // The user of a token may have been removed.
        who === 0 || standing.user !== undefined
      : await parts.logins.check(login, standing.user, spec.from);
  if (!isRight) throw new WaypointError('object_credentials');
  if (standing.user !== undefined) parts.strangers.admit(ctx.req.socket);
  // A token for something else is as good as none.
  if (scope !== undefined && !covers(scope, spec, standing.repository)) {
    throw new WaypointError('object_credentials');
  }
  return standing;
}

/** Credentials of a client: a login, a token, or none. */
interface Credentials {
  readonly login?: Login | undefined;
  readonly scope?: Scope | undefined;
}

/** @throws WaypointError object_credentials, busy */
function readCredentials(
  ctx: Context,
  { from }: AccessSpec,
  { tokens, limiter }: AccessParts,
): Credentials {
  const [header, ...more] = headerValues(ctx, 'authorization');
  const token = /^bearer +([A-Za-z0-9._-]+) *$/iu.exec(header ?? '')?.[1];
  const scope = token === undefined ? undefined : tokens.read(token);
  // The link of an object was counted when it was made: a transfer that was accepted is not held up any more.
  if (scope?.oid === undefined) limiter.take(networkOf(from));
  if (header === undefined) return {};
  const login = token === undefined ? readBasic(header) : undefined;
  if (more.length > 0 || (login ?? scope) === undefined) {
    throw new WaypointError('object_credentials');
  }
  return { login, scope };
}

function covers(scope: Scope, spec: AccessSpec, repository: RepositoryRow | undefined): boolean {
  if (repository?.id !== scope.repositoryId) return false;
  if (scope.oid !== undefined && scope.oid !== spec.oid) return false;
  // What may be sent may be asked about; a login for uploads is one for downloads.
  return scope.operation === spec.operation || scope.operation === 'upload';
}
