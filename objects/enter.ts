import type { Context } from '../http/context.ts';
import type { Operation } from '../model/objects.ts';
import { permit as decide, type Permit } from './access.ts';
import { clientAddress } from './client-address.ts';
import { repositoryUrl, type LinkBase } from './links.ts';
import type { ObjectParts } from './parts.ts';

/** A request to a repository, as its route has read it. */
interface RepositoryRequest {
  readonly owner: string;
  readonly name: string;
  readonly operation: Operation;
  readonly oid?: string;
}

/**
 * The door of every repository: lets through who may do what the request asks for.
 * @throws WaypointError busy, unauthorized, not_found, forbidden
 */
export async function enterQuietly(
  ctx: Context,
  { owner, name, operation, oid }: RepositoryRequest,
  parts: ObjectParts,
): Promise<Permit> {
  const from = clientAddress(ctx, parts.config);
  const spec = { path: `${owner}/${name}`, operation, from, ...(oid === undefined ? {} : { oid }) };
  return decide(ctx, spec, parts);
}

/** As {@link enterQuietly}, for answers with links. */
export async function enter(
  ctx: Context,
  request: RepositoryRequest,
  parts: ObjectParts,
): Promise<{ permit: Permit; links: LinkBase }> {
  const permit = await enterQuietly(ctx, request, parts);
  const { repository, user } = permit;
  const url = repositoryUrl(ctx, parts.config, repository);
  return { permit, links: { url, repository, userId: user?.id ?? 0 } };
}
