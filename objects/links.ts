import { headerValues, type Context } from '../http/context.ts';
import { WaypointError } from '../model/failure.ts';
import type { Link, ObjectBody, Operation } from '../model/objects.ts';
import type { DirectLinks } from '../storage/content-store/content-store.ts';
import { pathOf, type RepositoryRow } from '../storage/objects/directory.ts';
import { linkLifeMs, verifyLifeMs, type ObjectsConfig } from './config.ts';
import type { ObjectParts } from './parts.ts';
import type { Tokens } from './tokens.ts';

const hostName = /^(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/u;

/** Where and for whom links are made. */
export interface LinkBase {
  /** URL of the repository, without a slash at its end. */
  readonly url: string;
  readonly repository: RepositoryRow;
  /** 0 for an anonymous client. */
  readonly userId: number;
}

/**
 * The URL of a repository as this client reaches it: the configured one, or the one it has used.
 * @throws WaypointError misdirected where it has used none that can be repeated.
 */
export function repositoryUrl(
  ctx: Context,
  { publicUrl, isTls }: ObjectsConfig,
  { owner, name }: RepositoryRow,
): string {
  if (publicUrl !== undefined) return `${publicUrl}/${owner}/${name}`;
  const [host = '', ...more] = headerValues(ctx, 'host');
  if (more.length > 0 || !hostName.test(host)) throw new WaypointError('misdirected');
  return `${isTls ? 'https' : 'http'}://${host}/${owner}/${name}`;
}

export function selfLink({ url }: LinkBase, { oid }: ObjectBody): Link {
  return { href: `${url}/objects/${oid}` };
}

/** A token for this object and this purpose alone. */
function authorization(
  { repository, userId }: LinkBase,
  { oid }: ObjectBody,
  operation: Operation,
  tokens: Tokens,
  lifeMs = linkLifeMs,
): Record<string, string> {
  const scope = { userId, repositoryId: repository.id, operation, oid };
  return { Authorization: `Bearer ${tokens.make(scope, lifeMs)}` };
}

/**
 * How an object is sent: to this server, or past it to the bucket, which only the verify link then tells it of; a client that
 * stops says so by the cancel link.
 */
export async function uploadLinks(
  base: LinkBase,
  object: ObjectBody,
  parts: ObjectParts,
): Promise<{ upload: Link; verify: Link; cancel?: Link }> {
  const { url, repository } = base;
  const own = selfLink(base, object).href;
  const verify = `${url}/verify`;
  const direct = directFor(repository, object, parts);
  if (direct === undefined) {
    const header = authorization(base, object, 'upload', parts.tokens);
    // Chunked uploads announce no length of their own.
    const upload = { href: `${own}/content?size=${object.size}`, header };
    return { upload, verify: { href: verify, header } };
  }
  const upload = await direct.upload({ ...object, repositoryId: repository.id });
  const header = authorization(base, object, 'upload', parts.tokens, verifyLifeMs);
  const expires_in = verifyLifeMs / 1_000;
  return {
    upload: { ...upload, expires_in: direct.lifeSeconds },
    verify: { href: verify, header, expires_in },
    cancel: { href: `${own}/announcement`, header, expires_in },
  };
}

/** Where an object is fetched from. */
export async function downloadLink(
  base: LinkBase,
  object: ObjectBody,
  parts: ObjectParts,
): Promise<Link> {
  const { direct } = parts.contents.of(pathOf(base.repository));
  if (direct !== undefined) {
    return { ...(await direct.download(object.oid)), expires_in: direct.lifeSeconds };
  }
  const header = authorization(base, object, 'download', parts.tokens);
  return { href: `${selfLink(base, object).href}/content`, header };
}

/** The bucket's links for an object that may be sent past this server. */
export function directFor(
  repository: RepositoryRow,
  { size }: ObjectBody,
  { contents }: ObjectParts,
): DirectLinks | undefined {
  const { direct } = contents.of(pathOf(repository));
  return direct !== undefined && size <= direct.largestBytes ? direct : undefined;
}

/**
 * Refuses a download that the limit of the day has no room for; bytes that will go past this server are counted now.
 * @throws WaypointError bandwidth
 */
export async function countLinked(
  { repository: { id } }: LinkBase,
  bytes: number,
  { contents, traffic }: ObjectParts,
): Promise<void> {
  await (contents.keepsApart ? traffic.reserve(id, bytes) : traffic.refuseOverLimit(id, bytes));
}
