/** What the bench writes of its figures: the table of goals and the charts of docs/performance.md. */
import test from 'ava';
import { drawCharts, type ChartPoint } from '../bench/report/charts.ts';
import type { Figure } from '../bench/report/figure.ts';
import { goalResults, goals } from '../bench/report/goals.ts';
import { goalTable } from '../bench/report/table.ts';

function small(value: number | undefined, subject: string): Figure {
  return {
    scenario: 'small-get',
    subject,
    what: 'CPU of a request',
    unit: 'ms',
    value,
    baseline: { name: 'bare node:http', value: 1, ratio: 'gain' },
    bar: { of: 'ratio', atLeast: 0.5 },
    goal: 'smallGet',
  };
}

/** The words of the one line of the table that has a goal. */
function rowOf(figures: readonly Figure[]): string[] {
  const lines = goalTable(goalResults(figures)).split('\n');
  const found = lines.filter((line) => line.includes(goals.smallGet));
  return found.flatMap((line) => line.split('|').map((word) => word.trim()));
}

test('every goal has a line, also where nothing was measured for it', (t) => {
  const lines = goalTable(goalResults([])).split('\n');
  t.is(lines.length, Object.keys(goals).length + 2);
  t.true(rowOf([]).includes('not measured in this run'));
});

test('a goal is judged by the worst of its figures', (t) => {
  const row = rowOf([small(1.5, 'fast'), small(4, 'slow'), small(1, 'fastest')]);
  t.true(row.includes('slow: CPU of a request; the worst of 3'), row.join(' | '));
  t.true(row.includes('**no**'));
  t.true(rowOf([small(2, 'at the bar')]).includes('yes'));
});

test('what could not be measured is neither reached nor missed', (t) => {
  for (const value of [undefined, Number.NaN, 0]) {
    t.true(rowOf([small(value, 'unknown'), small(1, 'fast')]).includes('not measured'));
  }
});

test('a chart has a mark for every figure, its labels, and the same text for the same figures', (t) => {
  const points: ChartPoint[] = [10, 1_000, 100].flatMap((size) => [
    { chart: 'tracks', series: 'waypointd', size, cost: size / 100 },
    { chart: 'tracks', series: 'a & b', size, cost: size },
  ]);
  const charts = drawCharts(points);
  t.deepEqual([...charts.keys()], ['import']);
  const svg = charts.get('import') ?? '';
  t.is(svg.match(/<circle/g)?.length, 3 + 1);
  t.true(
    ['track points', 'CPU s', 'waypointd', 'a &amp; b', '1,000', '0.1'].every((text) =>
      svg.includes(`>${text}<`),
    ),
  );
  // From the smallest size to the largest, and upwards as it costs more.
  const [line = ''] = /(?<=class="line s0" points=")[^"]+/.exec(svg) ?? [];
  const corners = line.split(' ').map((corner) => corner.split(',').map(Number));
  t.is(corners.length, 3);
  t.true(
    corners.every(
      ([x = 0, y = 0], i) => i === 0 || (x > corners[i - 1]![0]! && y < corners[i - 1]![1]!),
    ),
  );
  t.is(drawCharts(points).get('import'), svg);
});

test('one figure alone makes a chart too', (t) => {
  const [svg = ''] = drawCharts([
    { chart: 'list', series: 'waypointd', size: 200, cost: 3 },
  ]).values();
  t.false(/NaN|Infinity|undefined/.test(svg));
});
