import { compareFolded } from '../model/fold.ts';
import type { Place } from '../model/waypoint.ts';

/** How a name contains the query; less is better. `words`: not the query, but each of its words. */
export const match = { whole: 0, prefix: 1, wordStart: 2, inside: 3, words: 4 } as const;
export type Match = (typeof match)[keyof typeof match];

/** A waypoint found, with what it is ranked by. */
export interface Found extends Place {
  readonly match: Match;
  readonly folded: string;
}

/** Orders what was found in one source: by match, then folded name, lat, lon. */
export function compareFound(a: Found, b: Found): number {
  return a.match - b.match || compareFolded(a.folded, b.folded) || a.lat - b.lat || a.lon - b.lon;
}

/** The words of a folded query that may stand anywhere in a name, the longest first; none of a query of one word. */
export function wordsOfQuery(wanted: string): string[] {
  const words = new Set(wanted.split(/[\s,;]+/u).filter((word) => word !== ''));
  return words.size < 2 ? [] : [...words].toSorted((a, b) => b.length - a.length);
}

/** Tells how a folded name contains a folded query, or its words; undefined if it does not. */
export function matchOf(
  folded: string,
  wanted: string,
  words: readonly string[],
): Match | undefined {
  let at = folded.indexOf(wanted);
  if (at < 0) {
    const hasAll = words.length > 0 && words.every((word) => folded.includes(word));
    return hasAll ? match.words : undefined;
  }
  if (at === 0) return folded.length === wanted.length ? match.whole : match.prefix;
  for (; at > 0; at = folded.indexOf(wanted, at + 1)) {
    if (isWordStart(folded, at)) return match.wordStart;
  }
  return match.inside;
}

const wordAfterOther = /^[^\p{L}\p{N}][\p{L}\p{N}]/u;

function isWordStart(text: string, at: number): boolean {
  // The code point before may take two units.
  const before = text.codePointAt(at - 2);
  const start = before !== undefined && before > 0xffff ? at - 2 : at - 1;
  return wordAfterOther.test(text.slice(start, at + 2));
}
