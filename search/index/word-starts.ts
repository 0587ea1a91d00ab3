import { grown, release, sharedIntegers } from './memory.ts';

const wordCharacter = /[\p{L}\p{N}]/u;
const asciiWord = Uint8Array.from({ length: 128 }, (_, code) =>
  Number(wordCharacter.test(String.fromCharCode(code))),
);

/** What was found of the other characters of the basic plane, once they turn up. */
const asked = new Uint8Array(0x1_0000);
const no = 1;
const yes = 2;

/** Collects the places where words begin: a letter or digit after something that is neither. */
export class WordStarts {
  #places = new Uint32Array(4_096);
  #count = 0;

  /** Adds the words of the UTF-8 text `from`…`to` (exclusive) that do not begin with it. */
  add(bytes: Uint8Array, from: number, to: number): void {
    let wasWord = true;
    for (let i = from; i < to;) {
      const lead = bytes[i]!;
      // The leading ones of the first byte: V8 compiles anew what takes a branch for the first time.
      const length = Math.clz32(~lead << 24) || 1;
      const isWord = length === 1 ? asciiWord[lead] === 1 : isWordAt(bytes, i, length);
      if (isWord && !wasWord) this.#push(i);
      wasWord = isWord;
      i += length;
    }
  }

  /** Hands over the places in the order in which they were added; no more may be. */
  take(): Uint32Array {
    const places = sharedIntegers(this.#count);
    places.set(this.#places.subarray(0, this.#count));
    release(this.#places);
    return places;
  }

  #push(place: number): void {
    if (this.#count === this.#places.length) this.#places = grown(this.#places, this.#count);
    this.#places[this.#count] = place;
    this.#count += 1;
  }
}

/** Decodes one code point of 2…4 bytes; the text was encoded here, so it is well formed. */
function isWordAt(bytes: Uint8Array, at: number, length: number): boolean {
  let codePoint = bytes[at]! & (0x7f >>> length);
  for (let i = 1; i < length; i += 1) codePoint = (codePoint << 6) | (bytes[at + i]! & 0x3f);
  if (codePoint >= asked.length) return wordCharacter.test(String.fromCodePoint(codePoint));
  if (asked[codePoint] === 0) {
    asked[codePoint] = wordCharacter.test(String.fromCodePoint(codePoint)) ? yes : no;
  }
  return asked[codePoint] === yes;
}
