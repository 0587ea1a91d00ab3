/** An entity tag in a list: `"…"` or `W/"…"`; a comma may stand inside the quotes. */
const entityTag = /(?:W\/)?"([^"]*)"/g;

/**
 * Tells whether `If-None-Match` names this entity tag or any (`*`), by the weak comparison of RFC 9110 section 13.1.2.
 * Koa's `fresh` cuts tags at commas inside their quotes, and heeds the client's `Cache-Control`.
 */
export function notModified(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  const wanted = etag.replaceAll(/^W\/|"/g, '');
  return [...ifNoneMatch.matchAll(entityTag)].some(([, candidate]) => candidate === wanted);
}
