import { declaration, doctype, matchEnd, unfinishedDoctype } from './xml-grammar.ts';

/** Characters in a declaration or document type: these are read whole, at every attempt. */
const maxPrologLength = 4096;

/** What was found: its end, or −1 and whether that may be still to come. */
interface Found {
  readonly end: number;
  readonly isUnfinished: boolean;
}

/** Reads the declaration at the start of a document (`<?xml … ?>`). */
export function readDeclaration(text: string): Found {
  const end = matchEnd(declaration, text, 0);
  return { end, isUnfinished: text.length < maxPrologLength && !text.includes('?>') };
}

/** Reads a document type declaration. One with an internal subset has no end: it is not read on. */
export function readDoctype(
  text: string,
  at: number,
): Found & { hasInternalSubset: boolean; hasExternalSubset: boolean } {
  const start = text.slice(at, at + maxPrologLength);
  doctype.lastIndex = 0;
  const match = doctype.exec(start);
  const hasInternalSubset = match?.[2] === '[';
  const isUnfinished = start.length < maxPrologLength && matchEnd(unfinishedDoctype, start, 0) >= 0;
  return {
    end: match === null || hasInternalSubset ? -1 : at + doctype.lastIndex,
    isUnfinished,
    hasInternalSubset,
    hasExternalSubset: match?.[1] !== undefined,
  };
}
