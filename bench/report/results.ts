import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Figure } from './figure.ts';
import { markdownTable } from './table.ts';

const resultsFile = resolve(import.meta.dirname, '../results.md');
const page = resolve(import.meta.dirname, '../../docs/performance.md');
const [first, last] = ['<!-- figures: written by npm run bench -->', '<!-- end of figures -->'];

/** Results of a run. */
export interface Results {
  /** Where, when and with what, one sentence a line. */
  readonly about: readonly string[];
  readonly figures: readonly Figure[];
}

/** Writes every figure to `bench/results.md`. */
export function writeResults(results: Results): void {
  const head =
    '# Results of the last whole run\n\nWritten by `npm run bench`; what is measured and how: docs/performance.md.';
  writeFileSync(resultsFile, `${head}\n\n${textOf(results)}\n`);
}

/** Writes the figures that have a bar into docs/performance.md. */
export function writePage({ about, figures }: Results): void {
  const text = readFileSync(page, 'utf8');
  const [start, end] = [text.indexOf(first), text.indexOf(last)];
  if (start === -1 || end < start) return;
  const barred = textOf({ about, figures: figures.filter(({ bar }) => bar !== undefined) });
  writeFileSync(page, `${text.slice(0, start)}${first}\n\n${barred}\n\n${text.slice(end)}`);
}

function textOf({ about, figures }: Results): string {
  return `${about.map((line) => `- ${line}`).join('\n')}\n\n${markdownTable(figures)}`;
}
