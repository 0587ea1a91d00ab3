import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Figure } from './figure.ts';
import { markdownTable, rowOf } from './table.ts';

const resultsFile = resolve(import.meta.dirname, '../results.md');
const docsFile = resolve(import.meta.dirname, '../../docs/performance.md');
/** Between these two lines of docs/performance.md stand the figures of the last whole run. */
const marks = ['<!-- figures: written by npm run bench -->', '<!-- end of figures -->'] as const;

/** Writes `bench/results.md`, and the figures that have a bar into docs/performance.md. */
export function writeResults(about: readonly string[], figures: readonly Figure[]): void {
  const list = about.map((line) => `- ${line}`).join('\n');
  const table = markdownTable(figures.map(rowOf));
  const text = `# Results of the last whole run\n\nWritten by \`npm run bench\`; what is measured and how: docs/performance.md.\n\n${list}\n\n${table}\n`;
  writeFileSync(resultsFile, text);
  const goals = markdownTable(figures.filter(({ bar }) => bar !== undefined).map(rowOf));
  if (existsSync(docsFile)) writeFileSync(docsFile, withFigures(`${list}\n\n${goals}`));
}

function withFigures(block: string): string {
  const text = readFileSync(docsFile, 'utf8');
  const [start, end] = marks.map((mark) => text.indexOf(mark));
  if (start === undefined || end === undefined || start === -1 || end < start) return text;
  return `${text.slice(0, start + marks[0].length)}\n\n${block}\n\n${text.slice(end)}`;
}
