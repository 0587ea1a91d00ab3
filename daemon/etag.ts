import { hash, randomBytes } from 'node:crypto';

/** Counters of changes go back when a store is restored from a copy; what a process answered stays its own. */
const processId = randomBytes(8).toString('hex');

/** Makes a strong ETag from the revision of what an answer shows and everything in the request that shapes it. */
export function makeEtag(revision: string, shape: readonly unknown[]): string {
  // Hashed, because a shape may hold a tag or a box of coordinates, and an ETag is kept by clients.
  const content = JSON.stringify([processId, revision, shape]);
  return `"${hash('sha256', content, 'base64url').slice(0, 22)}"`;
}
