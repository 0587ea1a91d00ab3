import { createRequire } from 'node:module';
import type * as FastXmlParser from 'fast-xml-parser';
import { predefinedEntities } from './xml-grammar.ts';
import { GpxRefused } from './refused.ts';

/** Attributes by their names as written, with an `@` before. */
export type Attributes = Readonly<Record<string, string>>;

const noAttributes: Attributes = {};

/** What the markup holds, in order: elements as they open, and their texts (one text may come in several parts). */
export interface ValueHandler {
  open(element: string, attributes: Attributes): void;
  value(element: string, text: string): void;
}

const referencePattern = /&(?:#([0-9]+)|#x([0-9A-Fa-f]+)|([a-z]+));/g;

/** Replaces references; those of an undeclared entity stay as written. The scanner has checked the numbers. */
export function decodeReferences(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(
    referencePattern,
    (whole, decimal?: string, hexadecimal?: string, entity = '') => {
      if (decimal !== undefined) return String.fromCodePoint(Number(decimal));
      if (hexadecimal !== undefined) return String.fromCodePoint(Number.parseInt(hexadecimal, 16));
      return predefinedEntities.get(entity) ?? whole;
    },
  );
}

function ignore(): void {
  // There are no entities but the predefined ones, in any version of XML.
}

/** Who hears what the parser finds: it is one for all, because making its options takes longer than a small file. */
let listener: ValueHandler = { open: ignore, value: ignore };

let parser: FastXmlParser.XMLParser | undefined;

/**
 * fast-xml-parser as an event source: `updateTag` drops every node, so no tree grows (twice as fast, and bounded). The
 * options undo its defaults that change values: numbers stay text (a name `007` is not 7), blanks stay, and its own
 * decoder, which leaves numeric references alone and throws after 100,000 characters, is replaced.
 */
function makeParser(): FastXmlParser.XMLParser {
  // Only for who needs it, and in its form as a single file: its many modules took longer than a whole small file.
  const require = createRequire(import.meta.url);
  const { XMLParser } = require('fast-xml-parser') as typeof FastXmlParser;
  return new XMLParser({
    preserveOrder: true,
    ignoreAttributes: false,
    // The prefix keeps attributes called `constructor` or `__proto__` from being refused.
    attributeNamePrefix: '@',
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
    updateTag: (element, _path, attributes: Record<string, string> | undefined) => {
      listener.open(element, attributes ?? noAttributes);
      return false;
    },
    tagValueProcessor: (element, text) => listener.value(element, text),
  });
}

/**
 * Reads the values out of well-formed markup.
 * @param handler - must not read others meanwhile.
 */
export function readValues(markup: string, handler: ValueHandler): void {
  parser ??= makeParser();
  listener = handler;
  try {
    parser.parse(markup);
  } catch {
    // Only well-formed markup is given, so nothing is known to come here. The error would quote the content of the file.
    throw new GpxRefused('not_xml');
  }
}
