import { Buffer } from 'node:buffer';

/**
 * Copies a text. A V8 substring keeps the whole text it was cut from alive, so everything kept longer than its block of
 * input must be a copy (an import of 1 GB held 657 MB without). Shorter ones V8 copies by itself.
 */
export function copyText(text: string): string {
  return text.length < shortestSubstring ? text : Buffer.from(text).toString();
}

const shortestSubstring = 13;
