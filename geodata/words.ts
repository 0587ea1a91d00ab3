import { foldName } from '../model/fold.ts';

const word = /[\p{L}\p{N}]+/gu;

/**
 * The words of a text as the search of places compares them: folded, letters and digits alone, in order, repeats
 * included.
 */
export function wordsOf(text: string): string[] {
  return foldName(text).match(word) ?? [];
}

/** A whole name as one word, so that its blanks and marks need not be typed: `newyork`, `ndjamena`. */
export function wholeName(words: readonly string[]): string {
  return words.join('');
}

/** Letters that people without them on their keyboard write as two. */
const pairs: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', å: 'aa', ø: 'oe' };

/** A name as it is written without umlauts: `Tuebingen`, `Tromsoe`. */
export function spelledOut(name: string): string {
  return name
    .normalize('NFC')
    .toLowerCase()
    .replace(/[äöüåø]/g, (letter) => pairs[letter]!);
}
