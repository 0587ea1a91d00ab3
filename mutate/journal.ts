/** What a run has found so far, a line of JSON each, so that one that was interrupted goes on where it was. */
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Of one test file: whether it passes without a mutant, its CPU seconds, and the mutants whose code it runs. */
export interface Reach {
  readonly test: string;
  readonly passes: boolean;
  readonly cpu: number;
  readonly reached: readonly number[];
}

export interface Verdict {
  readonly id: number;
  readonly outcome: 'failed' | 'hangs' | 'passed';
  /** The tests that were run, in their order, and how many others run the code, too. */
  readonly tests: readonly string[];
  readonly left: number;
  readonly cpu: number;
}

type Line = { readonly reach: Reach } | { readonly verdict: Verdict };

export class Journal {
  readonly #file: string;
  readonly reaches = new Map<string, Reach>();
  readonly verdicts = new Map<number, Verdict>();

  /** @param file one for each set of sources and mutants. */
  constructor(file: string) {
    this.#file = file;
    mkdirSync(dirname(file), { recursive: true });
    const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : [];
    for (const line of lines) this.#keep(JSON.parse(line) as Line);
  }

  add(line: Line): void {
    appendFileSync(this.#file, `${JSON.stringify(line)}\n`);
    this.#keep(line);
  }

  #keep(line: Line): void {
    if ('reach' in line) this.reaches.set(line.reach.test, line.reach);
    else this.verdicts.set(line.verdict.id, line.verdict);
  }
}
