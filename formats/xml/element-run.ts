import { ByteCursor, wordOf, type Stretch } from './byte-cursor.ts';
import type { ElementTree } from './element-tree.ts';
import { passElement, type Heard } from './pass-element.ts';

/** The result of reading a run of elements. */
export interface RunResult {
  /** Where it ends; the place it began if it was nothing. */
  readonly end: number;
  /** Line ends in it. */
  readonly lines: number;
  /** What stopped the run: an element for the parser, the end of the stretch, or other markup. */
  readonly ending: 'refused' | 'cut off' | 'other';
}

/** Runs of elements of a document that can be read from its bytes. */
export interface Runs {
  /** The begin of such elements, such as `<trkpt`. */
  readonly starts: readonly string[];
  /**
   * Chooses the reader for a run between two tokens, which delivers whole elements only; undefined where such elements have
   * no meaning. @param open names of the open elements, the root first.
   */
  here(open: readonly string[]): ((stretch: Stretch) => RunResult) | undefined;
}

/**
 * Reads elements that stand side by side, with white space and comments between.
 * @param start passes what such an element begins with, or stays.
 * @param read passes the rest and hands it on; false = the parser reads the element from its start.
 */
export function readRun(
  cursor: ByteCursor,
  start: (cursor: ByteCursor) => boolean,
  read: (cursor: ByteCursor) => boolean,
): RunResult {
  let end = cursor.at;
  let lines = 0;
  let isElement = false;
  cursor.space();
  for (;;) {
    isElement = start(cursor);
    if (isElement ? !read(cursor) : !cursor.comment()) break;
    cursor.space();
    end = cursor.at;
    lines = cursor.lines;
  }
  const isRefused = isElement && cursor.at < cursor.end;
  const ending = isRefused ? 'refused' : cursor.at < cursor.end ? 'other' : 'cut off';
  return { end, lines, ending };
}

/** Reads whole elements of any content into a tree, as the parser would. */
export class WholeElements implements Runs, Heard {
  readonly starts: readonly string[];
  readonly #words: readonly DataView[];
  readonly #tree: ElementTree;
  /** Events of an element that may fail yet: `<` and a name, `>` and a text, or nothing for its end. */
  #heard: string[] = [];

  /** @param names of the elements, with their prefixes. */
  constructor(tree: ElementTree, names: readonly string[]) {
    this.#tree = tree;
    this.starts = names.map((name) => `<${name}`);
    this.#words = this.starts.map(wordOf);
  }

  here(): (stretch: Stretch) => RunResult {
    return (stretch) =>
      readRun(
        new ByteCursor(stretch),
        (cursor) => this.#begins(cursor),
        (cursor) => this.#read(cursor),
      );
  }

  open(name: string): void {
    this.#heard.push(`<${name}`);
  }

  text(text: string): void {
    this.#heard.push(`>${text}`);
  }

  close(): void {
    this.#heard.push('');
  }

  #begins(cursor: ByteCursor): boolean {
    const { at } = cursor;
    const isBeginning = this.#words.some((word) => cursor.accept(word));
    cursor.at = at;
    return isBeginning;
  }

  #read(cursor: ByteCursor): boolean {
    this.#heard.length = 0;
    if (!passElement(cursor, this)) return false;
    for (const heard of this.#heard) {
      if (heard === '') this.#tree.close();
      else if (heard.startsWith('<')) this.#tree.open(heard.slice(1));
      else this.#tree.text(heard.slice(1));
    }
    return true;
  }
}
