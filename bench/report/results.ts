import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Figure } from './figure.ts';
import { markdownTable } from './table.ts';

const resultsFile = resolve(import.meta.dirname, '../results.md');

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

function textOf({ about, figures }: Results): string {
  return `${about.map((line) => `- ${line}`).join('\n')}\n\n${markdownTable(figures)}`;
}
