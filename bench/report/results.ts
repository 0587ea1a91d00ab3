import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { drawCharts, type ChartPoint } from './charts.ts';
import type { Figure } from './figure.ts';
import { goalResults } from './goals.ts';
import { goalTable, markdownTable } from './table.ts';

const resultsFile = resolve(import.meta.dirname, '../results.md');
const docs = resolve(import.meta.dirname, '../../docs');
const docsFile = resolve(docs, 'performance.md');

/** What a run found. */
export interface Results {
  /** Where, when and with what, one sentence a line. */
  readonly about: readonly string[];
  readonly figures: readonly Figure[];
  readonly points: readonly ChartPoint[];
}

/** Writes every figure to `bench/results.md`. */
export function writeResults({ about, figures }: Results): void {
  const text = `# Results of the last whole run\n\nWritten by \`npm run bench\`; what is measured and how: docs/performance.md.\n\n${listOf(about)}\n\n${markdownTable(figures)}\n`;
  writeFileSync(resultsFile, text);
}

/** Writes goals and the figures that have a bar into docs/performance.md, and draws the charts beside it. */
export function writePage({ about, figures, points }: Results): void {
  if (!existsSync(docsFile)) return;
  const barred = figures.filter(({ bar }) => bar !== undefined);
  const text = [
    ['goals', `${listOf(about)}\n\n${goalTable(goalResults(figures))}`],
    ['figures', markdownTable(barred)],
  ].reduce(
    (page, [name = '', block = '']) => withBlock(page, name, block),
    readFileSync(docsFile, 'utf8'),
  );
  writeFileSync(docsFile, text);
  for (const [end, svg] of drawCharts(points)) {
    writeFileSync(resolve(docs, `performance-${end}.svg`), svg);
  }
}

function listOf(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}`).join('\n');
}

/** Replaces what stands between two comments of the page. */
function withBlock(page: string, name: string, block: string): string {
  const first = `<!-- ${name}: written by npm run bench -->`;
  const [start, end] = [page.indexOf(first), page.indexOf(`<!-- end of ${name} -->`)];
  if (start === -1 || end < start) return page;
  return `${page.slice(0, start + first.length)}\n\n${block}\n\n${page.slice(end)}`;
}
