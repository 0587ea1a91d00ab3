import { foldName } from '../model/fold.ts';

const word = /[\p{L}\p{N}]+/gu;
/** Nobody types the mark in `N'Djamena` or `L'Aquila` for certain. */
const joined = /[\p{L}\p{N}]+(?:['’ʻʼ`´‘][\p{L}\p{N}]+)+/gu;

/** The words of a text as the search of places compares them, folded, in order, repeats included. */
export function wordsOf(text: string): string[] {
  return foldName(text).match(word) ?? [];
}

/** The words of a text, and those that are read when its apostrophes are left out. */
export function wordsOfName(name: string): string[] {
  const folded = foldName(name);
  const closed = folded.match(joined) ?? [];
  return [
    ...(folded.match(word) ?? []),
    ...closed.map((text) => text.replace(/[^\p{L}\p{N}]/gu, '')),
  ];
}
