import { foldName } from '../model/fold.ts';

/** Stands before each word that does not begin its text: a letter or digit after something that is neither. */
export const wordMark = '\u0001';

const beforeWord = /[^\p{L}\p{N}](?=[\p{L}\p{N}])/gu;
const controls = /\p{Cc}/gu;

/** Folds a name or a query; without control characters, which mark words and separate names. */
export function foldedText(text: string): string {
  return foldName(text.replace(controls, ' '));
}

/** Marks the words of a folded text. A text contains another exactly if the marked texts do. */
export function markWords(folded: string): string {
  return folded.replace(beforeWord, (character) => character + wordMark);
}

/** Gives the words of a folded query, marked; none of a query of one word. */
export function wordsOf(folded: string): string[] {
  const words = folded.split(/[\s,;]+/u).filter((word) => word !== '');
  return words.length < 2 ? [] : [...new Set(words)].map(markWords);
}
