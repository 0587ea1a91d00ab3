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

/** Where the content of an object is fetched from or sent to; good for this object and this purpose, for an hour. */
function contentLink(
  base: LinkBase,
  { oid, size }: ObjectBody,
  operation: Operation,
  tokens: Tokens,
): Link {
  // Chunked uploads announce no length of their own.
  const query = operation === 'upload' ? `?size=${size}` : '';
  return {
    href: `${base.url}/objects/${oid}/content${query}`,
    header: authorization(base, oid, operation, tokens),
  };
}

function verifyLink(
  base: LinkBase,
  { oid }: ObjectBody,
  tokens: Tokens,
  lifeMs = linkLifeMs,
): Link {
  const header = authorization(base, oid, 'upload', tokens, lifeMs);
  const expires = lifeMs === linkLifeMs ? {} : { expires_in: lifeMs / 1_000 };
  return { href: `${base.url}/verify`, header, ...expires };
}

function authorization(
  { repository, userId }: LinkBase,
  oid: string,
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
  const direct = directFor(base.repository, object, parts);
  if (direct === undefined) {
    const upload = contentLink(base, object, 'upload', parts.tokens);
    return { upload, verify: verifyLink(base, object, parts.tokens) };
  }
  const upload = await direct.upload({ ...object, repositoryId: base.repository.id });
  const verify = verifyLink(base, object, parts.tokens, verifyLifeMs);
  return {
    upload: { ...upload, expires_in: direct.lifeSeconds },
    verify,
    cancel: { ...verify, href: `${base.url}/objects/${object.oid}/announcement` },
  };
}

/** Where an object is fetched from. */
export async function downloadLink(
  base: LinkBase,
  object: ObjectBody,
  parts: ObjectParts,
): Promise<Link> {
  const { direct } = parts.contents.of(pathOf(base.repository));
  if (direct === undefined) return contentLink(base, object, 'download', parts.tokens);
  return { ...(await direct.download(object.oid)), expires_in: direct.lifeSeconds };
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
