import { isSameIdentity, keyOf, type IdentityKey } from '../model/identity.ts';
import type { Place } from '../model/waypoint.ts';
import { foldedText } from './folded-text.ts';
import type { SearchIndexData } from './library-data.ts';

const partsPerDegree = 1_000_000;
const nearDegrees = 1 / partsPerDegree;
const wordMarkByte = 1;
const newline = 10;

/** Reads the search index of the imported waypoints, which never changes. */
export class LibraryIndex {
  readonly data: SearchIndexData;
  readonly #text: Buffer;
  readonly #names: Buffer;

  constructor(data: SearchIndexData) {
    this.data = data;
    this.#text = bufferOver(data.folded.bytes);
    this.#names = bufferOver(data.names.bytes);
  }

  place(rank: number): Place {
    const { names, lat, lon } = this.data;
    const name = this.#names.toString('utf8', names.start[rank], names.start[rank + 1]);
    return { name, lat: lat[rank]!, lon: lon[rank]! };
  }

  /** The folded name with marked words. */
  foldedName(rank: number): string {
    const { start } = this.data.folded;
    return this.#text.toString('utf8', start[rank], start[rank + 1]! - 1);
  }

  /** Gives the ranks of the names that begin with a folded text without marks, ascending. */
  *ranksFrom(folded: string): Generator<number> {
    const wanted = Buffer.from(folded);
    let rank = this.#first((at) => this.#compare(at, wanted) >= 0);
    for (; rank < this.data.count && this.#compare(rank, wanted) === 0; rank += 1) yield rank;
  }

  /** Gives the ranks of the names that contain all of some marked texts, ascending. */
  *ranksWith(texts: readonly string[]): Generator<number> {
    const { count, folded } = this.data;
    const wanted = texts.map((text) => Buffer.from(text));
    for (let rank = 0; rank < count;) {
      let next = rank;
      for (const text of wanted) {
        const at = this.#text.indexOf(text, folded.start[next]);
        if (at < 0) return;
        next = this.#first((other) => folded.start[other + 1]! > at);
      }
      if (next === rank) {
        yield rank;
        rank += 1;
      } else rank = next;
    }
  }

  /** Finds the rank of the waypoint of exactly this identity. */
  find(key: IdentityKey): number | undefined {
    const { count, lat, lon } = this.data;
    // The newline ends each name, so that whole names are compared.
    const wanted = Buffer.from(`${foldedText(key.name)}\n`);
    const south = key.latE6 / partsPerDegree - nearDegrees;
    const north = key.latE6 / partsPerDegree + nearDegrees;
    let rank = this.#first((at) => {
      const order = this.#compare(at, wanted);
      return order > 0 || (order === 0 && lat[at]! >= south);
    });
    for (; rank < count && lat[rank]! <= north; rank += 1) {
      if (this.#compare(rank, wanted) !== 0) break;
      // Thousands of one name may lie on one parallel. The antimeridian is both 180 and −180.
      const apart = Math.abs(lon[rank]! - key.lonE6 / partsPerDegree);
      if (apart > nearDegrees && apart < 360 - nearDegrees) continue;
      if (isSameIdentity(key, keyOf(this.place(rank)))) return rank;
    }
    return undefined;
  }

  /** Compares the beginning of a name with a text without marks; 0 if it begins with it. */
  #compare(rank: number, wanted: Uint8Array): number {
    let at = this.data.folded.start[rank]!;
    for (let i = 0; i < wanted.length; i += 1, at += 1) {
      if (this.#text[at] === wordMarkByte) at += 1;
      const order = this.#text[at]! - wanted[i]!;
      if (order !== 0) return order;
      if (wanted[i] === newline) return 0;
    }
    return 0;
  }

  /** Finds the first rank for which a test holds that holds for all later ones; `count` if it holds for none. */
  #first(test: (rank: number) => boolean): number {
    let low = 0;
    let high = this.data.count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (test(middle)) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

function bufferOver({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
