import { createHash } from 'node:crypto';

/** Makes a strong ETag from the revision of what an answer shows and everything in the request that shapes it. */
export function makeEtag(revision: string, shape: readonly unknown[]): string {
  // Hashed, because a shape may hold a tag or a box of coordinates, and an ETag is kept by clients.
  const digest = createHash('sha256')
    .update(JSON.stringify([revision, shape]))
    .digest('base64url');
  return `"${digest.slice(0, 22)}"`;
}
