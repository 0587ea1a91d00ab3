import { eastAsianWidth } from 'get-east-asian-width';
import type { Tag } from '../../model/tag.ts';
import { counted, dateOf } from '../../model/text.ts';

export { counted, dateOf };

/** Made on demand (10 ms). */
let graphemes: Intl.Segmenter | undefined;
const plainAscii = /^[\x20-\x7E]*$/u;
/** Drawn in two cells, flags as well, whose letters are narrow by themselves. */
const emoji = /^\p{Emoji_Presentation}|\uFE0F/u;
/** The voicing marks of half-width Katakana: one character with the letter before them, and a cell of their own. */
const halfWidthMark = /.[\uFF9E\uFF9F]/u;
const invisible = /^[\p{Mn}\p{Me}\p{Cf}]+$/u;
/** Control characters could move the cursor, and direction marks reorder the whole line. */
const unsafe = /[\p{Cc}\u200E\u200F\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu;

export function displayWidth(text: string): number {
  if (plainAscii.test(text)) return text.length;
  let width = 0;
  for (const { segment } of splitGraphemes(text)) width += cells(segment);
  return width;
}

function splitGraphemes(text: string): Iterable<{ segment: string }> {
  graphemes ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return graphemes.segment(text);
}

function cells(grapheme: string): number {
  if (invisible.test(grapheme)) return 0;
  if (emoji.test(grapheme)) return 2;
  const letter = eastAsianWidth(grapheme.codePointAt(0) ?? 0);
  return halfWidthMark.test(grapheme) ? letter + 1 : letter;
}

/** Makes a text of a file or of the store harmless to a terminal. */
export function forTerminal(text: string): string {
  return text.replace(unsafe, '\uFFFD');
}

/** Cuts a text to at most `width` cells, ending in `…` when something is missing. */
export function fitWidth(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let fitted = '';
  let used = 1; // The cell of the ellipsis.
  for (const { segment } of splitGraphemes(text)) {
    used += cells(segment);
    if (used > width) break;
    fitted += segment;
  }
  return `${fitted}…`;
}

/** Breaks a text at its blanks into lines of at most `width` cells, longer words alone excepted. */
export function wrapText(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const longer = lines.length === 0 ? word : `${lines.at(-1)} ${word}`;
    if (lines.length > 0 && displayWidth(longer) > width) lines.push(word);
    else lines.splice(-1, 1, longer);
  }
  return lines;
}

/** A coordinate for reading, in degrees with at most 6 decimals (a tenth of a metre). */
export function degrees(value: number): string {
  return String(Number(value.toFixed(6)));
}

export function tagList(tags: readonly (string | Pick<Tag, 'display'>)[] | undefined): string {
  return (tags ?? []).map((tag) => (typeof tag === 'string' ? tag : tag.display)).join(', ');
}

/** A duration for reading, from ms: `5 s`, `12 min`, `3 h 20 min`, `4 days`. */
export function duration(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return `${Math.max(0, Math.floor(ms / 1000))} s`;
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ${minutes % 60} min`;
  return counted(Math.floor(hours / 24), 'day');
}

/** A size for reading: `19.9 MB`, in millions of bytes; `14 kB` of a small one. */
export function megabytes(bytes: number): string {
  return bytes < 100_000 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
