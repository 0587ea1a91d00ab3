import { isMet, ratioOf, type Figure } from './figure.ts';

const columns = ['scenario', 'subject', 'figure', 'value', 'baseline', 'ratio', 'bar', 'met'];

/** A figure as the words of one line, by column. */
function rowOf(figure: Figure): string[] {
  const { scenario, subject, what, unit, value, baseline } = figure;
  return [
    scenario,
    subject,
    what,
    measured(value, unit),
    baseline === undefined ? '' : `${baseline.name}: ${measured(baseline.value, unit)}`,
    ratioText(figure),
    barText(figure),
    metText(figure),
  ];
}

/** Figures as a table of Markdown. */
export function markdownTable(figures: readonly Figure[]): string {
  const line = (words: readonly string[]): string => `| ${words.join(' | ')} |`;
  const rows = figures.map((figure) => line(rowOf(figure)));
  return [line(columns), line(columns.map(() => '---')), ...rows].join('\n');
}

/** A number with three digits that count, thousands apart. */
function number(value: number): string {
  if (value >= 1_000) return Math.round(value).toLocaleString('en');
  if (value === 0) return '0';
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return value.toFixed(Math.min(digits, 4));
}

function measured(value: number | undefined, unit: string): string {
  return value === undefined || !Number.isFinite(value)
    ? 'not measured'
    : `${number(value)} ${unit}`;
}

function ratioText(figure: Figure): string {
  const ratio = ratioOf(figure);
  if (ratio === undefined || figure.baseline === undefined) return '';
  return `${number(ratio)} × ${figure.baseline.ratio === 'gain' ? 'better' : 'the cost'}`;
}

function barText({ bar, unit }: Figure): string {
  if (bar === undefined) return '';
  const suffix = bar.of === 'ratio' ? '×' : unit;
  return 'atLeast' in bar
    ? `≥ ${number(bar.atLeast)} ${suffix}`
    : `≤ ${number(bar.atMost)} ${suffix}`;
}

function metText(figure: Figure): string {
  const met = isMet(figure);
  if (met === undefined) return figure.bar === undefined ? '' : 'not measured';
  return met ? 'yes' : '**no**';
}
