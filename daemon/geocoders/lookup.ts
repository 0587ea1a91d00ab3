import type { Suggestion } from '../../model/search.ts';

/**
 * Asks a geocoding server for places, best first.
 * @param limit How many at most.
 * @throws ServerFailed
 */
export type Lookup = (text: string, limit: number, signal: AbortSignal) => Promise<Suggestion[]>;

/** The address of a resource of the server; the base may have a path of its own. */
export function serverUrl(base: string, path: string, query: Record<string, string>): URL {
  const url = new URL(`${base.replace(/\/+$/, '')}${path}`);
  url.search = new URLSearchParams(query).toString();
  return url;
}
