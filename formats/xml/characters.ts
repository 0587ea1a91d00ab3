import { findBadReference } from './references.ts';

/** Characters in a reference whose end is not there yet; real ones have up to 8. */
const maxReferenceLength = 64;
/** `indexOf`, and a pattern of three plain characters, begin anew at each bracket, at ten times the cost. */
const sectionEnd = /][\]]>/;

/** Where character data offends first; −1 = nowhere. */
export function offenceIn(characters: string): number {
  const reference = findBadReference(characters);
  const end = characters.includes('>') ? characters.search(sectionEnd) : -1;
  return reference < 0 || end < 0 ? Math.max(reference, end) : Math.min(reference, end);
}

/** How much of the last text can be judged: it may end within a reference, `]]>` or a line end. */
export function certainEnd(text: string, start: number): number {
  const ampersand = text.lastIndexOf('&');
  const isOpen = ampersand >= start && !text.includes(';', ampersand);
  // A longer one is left in the text, where it offends.
  if (isOpen && text.length - ampersand <= maxReferenceLength) return ampersand;
  return withoutLast(text, start, ']');
}

/** The end of the text without the up to two last characters that may begin what ends a section, or a line end. */
export function withoutLast(text: string, start: number, character: string): number {
  if (text.endsWith('\r')) return Math.max(start, text.length - 1);
  let end = text.length;
  while (end > start && end > text.length - 2 && text[end - 1] === character) end -= 1;
  return end;
}
