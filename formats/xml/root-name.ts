import type { Buffer } from 'node:buffer';

/** A root's name without its prefix, behind what may stand before it: a mark, a declaration, comments, a document type. */
const root =
  /^(?:\uFEFF|\u00EF\u00BB\u00BF|\u00FF\u00FE|\u00FE\u00FF)?\s*(?:<\?[^>]*>\s*|<!--(?:(?!-->)[^])*-->\s*|<!DOCTYPE[^>[]*>\s*)*<(?:[\w.-]+:)?([\w.-]+)[\s/>]/;

/** The local name of the root of an XML document that begins so, in any encoding; undefined if it does not show. */
export function rootName(head: Buffer): string | undefined {
  // In UTF-16, ASCII characters are themselves and a zero byte.
  return root.exec(head.toString('latin1').replaceAll('\0', ''))?.[1];
}
