/** Puts an entity tag into the quotes that HTTP wants, unless it has them. */
export function quoteEtag(etag: string): string {
  return etag.startsWith('"') || etag.startsWith('W/"') ? etag : `"${etag}"`;
}

/** An entity tag in a list: `"…"` or `W/"…"`; a comma may stand inside the quotes. */
const entityTag = /(?:W\/)?"([^"]*)"/g;

/** Tells whether `If-None-Match` names this entity tag or any (`*`), by the weak comparison of RFC 9110 section 13.1.2. */
export function notModified(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  const wanted = opaque(quoteEtag(etag));
  return ifNoneMatch.match(entityTag)?.some((candidate) => opaque(candidate) === wanted) ?? false;
}

function opaque(etag: string): string {
  return etag.startsWith('W/') ? etag.slice(2) : etag;
}
