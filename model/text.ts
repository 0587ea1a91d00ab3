const controlCharacter = /\p{Cc}/u;
const controlCharacters = /\p{Cc}+/gu;
/** Tabs and line ends are what a note of several lines is made of. */
const controlCharactersOfNotes = /[^\P{Cc}\t\n\r]+/gu;
const lineEnds = /\r\n?/g;
/** With the flag `u`, pairs of surrogates are other characters. `String.isWellFormed` is missing in Node.js 18. */
const loneSurrogates = /\p{Cs}/gu;
/** XML cannot hold these two, so a text with one would come back changed from an export. */
const nonCharacter = /[\uFFFE\uFFFF]/;

/** Trims and composes (NFC) a text, the form in which names, tags and queries are stored and compared. */
export function normalizeText(text: string): string {
  return text.trim().normalize('NFC');
}

/** The same for a note, in which line ends are line feeds. */
export function normalizeNote(text: string): string {
  return normalizeText(text.replace(lineEnds, '\n'));
}

/** Counts code points, the unit of every text limit. */
export function codePointLength(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** Whether a text is well-formed Unicode. */
export function isWellFormed(text: string): boolean {
  return text.search(loneSurrogates) < 0;
}

/** Tells whether a text may be stored: well-formed Unicode (SQLite keeps nothing else), no control characters. */
export function isPlainText(text: string): boolean {
  return isWellFormed(text) && !controlCharacter.test(text) && !nonCharacter.test(text);
}

/** Tells the same for a note, which may have tabs and line feeds. */
export function isPlainNote(text: string): boolean {
  return isPlainText(text.replaceAll(/[\t\n]/g, ' '));
}

/**
 * Replaces control characters by blanks and lone surrogates by U+FFFD, for texts of files that are not refused.
 * @param isNote tabs and line ends stay.
 */
export function blankControlCharacters(text: string, isNote = false): string {
  const control = isNote ? controlCharactersOfNotes : controlCharacters;
  return text.replace(loneSurrogates, '\uFFFD').replace(control, (run) => ' '.repeat(run.length));
}

/** A count for reading, with its noun: `1,234 waypoints`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`;
}

/** The calendar date (UTC) of an ISO 8601 instant. */
export function dateOf(time: string): string {
  return time.slice(0, 10);
}
