import { pairSignature } from './index/pair-signature.ts';
import { isSuppressed } from './suppressed-positions.ts';
import { firstTrue } from './library-index.ts';
import { match, wordsOfQuery, type Found, type Match } from './name-match.ts';
import type { SearchSnapshot } from './waypoint-index.ts';

/** Word starts looked at and names searched between two yields; below a millisecond each. */
const stepWords = 262_144;
const stepNames = 65_536;
/** Names looked through for words between two yields: a query of single letters has every one read. */
const stepWordNames = 16_384;
/** As many names of a step are read one by one; a native search takes as long for all of them. */
const maxCandidates = stepNames / 8;
/** From so many bytes on, few names have all pairs of a query: reading them is cheaper than looking at all word starts. */
const rareLength = 4;
const maxRareCandidates = stepNames / 16;

/**
 * Finds the best imported waypoints whose names contain `wanted`, in order. Names are sorted, so whole names and prefixes
 * are one stretch of them; the list of word starts and the names themselves are read from the beginning and only until
 * there are enough, so the first ones found are the best of their kind.
 */
export function* suggestFromLibrary(
  snapshot: SearchSnapshot,
  wanted: string,
  limit: number,
): Generator<undefined, Found[]> {
  const search = new LibrarySearch(snapshot, wanted, limit);
  search.addPrefixes();
  yield;
  if (!(yield* search.addRare())) {
    yield* search.addWordStarts();
    yield* search.addInside();
  }
  yield* search.addWords(wordsOfQuery(wanted));
  return search.found();
}

class LibrarySearch {
  readonly #snapshot: SearchSnapshot;
  readonly #wanted: Buffer;
  readonly #limit: number;
  readonly #hits: { readonly rank: number; readonly match: Match }[] = [];
  /** Ranks whose names begin with `wanted`. */
  readonly #prefixFrom: number;
  readonly #prefixTo: number;

  constructor(snapshot: SearchSnapshot, wanted: string, limit: number) {
    this.#snapshot = snapshot;
    this.#wanted = Buffer.from(wanted);
    this.#limit = limit;
    this.#prefixFrom = snapshot.library.lowerRank(this.#wanted);
    this.#prefixTo = snapshot.library.lowerRank(this.#wanted, true);
  }

  /** The shortest name of the stretch comes first, so whole names precede the prefixes. */
  addPrefixes(): void {
    const { foldedStart } = this.#snapshot.library.data;
    const wholeLength = this.#wanted.length + 1;
    for (let rank = this.#prefixFrom; rank < this.#prefixTo && !this.#isFull(); rank += 1) {
      const isWhole = foldedStart[rank + 1]! - foldedStart[rank]! === wholeLength;
      this.#add(rank, isWhole ? match.whole : match.prefix);
    }
  }

  /**
   * Adds word starts and what is inside of words at once, if the query is long and only few names can have it.
   * @returns false if not; then nothing is added.
   */
  *addRare(): Generator<undefined, boolean> {
    if (this.#wanted.length < rareLength) return false;
    const { count } = this.#snapshot.library.data;
    const before = this.#hits.length;
    const inside: number[] = [];
    for (let from = 0; from < count && !this.#isFull(); from += stepNames) {
      const to = Math.min(from + stepNames, count);
      const candidates = this.#candidates(from, to, maxRareCandidates);
      if (candidates === undefined) {
        this.#hits.length = before;
        return false;
      }
      for (const rank of candidates) this.#addWordStart(rank, inside);
      yield;
    }
    for (const rank of inside) if (!this.#isFull()) this.#add(rank, match.inside);
    return true;
  }

  /** @param inside gets the ranks that have `wanted` elsewhere, as many as can be shown. */
  #addWordStart(rank: number, inside: number[]): void {
    const { library, suppressed } = this.#snapshot;
    if (this.#isPrefix(rank) || isSuppressed(suppressed, library.data.byName[rank]!)) return;
    const kind = this.#matchWithin(rank);
    if (kind === match.wordStart && !this.#isFull()) this.#add(rank, kind);
    if (kind === match.inside && inside.length < this.#limit) inside.push(rank);
  }

  /** How a name that does not begin with `wanted` has it; undefined if it has not. */
  #matchWithin(rank: number): Match | undefined {
    const { folded, foldedStart, wordStarts } = this.#snapshot.library.data;
    const last = foldedStart[rank + 1]! - 1 - this.#wanted.length;
    let found: Match | undefined;
    for (let place = foldedStart[rank]!; place <= last; place += 1) {
      if (!startsWith(folded, place, this.#wanted)) continue;
      if (wordStarts[firstTrue(wordStarts.length, (i) => wordStarts[i]! >= place)] === place)
        return match.wordStart;
      found = match.inside;
    }
    return found;
  }

  *addWordStarts(): Generator<undefined, void> {
    const { wordStarts } = this.#snapshot.library.data;
    for (let from = 0; from < wordStarts.length && !this.#isFull(); from += stepWords) {
      this.#addWordStarts(from, Math.min(from + stepWords, wordStarts.length));
      yield;
    }
  }

  #addWordStarts(from: number, to: number): void {
    const { library } = this.#snapshot;
    const { wordStarts, folded, foldedStart } = library.data;
    const wanted = this.#wanted;
    const first = wanted[0];
    // Ends the words of the name found last, and of those that begin with `wanted`.
    let skipTo = 0;
    for (let i = from; i < to; i += 1) {
      const place = wordStarts[i]!;
      if (folded[place] !== first || place < skipTo || !startsWith(folded, place, wanted)) continue;
      const rank = library.rankAt(place);
      skipTo = foldedStart[this.#isPrefix(rank) ? this.#prefixTo : rank + 1]!;
      if (!this.#isKnown(rank)) this.#add(rank, match.wordStart);
      if (this.#isFull()) return;
    }
  }

  *addInside(): Generator<undefined, void> {
    const { count } = this.#snapshot.library.data;
    for (let from = 0; from < count && !this.#isFull(); from += stepNames) {
      const to = Math.min(from + stepNames, count);
      const candidates = this.#candidates(from, to, maxCandidates);
      if (candidates === undefined) this.#searchNames(from, to);
      else for (const rank of candidates) this.#searchName(rank);
      yield;
    }
  }

  /** The few ranks whose names may contain `wanted`; undefined if they are not few. */
  #candidates(from: number, to: number, most: number): number[] | undefined {
    const { pairs } = this.#snapshot.library.data;
    const needed = pairSignature(this.#wanted, 0, this.#wanted.length);
    const candidates: number[] = [];
    for (let rank = from; rank < to; rank += 1) {
      if ((needed & ~pairs[rank]!) !== 0) continue;
      if (candidates.length === most) return undefined;
      candidates.push(rank);
    }
    return candidates;
  }

  #searchName(rank: number): void {
    if (this.#isFull() || this.#isKnown(rank)) return;
    if (this.#matchWithin(rank) !== undefined) this.#add(rank, match.inside);
  }

  /** Searches a stretch of names at once, which takes time for each hit and little for the rest. */
  #searchNames(from: number, to: number): void {
    const { library } = this.#snapshot;
    const { foldedStart } = library.data;
    const start = foldedStart[from]!;
    const end = foldedStart[to]!;
    const names = library.folded.subarray(start, end);
    let hit = names.indexOf(this.#wanted);
    while (hit >= 0 && !this.#isFull()) {
      const rank = library.rankAt(start + hit);
      if (!this.#isKnown(rank)) this.#add(rank, match.inside);
      const next = foldedStart[this.#isPrefix(rank) ? this.#prefixTo : rank + 1]!;
      hit = next < end ? names.indexOf(this.#wanted, next - start) : -1;
    }
  }

  /** Names that have each of these words somewhere; those that have the whole query are known by now. */
  *addWords(words: readonly string[]): Generator<undefined, void> {
    if (words.length === 0) return;
    const wanted = words.map((word) => Buffer.from(word));
    const needed = wanted.reduce((all, word) => all | pairSignature(word, 0, word.length), 0);
    const { count, pairs } = this.#snapshot.library.data;
    for (let from = 0; from < count && !this.#isFull(); from += stepWordNames) {
      const to = Math.min(from + stepWordNames, count);
      for (let rank = from; rank < to && !this.#isFull(); rank += 1) {
        if ((needed & ~pairs[rank]!) !== 0 || !this.#hasAll(rank, wanted)) continue;
        if (!this.#isKnown(rank)) this.#add(rank, match.words);
      }
      yield;
    }
  }

  #hasAll(rank: number, words: readonly Uint8Array[]): boolean {
    const { folded, foldedStart } = this.#snapshot.library.data;
    const [start, end] = [foldedStart[rank]!, foldedStart[rank + 1]! - 1];
    return words.every((word) => {
      for (let place = start; place + word.length <= end; place += 1)
        if (startsWith(folded, place, word)) return true;
      return false;
    });
  }

  found(): Found[] {
    const { library } = this.#snapshot;
    const { byName, foldedStart } = library.data;
    return this.#hits.map(({ rank, match: kind }) => ({
      ...library.place(byName[rank]!),
      match: kind,
      folded: library.folded.toString('utf8', foldedStart[rank]!, foldedStart[rank + 1]! - 1),
    }));
  }

  #isFull(): boolean {
    return this.#hits.length >= this.#limit;
  }

  #isPrefix(rank: number): boolean {
    return rank >= this.#prefixFrom && rank < this.#prefixTo;
  }

  /** Tells whether a name was found in a better way. */
  #isKnown(rank: number): boolean {
    return this.#isPrefix(rank) || this.#hits.some((hit) => hit.rank === rank);
  }

  #add(rank: number, kind: Match): void {
    const position = this.#snapshot.library.data.byName[rank]!;
    if (!isSuppressed(this.#snapshot.suppressed, position)) this.#hits.push({ rank, match: kind });
  }
}

function startsWith(bytes: Uint8Array, place: number, wanted: Uint8Array): boolean {
  for (let i = 0; i < wanted.length; i += 1) {
    if (bytes[place + i] !== wanted[i]) return false;
  }
  return true;
}
