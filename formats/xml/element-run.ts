import { isUtf8, Buffer } from 'node:buffer';
import { ampersand, angle, foreign, kinds, lineEnd, plain, stop } from './byte-kinds.ts';
import { Decimals } from './decimals.ts';
import type { ElementTree } from './element-tree.ts';
import { learnTemplate, maxValues, type Part, type Template } from './element-template.ts';
import { decodeReferences, findBadReference } from './references.ts';

/** A stretch of a document's bytes. */
export interface Stretch {
  readonly bytes: Buffer;
  readonly from: number;
  /** Not within a character of several bytes. */
  readonly to: number;
  /** In other encodings only ASCII is read here. */
  readonly isUtf8: boolean;
}

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

/** Bytes of the longest element whose form is learnt; those of real points have up to 700. */
const maxLearntBytes = 4_096;
/** Forms kept, the last used first. A file of more is read nearly as fast by learning each time. */
const maxForms = 8;
const notXml = /[\ufffd-\uffff]/;

/** The meaning of the values of a form. */
export interface Plan {
  /** Which of them are decimal numbers. */
  readonly numbers: readonly number[];
}

interface Form<P> {
  readonly template: Template;
  readonly plan: P;
  readonly kinds: readonly ('attribute' | 'text' | 'number')[];
}

/** Describes elements of one name, or of some. */
export interface ElementsOptions<P> {
  /** With their prefixes. */
  readonly names: readonly string[];
  /** Finds the meaning of a form's values; undefined = such elements are the parser's. */
  readonly planOf: (parts: readonly Part[]) => P | undefined;
  /** Hears of an element; its values are those of the moment. */
  readonly deliver: (plan: P, values: Values) => void;
}

/** The values of an element, in the order of its attributes and texts. */
export interface Values {
  readonly bytes: Buffer;
  /** Where each value begins and ends. */
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  /** Values that are decimal numbers; NaN for an empty one. */
  readonly numbers: Float64Array;
  /** A value as the parser hands it on. */
  text(i: number): string;
}

/**
 * Reads elements that stand side by side from their bytes. Neighbours mostly have the same markup: it is learnt from the first
 * one and compared with the others', which takes a fraction of the time of taking them apart. Each is well-formed, as what was
 * learnt is; the parser reads all that have comments, CDATA sections, texts beside elements and the like.
 */
export class ElementRun<P extends Plan> implements Values {
  readonly #options: ElementsOptions<P>;
  #forms: Form<P>[] = [];
  bytes: Buffer = Buffer.alloc(0);
  readonly starts = new Int32Array(maxValues);
  readonly ends = new Int32Array(maxValues);
  readonly numbers = new Float64Array(maxValues);
  readonly #decimals = new Decimals();
  #view: DataView = new DataView(new ArrayBuffer(0));
  #end = 0;
  #isUtf8 = false;
  /** Line ends of the run, and in the texts of the last element. */
  #lines = 0;
  #linesInTexts = 0;

  constructor(options: ElementsOptions<P>) {
    this.#options = options;
  }

  /** @throws errors of `deliver` */
  read({ bytes, from, to, isUtf8: isUtf8Document }: Stretch): RunResult {
    const { buffer, byteOffset, length } = bytes;
    // With the 0 behind a block: V8 compiles anew what reads beyond the end, as of a number that is cut off there.
    const room = Math.min(length + 1, buffer.byteLength - byteOffset);
    this.bytes = Buffer.from(buffer, byteOffset, room);
    this.#view = new DataView(buffer, byteOffset, room);
    this.#end = to;
    this.#isUtf8 = isUtf8Document;
    this.#lines = 0;
    let end = from;
    let lines = 0;
    let at = this.#passSpace(from);
    for (;;) {
      const next = this.#readElement(at);
      if (typeof next === 'string') return { end, lines, ending: next };
      at = end = this.#passSpace(next);
      lines = this.#lines;
    }
  }

  text(i: number): string {
    const text = this.bytes.toString('utf8', this.starts[i], this.ends[i]);
    return decodeReferences(text);
  }

  #passSpace(from: number): number {
    let at = from;
    for (; at < this.#end; at += 1) {
      const byte = this.bytes[at]!;
      if (byte === 0x0a) this.#lines += 1;
      else if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d) break;
    }
    return at;
  }

  /** @returns where it ends, or the end of the run. */
  #readElement(at: number): number | RunResult['ending'] {
    for (let i = 0; i < this.#forms.length; i += 1) {
      const form = this.#forms[i]!;
      const end = this.#match(form, at);
      if (end < 0) continue;
      if (i > 0) this.#keep(form);
      return this.#deliver(form, end);
    }
    return this.#readUnknown(at);
  }

  #readUnknown(at: number): number | RunResult['ending'] {
    const start = this.bytes.toString('latin1', at, Math.min(at + maxLearntBytes, this.#end));
    const ending = this.#endingAt(start);
    if (ending !== undefined) return ending;
    const form = this.#learn(start);
    if (form === 'cut off') return start.length < maxLearntBytes ? 'cut off' : 'refused';
    const end = form === undefined ? -1 : this.#match(form, at);
    if (form === undefined || end < 0) return 'refused';
    this.#keep(form);
    return this.#deliver(form, end);
  }

  /** Tells where no element of ours begins, or one whose end is missing, as at the end of each block. */
  #endingAt(start: string): RunResult['ending'] | undefined {
    if (start === '') return 'cut off';
    const [head, name = '', behind = ''] = /^<([-.:\w]*)([\s/>]?)/.exec(start) ?? [];
    const isOther = behind !== '' && !this.#options.names.includes(name);
    if (head === undefined || isOther) return 'other';
    const isWhole = start.includes(`</${name}`) || start.includes('/>');
    return isWhole || start.length === maxLearntBytes ? undefined : 'cut off';
  }

  #learn(start: string): Form<P> | 'cut off' | undefined {
    const template = learnTemplate(start);
    if (template === 'cut off' || template === undefined) return template;
    const plan = this.#options.planOf(template.parts);
    const kinds = template.isText.map((isText, i) =>
      plan?.numbers.includes(i) === true ? 'number' : isText ? 'text' : 'attribute',
    );
    return plan && { template, plan, kinds };
  }

  #keep(form: Form<P>): void {
    const others = this.#forms.filter((other) => other !== form);
    this.#forms = [form, ...others].slice(0, maxForms);
  }

  #deliver(form: Form<P>, end: number): number {
    this.#lines += form.template.lines + this.#linesInTexts;
    this.#options.deliver(form.plan, this);
    return end;
  }

  /** Finds the values of an element of this form. @returns where it ends; −1 = it has another form. */
  #match({ template: { words }, kinds: valueKinds }: Form<P>, from: number): number {
    const view = this.#view;
    const last = words.length - 1;
    this.#linesInTexts = 0;
    let at = from;
    for (let i = 0; ; i += 1) {
      const word = words[i]!;
      if (at + word.byteLength > this.#end || !hasWordAt(view, at, word)) return -1;
      at += word.byteLength;
      if (i === last) return at;
      this.starts[i] = at;
      const kind = valueKinds[i]!;
      if (kind === 'number') {
        at = this.#decimals.pass(this.bytes, at);
        this.numbers[i] = this.#decimals.value;
      } else {
        at = this.#passText(at, kind === 'text');
        if (at < 0) return -1;
        this.ends[i] = at;
      }
    }
  }

  /** Passes a text, or of an attribute's value what is plain. @returns where it ends; −1 = it is the parser's. */
  #passText(from: number, isText: boolean): number {
    const { bytes } = this;
    const end = this.#end;
    let kind = plain;
    let at = from;
    while (at < end && (kind = kinds[bytes[at]!]!) === plain) at += 1;
    if (!isText || kind === stop) return at;
    let seen = plain;
    for (; at < end && (kind = kinds[bytes[at]!]!) !== stop; at += 1) {
      if (kind === lineEnd) this.#linesInTexts += 1;
      seen |= kind;
    }
    return this.#isLegal(from, at, seen) ? at : -1;
  }

  #isLegal(from: number, to: number, seen: number): boolean {
    if ((seen & (ampersand | angle | foreign)) === 0) return true;
    const bytes = this.bytes.subarray(from, to);
    if ((seen & foreign) !== 0 && !(this.#isUtf8 && isUtf8(bytes))) return false;
    const text = bytes.toString();
    return !text.includes(']]>') && findBadReference(text) < 0 && !notXml.test(text);
  }
}

/** Compares four bytes at once, which cost hardly more than one; the last four perhaps overlap those before. */
function hasWordAt(view: DataView, at: number, word: DataView): boolean {
  const last = word.byteLength - 4;
  for (let i = 0; i < last; i += 4) if (view.getInt32(at + i) !== word.getInt32(i)) return false;
  if (last >= 0) return view.getInt32(at + last) === word.getInt32(last);
  for (let i = 0; i < word.byteLength; i += 1)
    if (view.getUint8(at + i) !== word.getUint8(i)) return false;
  return true;
}

interface PartsPlan extends Plan {
  readonly parts: readonly Part[];
}

/** Reads whole elements of any content into a tree, as the parser would. */
export class WholeElements implements Runs {
  readonly starts: readonly string[];
  readonly #run: ElementRun<PartsPlan>;

  /** @param names of the elements, with their prefixes. */
  constructor(tree: ElementTree, names: readonly string[]) {
    this.starts = names.map((name) => `<${name}`);
    this.#run = new ElementRun({
      names,
      planOf: (parts): PartsPlan => ({ parts, numbers: [] }),
      deliver: ({ parts }, values) => tell(tree, parts, values),
    });
  }

  here(): (stretch: Stretch) => RunResult {
    return (stretch) => this.#run.read(stretch);
  }
}

function tell(tree: ElementTree, parts: readonly Part[], values: Values): void {
  let i = 0;
  for (const part of parts) {
    if (part.kind === 'open') tree.open(part.name);
    else if (part.kind === 'close') tree.close();
    else {
      if (part.kind === 'text') tree.text(values.text(i));
      i += 1;
    }
  }
}
