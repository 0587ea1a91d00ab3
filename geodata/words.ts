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
