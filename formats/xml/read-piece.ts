import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { copyText } from '../copy-text.ts';
import { decodeReferences } from './references.ts';

/** Attributes by their names as written, with an `@` before. */
export type Attributes = Readonly<Record<string, string>>;

/** Hears what a document holds, in its order. */
export interface XmlHandler {
  /** An element begins; its name is as written, with its prefix. */
  open(name: string, attributes: Attributes): void;
  /** Character data of the innermost open element, references replaced; one text may come in several parts. */
  text(text: string): void;
  /** The innermost open element ends. */
  close(): void;
}

/** An element or a text that the parser found, with its depth. */
interface Found {
  readonly depth: number;
  /** An element's name; undefined for a text. */
  readonly name: string | undefined;
  readonly attributes: Attributes;
  readonly text: string;
}

const noAttributes: Attributes = {};

/** Reads a document piece after piece with fast-xml-parser, which itself knows whole documents only. */
export class PieceReader {
  readonly #handler: XmlHandler;
  readonly #parser = makeParser((found) => void this.#found.push(found));
  #found: Found[] = [];
  /** Elements that the handler has open. */
  #depth = 0;

  constructor(handler: XmlHandler) {
    this.#handler = handler;
  }

  /**
   * Reads a piece, which is made a document by the tags of the elements that are open at its beginning and its end.
   * @returns the line of its first offence, from 1; undefined = it is well-formed, and the handler has heard it.
   * @throws errors of the handler
   */
  read(
    openBefore: readonly string[],
    piece: string,
    openAfter: readonly string[],
  ): number | undefined {
    const starts = openBefore.map((name) => `<${name}>`).join('');
    const ends = openAfter.toReversed().map((name) => `</${name}>`);
    const document = starts + piece + ends.join('');
    const verdict = XMLValidator.validate(document);
    if (verdict !== true) return verdict.err.line;
    this.#found = [];
    try {
      this.#parser.parse(document);
    } catch {
      // Nothing valid is known to come here. The error would quote the content of the file.
      return 1;
    }
    // Only now the handler is called: what it throws must not be taken for an offence.
    for (const found of this.#found.slice(openBefore.length)) this.#tell(found);
    this.#closeTo(openAfter.length);
    return undefined;
  }

  #tell({ depth, name, attributes, text }: Found): void {
    this.#closeTo(name === undefined ? depth : depth - 1);
    if (name === undefined) {
      this.#handler.text(text);
      return;
    }
    this.#depth = depth;
    this.#handler.open(name, attributes);
  }

  #closeTo(depth: number): void {
    for (; this.#depth > depth; this.#depth -= 1) this.#handler.close();
  }
}

function ignore(): void {
  // There are no entities but the predefined ones, in any version of XML.
}

/**
 * fast-xml-parser as an event source: `updateTag` drops every node, so no tree grows (twice as fast, and bounded). The
 * options undo its defaults that change values: numbers stay text (a name `007` is not 7), blanks stay, and its own
 * decoder, which leaves numeric references alone and throws after 100,000 characters, is replaced.
 */
function makeParser(tell: (found: Found) => void): XMLParser {
  return new XMLParser({
    preserveOrder: true,
    ignoreAttributes: false,
    // The prefixes keep names such as `constructor` and `__proto__` from being refused.
    attributeNamePrefix: '@',
    transformTagName: (name) => `@${name}`,
    parseTagValue: false,
    trimValues: false,
    jPath: false,
    entityDecoder: {
      decode: decodeReferences,
      reset: ignore,
      setXmlVersion: ignore,
      setExternalEntities: ignore,
      addInputEntities: ignore,
    },
    updateTag: (marked, path, attributes?: Attributes) => {
      // The name of an empty element has been transformed twice.
      const name = marked.slice(marked.lastIndexOf('@') + 1);
      tell({ depth: depthOf(path), name, attributes: attributes ?? noAttributes, text: '' });
      return false;
    },
    tagValueProcessor: (_name, text, path) => {
      // A section is a substring, which would keep the whole piece alive.
      const own = copyText(text);
      tell({ depth: depthOf(path), name: undefined, attributes: noAttributes, text: own });
      return '';
    },
  });
}

function depthOf(path: { getDepth(): number } | string): number {
  return typeof path === 'string' ? 0 : path.getDepth();
}
