import { refuseControls } from './service-program.ts';

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Writes a text as the content of an XML element. */
export function xmlText(text: string): string {
  refuseControls(text);
  return text.replaceAll(/[&<>]/gu, (character) => entities[character] ?? character);
}
