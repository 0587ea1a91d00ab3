/** Tags in the form that nearly all programs write: a name, attributes with their quotes, perhaps a slash. */
const name = '[A-Za-z_:][-.\\w:]*';
const space = '[ \\t\\r\\n]';
const value = `"[^"<]*"|'[^'<]*'`;
const tag = new RegExp(
  `<(/?)(${name})((?:${space}+${name}${space}*=${space}*(?:${value}))*)${space}*(/?)>`,
  'y',
);
const attribute = new RegExp(`(${name})${space}*=${space}*(?:"([^"]*)|'([^']*))`, 'g');
const notBlank = /[^ \t\r\n]/;

/** Elements within each other; those of real points have up to 4. The parser's limit allows more than this with its own. */
const maxDepth = 16;
/** Attributes and texts of an element; real points have up to 20. */
export const maxValues = 128;

/** A part of an element, in their order. Each attribute and each text has a value. */
export type Part =
  | { readonly kind: 'open' | 'attribute'; readonly name: string }
  | { readonly kind: 'text' | 'close' };

/** The form of an element: all its markup, without the values of its attributes and texts. */
export interface Template {
  readonly parts: readonly Part[];
  /** The markup before the first value, between values, and behind the last one. */
  readonly words: readonly DataView[];
  /** Whether each value is a text. */
  readonly isText: readonly boolean[];
  /** Line ends in the markup. */
  readonly lines: number;
}

/**
 * Learns the form of the element that begins here: its texts stand in elements that hold nothing else.
 * @param start of the element; ASCII where it is markup.
 * @returns undefined = it has another form; 'cut off' = its end is missing.
 */
export function learnTemplate(start: string): Template | 'cut off' | undefined {
  const learner = new Learner(start);
  for (;;) {
    const step = learner.step();
    if (step === 'done') return learner;
    if (step !== 'next') return step === 'cut off' ? step : undefined;
  }
}

type Step = 'next' | 'done' | 'cut off' | 'other form';

class Learner implements Template {
  readonly parts: Part[] = [];
  readonly words: DataView[] = [];
  readonly isText: boolean[] = [];
  lines = 0;
  readonly #start: string;
  readonly #open: string[] = [];
  #at = 0;
  /** Where the present word begins. */
  #wordAt = 0;

  constructor(start: string) {
    this.#start = start;
  }

  /** Reads a tag and the text behind it. */
  step(): Step {
    tag.lastIndex = this.#at;
    const match = tag.exec(this.#start);
    if (match === null) return this.#start.includes('>', this.#at) ? 'other form' : 'cut off';
    const [whole, slash, name = '', attributes = '', isEmpty] = match;
    const isStart = slash === '';
    const rest = attributes + isEmpty;
    const isKnown = isStart ? this.#startTag(name, attributes) : this.#isEndTag(name, rest);
    if (!isKnown || this.isText.length > maxValues) return 'other form';
    this.#at += whole.length;
    const isOpen = isStart && isEmpty === '';
    if (!isOpen) {
      this.parts.push({ kind: 'close' });
      this.#open.pop();
    }
    if (this.#open.length > 0) return this.#text(isOpen);
    this.#endWord(this.#at, this.#at);
    return 'done';
  }

  #startTag(name: string, attributes: string): boolean {
    this.parts.push({ kind: 'open', name });
    this.#open.push(name);
    const from = this.#at + 1 + name.length;
    const names = new Set<string>();
    let isKnown = this.#open.length <= maxDepth;
    for (const match of attributes.matchAll(attribute)) {
      const [whole, key = '', inDoubleQuotes, content = inDoubleQuotes ?? ''] = match;
      isKnown &&= !names.has(key);
      names.add(key);
      this.parts.push({ kind: 'attribute', name: key });
      const end = from + match.index + whole.length;
      this.#value(end - content.length, end, false);
    }
    return isKnown;
  }

  #isEndTag(name: string, rest: string): boolean {
    return rest === '' && this.#open.at(-1) === name;
  }

  /** @param isInside the element that has just begun, which perhaps holds nothing else. */
  #text(isInside: boolean): Step {
    const from = this.#at;
    const next = this.#start.indexOf('<', from);
    if (next < 0) return 'cut off';
    this.#at = next;
    if (isInside && this.#start.startsWith('</', next)) {
      this.parts.push({ kind: 'text' });
      this.#value(from, next, true);
    } else if (notBlank.test(this.#start.slice(from, next))) return 'other form';
    return 'next';
  }

  #value(from: number, to: number, isText: boolean): void {
    this.isText.push(isText);
    this.#endWord(from, to);
  }

  /** Ends a word; the next one begins at `next`. */
  #endWord(at: number, next: number): void {
    const word = this.#start.slice(this.#wordAt, at);
    this.lines += word.split('\n').length - 1;
    this.words.push(wordOf(word));
    this.#wordAt = next;
  }
}

/** Makes a word that is compared with bytes. @param characters one for each byte. */
function wordOf(characters: string): DataView {
  return new DataView(Uint8Array.from(characters, (char) => char.charCodeAt(0)).buffer);
}
