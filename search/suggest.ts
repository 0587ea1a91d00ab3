import { foldName } from '../model/fold.ts';
import type { Place } from '../model/waypoint.ts';
import type { BookmarkColumns } from './bookmark-table.ts';
import { suggestFromLibrary } from './library-suggest.ts';
import { compareFound, matchOf, wordsOfQuery, type Found } from './name-match.ts';
import { resultInSlices } from './time-slices.ts';
import type { SearchSnapshot } from './waypoint-index.ts';

/** A waypoint whose name contains the query. */
export interface NameSuggestion extends Place {
  readonly source: 'bookmark' | 'waypoint';
}

/** Bookmarks looked at between two yields. */
const stepBookmarks = 8_192;

/**
 * Finds the best waypoints whose names contain the query, whatever the case and accents: the whole name first, then names
 * that begin with it, then those with a word that does (a word begins at a letter or digit after something else), then
 * the rest, at last those that have all words of the query in another order or place; among equals bookmarks first, then by
 * folded name, lat, lon. A blank query finds nothing.
 */
export async function suggestNames(
  snapshot: SearchSnapshot,
  query: string,
  limit: number,
): Promise<NameSuggestion[]> {
  return resultInSlices(suggestSteps(snapshot, query, limit));
}

function* suggestSteps(
  snapshot: SearchSnapshot,
  query: string,
  limit: number,
): Generator<undefined, NameSuggestion[]> {
  const wanted = foldName(query.trim());
  // A zero byte would match the end of a name in the library.
  if (wanted === '' || wanted.includes('\0')) return [];
  const bookmarks = yield* suggestFromBookmarks(snapshot.bookmarks, wanted, limit);
  const library = yield* suggestFromLibrary(snapshot, wanted, limit);
  const all = [
    ...bookmarks.map((found) => ({ found, source: 'bookmark' as const })),
    ...library.map((found) => ({ found, source: 'waypoint' as const })),
  ];
  // Both lists are in order and the sort is stable, so the bookmarks stay before their equals.
  return all
    .toSorted((a, b) => a.found.match - b.found.match)
    .slice(0, limit)
    .map(({ found: { name, lat, lon }, source }) => ({ name, lat, lon, source }));
}

function* suggestFromBookmarks(
  bookmarks: BookmarkColumns,
  wanted: string,
  limit: number,
): Generator<undefined, Found[]> {
  const best: Found[] = [];
  const words = wordsOfQuery(wanted);
  for (let i = 0; i < bookmarks.count; i += 1) {
    if (i % stepBookmarks === stepBookmarks - 1) yield;
    const folded = bookmarks.folded[i]!;
    const kind = matchOf(folded, wanted, words);
    if (kind === undefined) continue;
    const [name, lat, lon] = [bookmarks.names[i]!, bookmarks.lat[i]!, bookmarks.lon[i]!];
    insert(best, { name, lat, lon, match: kind, folded }, limit);
  }
  return best;
}

/** Keeps the best `limit` in order; most candidates are worse than the last of them. */
function insert(best: Found[], found: Found, limit: number): void {
  let at = best.length;
  while (at > 0 && compareFound(found, best[at - 1]!) < 0) at -= 1;
  if (at === limit) return;
  best.splice(at, 0, found);
  if (best.length > limit) best.pop();
}
