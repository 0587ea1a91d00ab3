import { compareFolded } from '../model/fold.ts';
import type { Place } from '../model/waypoint.ts';
import { foldedText, markWords, wordMark, wordsOf } from './folded-text.ts';
import type { IndexedBookmark, SearchSnapshot } from './waypoint-index.ts';

/** A waypoint whose name contains the query. */
export interface NameSuggestion extends Place {
  readonly source: 'bookmark' | 'waypoint';
}

/** How a name contains the query; less is better. `words`: not the query, but each of its words. */
const match = { whole: 0, prefix: 1, wordStart: 2, inside: 3, words: 4 } as const;
type Match = (typeof match)[keyof typeof match];

interface Hit extends NameSuggestion {
  readonly match: Match;
}

interface Query {
  readonly folded: string;
  /** The folded text with marked words. */
  readonly text: string;
  readonly words: readonly string[];
  readonly limit: number;
}

/**
 * Finds the best waypoints whose names contain the query, whatever the case and accents: the whole name first, then names
 * that begin with it, then names with a word that begins with it (a word begins at a letter or digit after something
 * else), then names that contain it, at last names that contain all its words in another order or place; among equals
 * bookmarks first, then by folded name, lat, lon. A blank query finds nothing.
 */
export function suggestNames(
  snapshot: SearchSnapshot,
  query: string,
  limit: number,
): NameSuggestion[] {
  const folded = foldedText(query.trim());
  if (folded.trim() === '') return [];
  const asked = { folded, text: markWords(folded), words: wordsOf(folded), limit };
  const hits = [...bookmarkHits(snapshot, asked), ...libraryHits(snapshot, asked)];
  // Both lists are in order and the sort is stable, so the bookmarks stay before their equals.
  return hits
    .toSorted((a, b) => a.match - b.match)
    .slice(0, limit)
    .map(({ name, lat, lon, source }) => ({ name, lat, lon, source }));
}

function bookmarkHits({ bookmarks }: SearchSnapshot, query: Query): Hit[] {
  const best: { readonly bookmark: IndexedBookmark; readonly match: Match }[] = [];
  for (const bookmark of bookmarks) {
    const found = matchOf(bookmark.text, query);
    if (found === undefined) continue;
    let at = best.length;
    while (at > 0 && isBefore(bookmark, found, best[at - 1]!)) at -= 1;
    if (at === query.limit) continue;
    best.splice(at, 0, { bookmark, match: found });
    if (best.length > query.limit) best.pop();
  }
  return best.map(({ bookmark: { name, lat, lon }, match: found }) => ({
    name,
    lat,
    lon,
    source: 'bookmark',
    match: found,
  }));
}

function isBefore(
  a: IndexedBookmark,
  found: Match,
  { bookmark: b, match: other }: { readonly bookmark: IndexedBookmark; readonly match: Match },
): boolean {
  const order =
    found - other || compareFolded(a.folded, b.folded) || a.lat - b.lat || a.lon - b.lon;
  return order < 0;
}

function matchOf(name: string, { text, words }: Query): Match | undefined {
  if (!name.includes(text)) {
    const hasAll = words.length > 0 && words.every((word) => name.includes(word));
    return hasAll ? match.words : undefined;
  }
  if (name === `\n${text}\n`) return match.whole;
  if (name.startsWith(`\n${text}`)) return match.prefix;
  return name.includes(wordMark + text) ? match.wordStart : match.inside;
}

/** Names are in order, so that the first ones found are the best of their kind. */
function libraryHits(snapshot: SearchSnapshot, { folded, text, words, limit }: Query): Hit[] {
  const { library, suppressed } = snapshot;
  const hits = new Map<number, Match>();
  const add = (ranks: Iterable<number>, matchOfRank: (rank: number) => Match): void => {
    if (hits.size === limit) return;
    for (const rank of ranks) {
      if (suppressed[rank] === 0 && !hits.has(rank)) hits.set(rank, matchOfRank(rank));
      if (hits.size === limit) return;
    }
  };
  add(library.ranksFrom(folded), (rank) =>
    library.foldedName(rank) === text ? match.whole : match.prefix,
  );
  add(library.ranksWith([text, wordMark + text]), () => match.wordStart);
  add(library.ranksWith([text]), () => match.inside);
  if (words.length > 0) add(library.ranksWith(words), () => match.words);
  return Array.from(hits, ([rank, kind]) => ({
    ...library.place(rank),
    source: 'waypoint',
    match: kind,
  }));
}
