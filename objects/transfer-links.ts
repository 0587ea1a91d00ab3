import type { Link, ObjectBody } from '../model/objects.ts';
import type { DirectLinks } from '../storage/content-store/content-store.ts';
import { pathOf, type RepositoryRow } from '../storage/objects/directory.ts';
import { contentLink, verifyLink, type LinkBase } from './links.ts';
import type { ObjectParts } from './parts.ts';

/** How an object is sent: to this server, or past it to the bucket, which only the verify link then tells it of. */
export async function uploadLinks(
  base: LinkBase,
  object: ObjectBody,
  parts: ObjectParts,
): Promise<{ upload: Link; verify: Link }> {
  const direct = directFor(base.repository, object, parts);
  if (direct === undefined) {
    const upload = contentLink(base, object, 'upload', parts.tokens);
    return { upload, verify: verifyLink(base, object, parts.tokens) };
  }
  const upload = await direct.upload({ ...object, repositoryId: base.repository.id });
  return {
    upload: { ...upload, expires_in: direct.lifeSeconds },
    // It is used once the last byte has arrived, which may take hours.
    verify: verifyLink(base, object, parts.tokens, verifyLifeMs),
  };
}

const verifyLifeMs = 86_400_000;

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
