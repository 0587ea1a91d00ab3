import { lineFeed } from '../ascii.ts';
import type { FailureReason } from '../../model/import.ts';
import { FileRefused } from '../refused.ts';
import { certainEnd, offenceIn, withoutLast } from './characters.ts';
import { copyText } from '../copy-text.ts';
import { PieceReader, type XmlHandler } from './read-piece.ts';
import { findBadReference } from './references.ts';

/** Elements open at once, the root included; fast-xml-parser's own limit. Real GPX has up to 8. */
const maxDepth = 100;
/** Characters in one tag. A track point's start tag has about 50. */
const maxTagLength = 1_048_576;
/** Characters in the name of an element: the names of all open ones are kept. */
const maxNameLength = 1023;
/** Characters in a declaration or document type. */
const maxPrologLength = 4096;
/** Characters from which on a piece goes to the parser. */
const pieceLength = 32_768;

/** Markup of which nothing is read, and CDATA sections: all may have any length and hold any characters. */
const sections = [
  { start: '<!--', end: '-->', ends: /-[-]>/g, isText: false },
  { start: '<![CDATA[', end: ']]>', ends: /][\]]>/g, isText: true },
  { start: '<?', end: '?>', ends: /[?]>/g, isText: false },
] as const;
type Section = (typeof sections)[number];

/** A tag: group 1 is `/` for an end tag, 2 its name, 3 what follows. Linear: neighbouring parts share no character. */
const tag = /<(\/?)([^\s/<>"'=!?]+)((?:[\s/][^<>"']*(?:"[^<"]*"[^<>"']*|'[^<']*'[^<>"']*)*)?)>/y;
/** A tag whose end is not read yet. */
const unfinishedTag = /<\/?[^<>"']*(?:"[^<"]*"[^<>"']*|'[^<']*'[^<>"']*)*(?:"[^<"]*|'[^<']*)?$/y;
const declaration =
  /<\?xml\s+version\s*=\s*(["'])1\.[0-9]+\1(?:\s+encoding\s*=\s*(["'])[\w.-]+\2)?(?:\s+standalone\s*=\s*(["'])(?:yes|no)\3)?\s*\?>/y;
/** A document type up to its end, or to its internal subset (group 1). */
const doctype = /<!DOCTYPE\s(?:[^<>"'[]|"[^"]*"|'[^']*')*([>[])/y;
const illegalCharacter = /[^\t\n\r -\uFFFD]/;
const notSpace = /[^ \t\r\n]/;

/**
 * Reads an XML document that is given in pieces of any size. Finds the ends of tags, texts and sections only, to cut the
 * document into pieces of bounded size, which {@link PieceReader} has fast-xml-parser validate and read. Holds one piece
 * and one unfinished tag; time is linear in the input whatever its content. The first offence refuses the file.
 */
export class XmlReader {
  readonly #pieces: PieceReader;
  /** Text; cut up to `#at`. */
  #text = '';
  #at = 0;
  #section: Section | undefined;
  /** Names of the open elements: now, and at the beginning of the piece. */
  readonly #open: string[] = [];
  #openBefore: readonly string[] = [];
  /** The next piece for the parser: from earlier texts, and from this one. */
  #piece = '';
  #added = '';
  /** The line of its beginning. */
  #pieceLine = 1;
  /** The line, from 1, of the place up to which line ends are counted. */
  #line = 1;
  #countedTo = 0;
  #hasLineEnds = false;
  #isFresh = true;
  #hasMarkup = false;
  #hasDoctype = false;
  #hasRoot = false;
  /** An unfinished tag is looked at again when the text is this long: doubling keeps that linear. */
  #enough = 0;

  constructor(handler: XmlHandler) {
    this.#pieces = new PieceReader(handler);
  }

  /** The names of the open elements, the root first. */
  get open(): readonly string[] {
    return this.#open;
  }

  /** True between two tokens: after a `flush` another reader may take over. */
  get isBetweenTokens(): boolean {
    return this.#section === undefined && this.#text === '';
  }

  /** Counts line ends in what was read after a `flush` by other means. */
  skipLines(count: number): void {
    this.#line += count;
  }

  /** @throws FileRefused, and errors of the handler */
  push(text: string): void {
    const illegal = text.search(illegalCharacter);
    this.#text += illegal < 0 ? text : text.slice(0, illegal);
    if (illegal >= 0) this.refuse('not_xml');
    if (this.#text.length >= this.#enough) this.#cut();
  }

  /**
   * Ends the document. `isCutOff` tells that bytes which are no character follow the last text.
   * @throws FileRefused, and errors of the handler
   */
  end(isCutOff: boolean): void {
    this.#cut();
    const isComplete = this.isBetweenTokens && this.#hasRoot && this.#open.length === 0;
    if (isComplete && isCutOff) this.#fail('encoding');
    const hasContent = isCutOff || this.#hasMarkup || this.#text !== '';
    if (!isComplete && hasContent) this.#fail('truncated', this.#text.length);
    if (!isComplete) throw new FileRefused('empty');
    this.flush();
  }

  /** Refuses the file at the end of what was pushed, unless something before it offends already. */
  refuse(reason: FailureReason): never {
    this.#cut();
    return this.#fail(reason, this.#text.length);
  }

  /** Has the handler hear all that was cut. */
  flush(): void {
    const piece = this.#piece + this.#added;
    if (piece === '') return;
    const openBefore = this.#openBefore;
    this.#openBefore = [...this.#open];
    [this.#piece, this.#added] = ['', ''];
    const offence = this.#pieces.read(openBefore, piece, this.#openBefore);
    if (offence !== undefined) throw new FileRefused('not_xml', this.#pieceLine + offence - 1);
  }

  #cut(): void {
    this.#hasLineEnds = this.#text.includes('\n');
    while (this.#at < this.#text.length && this.#step());
    const pending = this.#text.length - this.#at;
    if (pending > maxTagLength) this.#fail('too_large');
    this.#enough = 2 * pending;
    if (this.#at > 0) this.#isFresh = false;
    this.#lineAt(this.#at);
    this.#text = this.#text.slice(this.#at);
    this.#at = this.#countedTo = 0;
    this.#piece += copyText(this.#added);
    this.#added = '';
    if (this.#piece.length >= pieceLength) this.flush();
  }

  /** Cuts off one token, or a part of a text or section; false = it needs more text. */
  #step(): boolean {
    if (this.#section !== undefined) return this.#sectionPart(this.#section);
    if (this.#text[this.#at] !== '<') return this.#characters();
    this.#hasMarkup = true;
    const next = this.#text[this.#at + 1];
    if (next !== undefined && next !== '!' && next !== '?') return this.#tag();
    const start = this.#text.slice(this.#at, this.#at + '<![CDATA['.length);
    const section = sections.find((one) => start.startsWith(one.start));
    if (section !== undefined) return this.#sectionStart(section, start.toLowerCase());
    if (start === '<!DOCTYPE') return this.#doctype();
    const isSectionPossible = [...sections, { start: '<!DOCTYPE' }].some((one) =>
      one.start.startsWith(start),
    );
    return isSectionPossible ? false : this.#tag();
  }

  #characters(): boolean {
    const text = this.#text;
    const isInside = this.#open.length > 0;
    let end = text.indexOf('<', this.#at);
    if (end < 0) end = isInside ? certainEnd(text, this.#at) : text.length;
    const characters = text.slice(this.#at, end);
    const offence = isInside ? offenceIn(characters) : characters.search(notSpace);
    if (offence >= 0) this.#fail('not_xml', this.#at + offence);
    const isMoving = end > this.#at;
    if (isInside) this.#keep(end, characters);
    this.#at = end;
    return isMoving;
  }

  #tag(): boolean {
    tag.lastIndex = this.#at;
    const match = tag.exec(this.#text);
    if (match === null) return this.#unfinished(unfinishedTag);
    const [markup, slash, name = '', rest = ''] = match;
    if (markup.length > maxTagLength || name.length > maxNameLength) this.#fail('too_large');
    if (findBadReference(rest) >= 0) this.#fail('not_xml');
    if (slash === '/') this.#endTag(name, rest);
    else this.#startTag(name, rest.endsWith('/'));
    this.#keep(tag.lastIndex, markup);
    this.#at = tag.lastIndex;
    return true;
  }

  #startTag(name: string, isEmpty: boolean): void {
    if (this.#hasRoot && this.#open.length === 0) this.#fail('not_xml');
    if (this.#open.length === maxDepth) this.#fail('too_deep');
    this.#hasRoot = true;
    if (!isEmpty) this.#open.push(copyText(name));
  }

  /** Compares the names, as the parser does, so that what is before is read first. */
  #endTag(name: string, rest: string): void {
    if (notSpace.test(rest) || this.#open.at(-1) !== name) this.#fail('not_xml');
    this.#open.pop();
  }

  /** Refuses an unfinished token that cannot become legal. */
  #unfinished(pattern: RegExp): false {
    pattern.lastIndex = this.#at;
    if (!pattern.test(this.#text)) this.#fail('not_xml');
    return false;
  }

  #sectionStart(section: Section, start: string): boolean {
    if (section.isText && this.#open.length === 0) this.#fail('not_xml');
    if (start === '<?xml' || (start.length < '<?xml'.length && '<?xml'.startsWith(start)))
      return false;
    if (/^<\?xml[\s?]/.test(start)) return this.#declaration();
    this.#section = section;
    this.#at += section.start.length;
    return true;
  }

  #sectionPart({ end: terminator, ends, isText }: Section): boolean {
    const text = this.#text;
    ends.lastIndex = this.#at;
    const found = ends.exec(text)?.index;
    const end = found ?? withoutLast(text, this.#at, terminator.charAt(0));
    const part = text.slice(this.#at, end);
    if (!isText) this.#keepLines(end);
    else if (part !== '') this.#keep(end, `<![CDATA[${part}]]>`);
    this.#at = end;
    if (found === undefined) return false;
    this.#section = undefined;
    this.#at += terminator.length;
    return true;
  }

  #declaration(): boolean {
    declaration.lastIndex = 0;
    if (this.#isFresh && this.#at === 0 && declaration.test(this.#text)) {
      this.#at = declaration.lastIndex;
      return true;
    }
    const isOver = this.#at > 0 || this.#text.includes('?>') || this.#text.length > maxPrologLength;
    if (!this.#isFresh || isOver) this.#fail('not_xml');
    return false;
  }

  #doctype(): boolean {
    if (this.#hasRoot || this.#hasDoctype) this.#fail('not_xml');
    doctype.lastIndex = this.#at;
    const match = doctype.exec(this.#text);
    if (match?.[1] === '[') this.#fail('entities');
    if (match === null && this.#text.length - this.#at > maxPrologLength) this.#fail('not_xml');
    this.#hasDoctype = match !== null;
    if (match !== null) this.#at = doctype.lastIndex;
    return match !== null;
  }

  /** Puts markup that stands from `#at` to `end` into the piece. */
  #keep(end: number, markup: string): void {
    const line = this.#lineAt(this.#at);
    if (this.#piece === '' && this.#added === '') this.#pieceLine = line;
    this.#added += markup;
    this.#lineAt(end);
  }

  /** Keeps the line ends of what is left out, so that lines of the piece are lines of the document. */
  #keepLines(end: number): void {
    const line = this.#lineAt(this.#at);
    const lines = this.#lineAt(end) - line;
    if (lines > 0 && (this.#piece !== '' || this.#added !== ''))
      this.#added += `<!--${'\n'.repeat(lines)}-->`;
  }

  /** The line of a place, which is never before one asked for earlier. */
  #lineAt(at: number): number {
    const text = this.#text;
    // A field takes longer to count in.
    let lines = 0;
    for (let i = this.#hasLineEnds ? this.#countedTo : at; i < at; i += 1)
      if (text.charCodeAt(i) === lineFeed) lines += 1;
    this.#line += lines;
    this.#countedTo = at;
    return this.#line;
  }

  #fail(reason: FailureReason, at = this.#at): never {
    const line = this.#lineAt(at);
    // What only the parser sees may offend before this place.
    this.flush();
    throw new FileRefused(reason, line);
  }
}
