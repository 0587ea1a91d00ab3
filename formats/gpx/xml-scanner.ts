import { copyText } from './copy-text.ts';
import { GpxRefused, type GpxRefusal } from './refused.ts';
import { CharacterChecks, certainEnd, countLines } from './xml-characters.ts';
import {
  anyName,
  attribute,
  illegalCharacter,
  matchEnd,
  spaces,
  startTagEnd,
  unfinishedStartTag,
} from './xml-grammar.ts';
import { readDeclaration, readDoctype } from './xml-prolog.ts';
import type { XmlSink } from './xml-sink.ts';

/** Elements open at once, the root included. Real GPX has up to 8. */
const maxDepth = 100;
/** Characters in one tag. A track point's start tag has about 50. */
const maxTokenLength = 1_048_576;
/** Characters in the name of an element: the names of all open ones are kept. */
const maxNameLength = 1024;

type Mode = 'content' | 'comment' | 'instruction' | 'cdata';

/**
 * Checks that a document given in pieces is well-formed XML 1.0 and reports its tags and texts. Holds at most one
 * unfinished token; time is linear in the input whatever the pieces and the content. The first offence refuses the file.
 */
export class XmlScanner {
  readonly #sink: XmlSink;
  #text = '';
  /** Everything before it is done. */
  #at = 0;
  #mode: Mode = 'content';
  /** Names of the open elements. */
  readonly #open: string[] = [];
  #linesBefore = 0;
  /** Nothing at all has been read: only here may a declaration stand. */
  #isFresh = true;
  #hasMarkup = false;
  #hasDoctype = false;
  #hasRoot = false;
  /** An unfinished token is tried again when the buffer is this long: doubling keeps the attempts linear. */
  #enough = 0;
  readonly #attributeNames = new Set<string>();
  readonly #characterChecks = new CharacterChecks();

  constructor(sink: XmlSink) {
    this.#sink = sink;
  }

  /**
   * Reads the next piece.
   * @throws GpxRefused
   */
  push(piece: string): void {
    const illegal = piece.search(illegalCharacter);
    this.#text += illegal < 0 ? piece : piece.slice(0, illegal);
    if (illegal >= 0) this.refuse('not_xml');
    if (this.#text.length >= this.#enough) this.#scan();
  }

  /**
   * Ends the input. `isCutOff` tells that bytes which are no character follow the last piece.
   * @throws GpxRefused empty, truncated, encoding, or what the last token offends against.
   */
  end(isCutOff: boolean): void {
    this.#scan();
    if (this.#isComplete()) {
      if (isCutOff) this.#fail('encoding', this.#text.length);
      return;
    }
    const hasContent = isCutOff || this.#hasMarkup || this.#text !== '';
    if (hasContent) this.#fail('truncated', this.#text.length);
    throw new GpxRefused('empty');
  }

  /** Refuses the file at the end of what was pushed, unless something before it offends already. */
  refuse(reason: GpxRefusal): never {
    this.#scan();
    return this.#fail(reason, this.#text.length);
  }

  /** Everything pushed is done with, so that the next characters may be read by somebody else. */
  get isBetweenTokens(): boolean {
    return this.#mode === 'content' && this.#text === '';
  }

  /** Takes note of line ends in what somebody else has read. */
  skipLines(count: number): void {
    this.#linesBefore += count;
  }

  /** One root, closed, and nothing unfinished. */
  #isComplete(): boolean {
    return this.isBetweenTokens && this.#hasRoot && this.#open.length === 0;
  }

  #fail(reason: GpxRefusal, at = this.#at): never {
    throw new GpxRefused(reason, this.#linesBefore + countLines(this.#text, at) + 1);
  }

  #scan(): void {
    this.#characterChecks.startBuffer();
    let isMoving = true;
    while (isMoving && this.#at < this.#text.length) isMoving = this.#step();
    const pending = this.#text.length - this.#at;
    if (pending > maxTokenLength) this.#fail('too_large');
    this.#enough = 2 * pending;
    this.#dropDone();
  }

  #dropDone(): void {
    this.#sink.bufferDone();
    for (const [depth, name] of this.#open.entries()) this.#open[depth] = copyText(name);
    if (this.#at > 0) this.#isFresh = false;
    this.#linesBefore += countLines(this.#text, this.#at);
    this.#text = this.#text.slice(this.#at);
    this.#at = 0;
  }

  /** Reads one token, or a part of a text; false = it needs more input. */
  #step(): boolean {
    if (this.#mode !== 'content') return this.#section();
    if (this.#text.charCodeAt(this.#at) !== 0x3c) return this.#characters();
    this.#hasMarkup = true;
    switch (this.#text[this.#at + 1]) {
      case undefined:
        return false;
      case '/':
        return this.#endTag();
      case '!':
        return this.#markupDeclaration();
      case '?':
        return this.#instructionStart();
      default:
        return this.#startTag();
    }
  }

  #startTag(): boolean {
    const text = this.#text;
    const start = this.#at;
    const nameEnd = matchEnd(anyName, text, start + 1);
    if (nameEnd < 0) this.#fail('not_xml');
    const attributesEnd = this.#attributes(nameEnd);
    const end = matchEnd(startTagEnd, text, attributesEnd);
    if (end < 0) return this.#unfinished(matchEnd(unfinishedStartTag, text, attributesEnd) >= 0);
    const isTooLarge = end - start > maxTokenLength || nameEnd - start > maxNameLength;
    if (isTooLarge) this.#fail('too_large');
    const isRoot = this.#open.length === 0;
    if (isRoot && this.#hasRoot) this.#fail('not_xml');
    this.#hasRoot = true;
    const name = text.slice(start + 1, nameEnd);
    if (this.#open.push(name) > maxDepth) this.#fail('too_deep');
    this.#sink.startTag(name, text, nameEnd, attributesEnd);
    if (text[end - 2] === '/') this.#close();
    this.#at = end;
    return true;
  }

  /** Checks the attributes of a start tag, as far as they are whole, and returns their end. */
  #attributes(start: number): number {
    const text = this.#text;
    let end = start;
    if (text[end] === '>') return end;
    this.#attributeNames.clear();
    attribute.lastIndex = end;
    for (let match = attribute.exec(text); match !== null; match = attribute.exec(text)) {
      const name = match[1] ?? '';
      if (this.#attributeNames.has(name)) this.#fail('not_xml', end);
      this.#attributeNames.add(name);
      this.#check(this.#characterChecks.inAttribute(text, end, attribute.lastIndex));
      end = attribute.lastIndex;
    }
    return end;
  }

  /** What lacks its end is an offence, unless it could be the start of something legal. */
  #unfinished(isPossible: boolean): false {
    if (!isPossible) this.#fail('not_xml');
    return false;
  }

  #endTag(): boolean {
    const text = this.#text;
    const name = this.#open.at(-1);
    const nameAt = this.#at + 2;
    if (name === undefined) return this.#fail('not_xml');
    if (!text.startsWith(name, nameAt)) {
      const isShort = text.length - nameAt < name.length;
      return this.#unfinished(isShort && name.startsWith(text.slice(nameAt)));
    }
    const end = matchEnd(spaces, text, nameAt + name.length);
    if (text[end] !== '>') return this.#unfinished(end === text.length);
    this.#close();
    this.#at = end + 1;
    return true;
  }

  #close(): void {
    this.#open.pop();
    this.#sink.endTag();
  }

  /** Character data up to the next tag; at the end of the buffer, up to what may be the start of a reference or `]]>`. */
  #characters(): boolean {
    const text = this.#text;
    const tag = text.indexOf('<', this.#at);
    let end = tag < 0 ? text.length : tag;
    if (this.#open.length === 0) {
      const blankEnd = matchEnd(spaces, text, this.#at);
      if (blankEnd < end) this.#fail('not_xml', blankEnd);
    } else {
      if (tag < 0) end = certainEnd(text, this.#at);
      this.#check(this.#characterChecks.inText(text, this.#at, end));
      if (end > this.#at) this.#sink.characters(text, this.#at, end);
    }
    this.#at = end;
    return tag >= 0;
  }

  #check(firstOffence: number): void {
    if (firstOffence >= 0) this.#fail('not_xml', firstOffence);
  }

  /** Markup that begins with `<!`. */
  #markupDeclaration(): boolean {
    if (this.#has('<!--')) return this.#enter('comment', 4);
    if (this.#has('<![CDATA[')) {
      if (this.#open.length === 0) this.#fail('not_xml');
      return this.#enter('cdata', 9);
    }
    if (this.#has('<!DOCTYPE')) return this.#doctype();
    const start = this.#text.slice(this.#at, this.#at + 9);
    const isPossible = ['<!--', '<![CDATA[', '<!DOCTYPE'].some((open) => open.startsWith(start));
    return this.#unfinished(isPossible);
  }

  #has(token: string): boolean {
    return this.#text.startsWith(token, this.#at);
  }

  #enter(mode: Mode, length: number): true {
    this.#mode = mode;
    this.#at += length;
    return true;
  }

  #doctype(): boolean {
    if (this.#hasRoot || this.#hasDoctype) this.#fail('not_xml');
    const found = readDoctype(this.#text, this.#at);
    if (found.hasInternalSubset) this.#fail('entities');
    if (found.end < 0) return this.#unfinished(found.isUnfinished);
    this.#hasDoctype = true;
    this.#characterChecks.allowsAnyEntity = found.hasExternalSubset;
    this.#at = found.end;
    return true;
  }

  #instructionStart(): boolean {
    const text = this.#text;
    const nameAt = this.#at + 2;
    const nameEnd = matchEnd(anyName, text, nameAt);
    if (nameEnd < 0) return this.#unfinished(nameAt === text.length);
    if (nameEnd === text.length) return false;
    if (text.slice(nameAt, nameEnd).toLowerCase() === 'xml') return this.#declaration();
    const isSeparate = matchEnd(spaces, text, nameEnd) > nameEnd || text.startsWith('?>', nameEnd);
    if (!isSeparate) return this.#unfinished(text.slice(nameEnd) === '?');
    return this.#enter('instruction', nameEnd - this.#at);
  }

  #declaration(): boolean {
    if (!this.#isFresh || this.#at > 0) this.#fail('not_xml');
    const found = readDeclaration(this.#text);
    if (found.end < 0) return this.#unfinished(found.isUnfinished);
    this.#at = found.end;
    return true;
  }

  /** Reads on in a comment, an instruction or a CDATA section; what cannot belong to its end is done with. */
  #section(): boolean {
    if (this.#mode === 'comment') return this.#comment();
    const text = this.#text;
    const terminator = this.#mode === 'cdata' ? ']]>' : '?>';
    const found = text.indexOf(terminator, this.#at);
    const end = found < 0 ? Math.max(this.#at, text.length - terminator.length + 1) : found;
    if (this.#mode === 'cdata' && end > this.#at) this.#sink.cdata(text, this.#at, end);
    this.#at = end;
    if (found >= 0) this.#leave(terminator.length);
    return found >= 0;
  }

  #comment(): boolean {
    const text = this.#text;
    const dashes = text.indexOf('--', this.#at);
    this.#at = dashes < 0 ? Math.max(this.#at, text.length - 1) : dashes;
    if (dashes < 0 || dashes + 2 === text.length) return false;
    if (text[dashes + 2] !== '>') this.#fail('not_xml');
    this.#leave(3);
    return true;
  }

  #leave(length: number): void {
    this.#mode = 'content';
    this.#at += length;
  }
}
