import { isXmlCharacter, predefinedEntities, reference } from './xml-grammar.ts';

/** Characters in a reference whose end is not there yet; real ones have up to 8. */
const maxReferenceLength = 4096;

/** Checks the references and the `]]>` in texts of a buffer, asked for in order: the whole buffer is searched once. */
export class CharacterChecks {
  /** An external subset could declare entities, so that unknown ones are no offence. */
  allowsAnyEntity = false;
  /** The next `&` and `]]>` at or after the place last asked for; −1 = not looked for. */
  #nextReference = -1;
  #nextSectionEnd = -1;

  startBuffer(): void {
    this.#nextReference = -1;
    this.#nextSectionEnd = -1;
  }

  /** Where character data offends first; −1 = nowhere. */
  inText(text: string, start: number, end: number): number {
    this.#nextSectionEnd = nextIndex(text, ']]>', this.#nextSectionEnd, start);
    const badReference = this.inAttribute(text, start, end);
    if (badReference >= 0) return Math.min(badReference, this.#nextSectionEnd);
    return this.#nextSectionEnd < end ? this.#nextSectionEnd : -1;
  }

  /** Where the values of an attribute offend first; −1 = nowhere. */
  inAttribute(text: string, start: number, end: number): number {
    let at = nextIndex(text, '&', this.#nextReference, start);
    while (at < end) {
      if (!this.#isReference(text, at)) return at;
      at = nextIndex(text, '&', -1, at + 1);
    }
    this.#nextReference = at;
    return -1;
  }

  #isReference(text: string, at: number): boolean {
    reference.lastIndex = at;
    const match = reference.exec(text);
    if (match === null) return false;
    const [, decimal, hexadecimal, entity] = match;
    if (entity !== undefined) return this.allowsAnyEntity || predefinedEntities.has(entity);
    return isXmlCharacter(
      decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal),
    );
  }
}

/** How much of the last text of a buffer can be judged: it may end within a reference or `]]>`. */
export function certainEnd(text: string, start: number): number {
  const ampersand = text.lastIndexOf('&');
  const isOpen = ampersand >= start && !text.includes(';', ampersand);
  // A longer one is left in the text, where it offends.
  if (isOpen && text.length - ampersand <= maxReferenceLength) return ampersand;
  let end = text.length;
  while (end > start && end > text.length - 2 && text[end - 1] === ']') end -= 1;
  return end;
}

/** The first `token` at or after `from`, else the length; `known` is an earlier answer, used while it is still ahead. */
function nextIndex(text: string, token: string, known: number, from: number): number {
  if (known >= from) return known;
  const index = text.indexOf(token, from);
  return index < 0 ? text.length : index;
}

/** The number of line ends before `end`. */
export function countLines(text: string, end: number): number {
  let count = 0;
  let at = text.indexOf('\n');
  while (at >= 0 && at < end) {
    count += 1;
    at = text.indexOf('\n', at + 1);
  }
  return count;
}
