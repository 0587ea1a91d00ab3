import { FileRefused } from '../refused.ts';
import type { XmlHandler } from './read-piece.ts';

/** Characters of one text that is wanted whole. */
const maxTextLength = 1_048_576;

/** Hears of the elements of a document, by their local names whatever the namespace. */
export interface ElementListener {
  /** @param parents the open elements around it, the root first. */
  open(name: string, parents: readonly string[]): void;
  /** Whether the text of the element that has just been opened is wanted whole, in parts as it comes, or not at all. */
  wants(name: string, parents: readonly string[]): 'whole' | 'parts' | 'nothing';
  text(name: string, text: string, parents: readonly string[]): void;
  close(name: string, parents: readonly string[]): void;
}

/** Collects texts and keeps the path, for listeners that know what elements mean. */
export class ElementTree implements XmlHandler {
  readonly #listener: ElementListener;
  readonly #roots: readonly string[];
  readonly #path: string[] = [];
  #wanted: 'whole' | 'parts' | 'nothing' = 'nothing';
  #text = '';

  /** @param roots names of the roots of documents that are read. */
  constructor(listener: ElementListener, roots: readonly string[]) {
    this.#listener = listener;
    this.#roots = roots;
  }

  open(name: string): void {
    const local = name.slice(name.indexOf(':') + 1);
    const path = this.#path;
    if (path.length === 0 && !this.#roots.includes(local)) throw new FileRefused('wrong_format');
    this.#listener.open(local, path);
    this.#wanted = this.#listener.wants(local, path);
    this.#text = '';
    path.push(local);
  }

  text(text: string): void {
    const name = this.#path.at(-1);
    if (name === undefined || this.#wanted === 'nothing') return;
    if (this.#wanted === 'parts') {
      this.#listener.text(name, text, this.#path);
      return;
    }
    this.#text += text;
    if (this.#text.length > maxTextLength) throw new FileRefused('too_large');
  }

  close(): void {
    const name = this.#path.pop();
    if (name === undefined) return;
    if (this.#wanted === 'whole') this.#listener.text(name, this.#text, this.#path);
    this.#wanted = 'nothing';
    this.#listener.close(name, this.#path);
  }
}
