import { blankControlCharacters, normalizeNote, normalizeText } from '../../model/text.ts';
import { copyText } from '../copy-text.ts';

/** Without anything to clean, trim or compose, as no character below U+0300 can be composed: most names. */
const printable = /^(?:[!-~\u00a1-\u02ff](?:[ -~\u00a1-\u02ff]*[!-~\u00a1-\u02ff])?)?$/;

/**
 * A text of a file as it is stored: control characters blank, trimmed, NFC, at most `maxCodePoints`; may be empty.
 * What needs no cleaning is returned as it is, so `text` itself must not be a piece of a large one.
 */
export function cleanText(text: string, maxCodePoints: number): string {
  if (text.length <= maxCodePoints && printable.test(text)) return text;
  const shown = normalizeText(blankControlCharacters(text));
  return cutOff(shown, text.length, maxCodePoints);
}

/** The same for a text of several lines: line feeds and tabs stay, and every line end becomes a line feed. */
export function cleanNote(text: string, maxCodePoints: number): string {
  if (text.length <= maxCodePoints && printable.test(text)) return text;
  const shown = normalizeNote(blankControlCharacters(text, true));
  return cutOff(shown, text.length, maxCodePoints);
}

/** @param length of the text before it was cleaned. */
function cutOff(clean: string, length: number, maxCodePoints: number): string {
  // A code point has at most two units: shorter texts need no counting.
  if (clean.length <= maxCodePoints) return clean.length === length ? clean : copyText(clean);
  let end = 0;
  for (let count = 0; count < maxCodePoints && end < clean.length; count += 1) {
    end += (clean.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  }
  // The cut may come after a blank, and identity is by trimmed name.
  return copyText(clean.slice(0, end).trimEnd());
}
