import { headerValues, type Context } from '../http/context.ts';
import { WaypointError } from '../model/failure.ts';
import type { Operation } from '../model/objects.ts';
import type { RepositoryRow, Standing, UserRow } from '../storage/objects/directory.ts';
import { clientAddress, networkOf } from './client-address.ts';
import { readBasic } from './credentials.ts';
import { repositoryUrl, type LinkBase } from './links.ts';
import type { ObjectParts } from './parts.ts';
import type { Scope } from './tokens.ts';

/** A request to a repository, as its route has read it. */
interface RepositoryRequest {
  readonly owner: string;
  readonly name: string;
  readonly operation: Operation;
  /** The one object it is about, which a link's token must name. */
  readonly oid?: string;
}

/** The repository of a request, for its user. */
export interface Permit {
  readonly repository: RepositoryRow;
  /** undefined for an anonymous client. */
  readonly user: UserRow | undefined;
  /** 0 for an anonymous client. */
  readonly userId: number;
  /** Size of the one object, if the repository holds it. */
  readonly held: number | undefined;
}

/**
 * Decides whether a request may be done. What a client may not see does not exist for it; only an anonymous one is asked for
 * a password instead, because git would never ask for one after a 404.
 * @throws WaypointError unauthorized, not_found, forbidden, busy
 */
export async function authorize(
  ctx: Context,
  request: RepositoryRequest,
  parts: ObjectParts,
): Promise<Permit> {
  const { user, repository, granted, held } = await identify(ctx, request, parts);
  const isAnonymous = user === undefined;
  const access = granted ?? (repository?.is_public === 1 ? 'read' : undefined);
  if (repository === undefined || access === undefined) {
    throw new WaypointError(isAnonymous ? 'object_credentials' : 'not_found');
  }
  if (request.operation === 'upload' && access !== 'write') {
    throw new WaypointError(isAnonymous ? 'object_credentials' : 'read_only');
  }
  return { repository, user, userId: user?.id ?? 0, held };
}

/** As {@link authorize}, for answers with links. */
export async function authorizeLinks(
  ctx: Context,
  request: RepositoryRequest,
  parts: ObjectParts,
): Promise<{ permit: Permit; links: LinkBase }> {
  const permit = await authorize(ctx, request, parts);
  const { repository, userId } = permit;
  const url = repositoryUrl(ctx, parts.config, repository);
  return { permit, links: { url, repository, userId } };
}

/** @throws WaypointError object_credentials, busy */
async function identify(
  ctx: Context,
  request: RepositoryRequest,
  parts: ObjectParts,
): Promise<Standing> {
  const { owner, name, oid } = request;
  const from = clientAddress(ctx, parts.config);
  const { login, scope } = readCredentials(ctx, from, parts);
  const who = login?.isName === true ? login.user : (scope?.userId ?? 0);
  const standing = await parts.directory.standing(who, `${owner}/${name}`, oid);
  const isRight =
    login === undefined
      ? // The user of a token may have been removed.
        who === 0 || standing.user !== undefined
      : await parts.logins.check(login, standing.user, from);
  if (!isRight) throw new WaypointError('object_credentials');
  if (standing.user !== undefined) parts.clients.admit(ctx, standing.user.id);
  // A token for something else is as good as none.
  if (scope !== undefined && !covers(scope, request, standing.repository)) {
    throw new WaypointError('object_credentials');
  }
  return standing;
}

/** @returns a login, the scope of a token, or none. @throws WaypointError object_credentials, busy */
function readCredentials(ctx: Context, from: string, { tokens, limitRequests }: ObjectParts) {
  const [header, ...more] = headerValues(ctx, 'authorization');
  const token = /^bearer +([A-Za-z0-9._-]+) *$/iu.exec(header ?? '')?.[1];
  const scope = token === undefined ? undefined : tokens.read(token);
  // The link of an object was counted when it was made: a transfer that was accepted is not held up any more.
  if (scope?.oid === undefined) limitRequests(networkOf(from));
  if (header === undefined) return {};
  const login = token === undefined ? readBasic(header) : undefined;
  if (more.length > 0 || (login ?? scope) === undefined) {
    throw new WaypointError('object_credentials');
  }
  return { login, scope };
}

function covers(
  scope: Scope,
  { oid, operation }: RepositoryRequest,
  repository: RepositoryRow | undefined,
): boolean {
  if (repository?.id !== scope.repositoryId) return false;
  if (scope.oid !== undefined && scope.oid !== oid) return false;
  // A login for uploads is one for downloads.
  return scope.operation === operation || scope.operation === 'upload';
}
