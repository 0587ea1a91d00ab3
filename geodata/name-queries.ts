import { wholeName, wordsOf } from './words.ts';

/** Shorter ones are looked for as beginnings alone: who types A does not mean Å in Lofoten. */
const shortestWhole = 3;

// Words are letters and digits alone, so that in quotes they cannot mean anything else to FTS5.

/** Has all words in its name, the last of them perhaps only begun. */
export function inName(words: readonly string[]): string {
  const complete = [...new Set(words.slice(0, -1))].map((word) => `"${word}" AND `).join('');
  return `name : (${complete}"${words.at(-1)}" *)`;
}

/** Is, or was, called just so. */
export function calledSo(words: readonly string[]): string {
  return `whole : "${wholeName(words)}"`;
}

/** Has a name that begins so. */
export function beginsSo(words: readonly string[]): string {
  return `whole : "${wholeName(words)}" *`;
}

/** Whether a query is too short to be a whole name. */
export function isShort(words: readonly string[]): boolean {
  const whole = wholeName(words);
  return whole.length < shortestWhole && isAscii.test(whole);
}

const isAscii = /^[\0-\x7f]*$/;

/** A name as one word. */
export function wholeOf(name: string): string {
  return wholeName(wordsOf(name));
}

/** Whether a name has all words of a query, the last of them perhaps only begun. */
export function hasWords(name: string, query: readonly string[]): boolean {
  const words = wordsOf(name);
  const last = query.at(-1) ?? '';
  return (
    query.slice(0, -1).every((word) => words.includes(word)) &&
    words.some((word) => word.startsWith(last))
  );
}

const alphabet = 'abcdefghijklmnopqrstuvwxyz';

/** All texts that are one letter off: one changed, dropped, added, or swapped with its neighbour. */
export function misspellings(text: string): Set<string> {
  const letters = Array.from(text);
  const found = new Set<string>();
  const put = (at: number, removed: number, added: string): void => {
    found.add([...letters.slice(0, at), added, ...letters.slice(at + removed)].join(''));
  };
  for (let at = 0; at <= letters.length; at += 1) {
    const [one = '', next = ''] = letters.slice(at, at + 2);
    put(at, 1, '');
    put(at, 2, next + one);
    for (const letter of alphabet) {
      put(at, 0, letter);
      put(at, 1, letter);
    }
  }
  found.delete(text);
  return found;
}
