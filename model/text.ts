const controlCharacter = /\p{Cc}/u;
const controlCharacters = /\p{Cc}/gu;
/** XML cannot hold these two, so a text with one would come back changed from an export. */
const nonCharacter = /[\uFFFE\uFFFF]/;

/** Trims and composes (NFC) a text, the form in which names, tags and queries are stored and compared. */
export function normalizeText(text: string): string {
  return text.trim().normalize('NFC');
}

/** Counts code points, the unit of every text limit. */
export function codePointLength(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** Tells whether a text may be stored: well-formed Unicode (SQLite keeps nothing else), no control characters. */
export function isPlainText(text: string): boolean {
  return text.isWellFormed() && !controlCharacter.test(text) && !nonCharacter.test(text);
}

/** Replaces control characters by blanks and lone surrogates by U+FFFD, for texts of files that are not refused. */
export function blankControlCharacters(text: string): string {
  return text.toWellFormed().replace(controlCharacters, ' ');
}
