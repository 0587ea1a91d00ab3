/** The report of the bench: a bar that is missed must not look like one that is reached. */
import test from 'ava';
import { isMet, ratioOf, type Figure } from '../bench/report/figure.ts';
import { markdownTable } from '../bench/report/table.ts';
import { scenario } from '../bench/scenario.ts';
import { parseOptions } from '../bench/plan.ts';
import { Session } from '../bench/session.ts';
import { temporaryDirectory } from './helpers/temporary-directory.ts';

const figure: Figure = {
  scenario: 'small-get',
  subject: 'GET /api/version',
  what: 'CPU of a request',
  unit: 'ms',
  value: 0.2,
  baseline: { name: 'bare', value: 0.1, ratio: 'gain' },
  bar: { of: 'ratio', atLeast: 0.7 },
};

test('of costs less is better, of rates more; a gain is judged from its bar up, a cost down', (t) => {
  t.is(ratioOf(figure), 0.5);
  t.false(isMet(figure));
  t.true(isMet({ ...figure, unit: 'MB/s' }));
  const cost = { name: 'bare', value: 0.1, ratio: 'cost' } as const;
  t.true(isMet({ ...figure, baseline: cost, bar: { of: 'ratio', atMost: 2 } }));
  t.false(isMet({ ...figure, baseline: cost, bar: { of: 'ratio', atMost: 1.9 } }));
  t.true(isMet({ ...figure, bar: { of: 'figure', atMost: 0.2 } }));
});

test('what was not measured, or is below the clock, reaches no bar', (t) => {
  for (const value of [undefined, 0, Number.NaN]) {
    t.is(isMet({ ...figure, value }), undefined);
    t.true(markdownTable([{ ...figure, value }]).endsWith('| not measured |'));
  }
  for (const value of [undefined, Number.NaN, -Infinity])
    t.is(isMet({ ...figure, value, bar: { of: 'figure', atMost: 1 } }), undefined);
  t.is(isMet({ ...figure, bar: undefined }), undefined);
});

test('a figure is a line of the table', (t) => {
  t.deepEqual(markdownTable([figure]).split('\n').slice(2), [
    '| small-get | GET /api/version | CPU of a request | 0.200 ms | bare: 0.100 ms | 0.500 × better | ≥ 0.700 × | **no** |',
  ]);
});

test('a scenario gives the medians of its rounds, and no bar on tiny data', async (t) => {
  let round = 0;
  const counts = scenario<number, string>({
    name: 'counts',
    title: 'nothing',
    subjects: () => [7],
    rounds: () => 3,
    label: (subject, prepared) => `${prepared} ${subject}`,
    prepare: () => Promise.resolve('about'),
    run: () => Promise.resolve({ own: [5, 1, 3][round++], other: 6, none: undefined }),
    figures: () => [
      {
        what: 'own',
        unit: 's',
        of: 'own',
        against: ['other', 'other', 'cost'],
        bar: { of: 'ratio', atMost: 1 },
      },
      { what: 'none', unit: 's', of: 'none' },
      { what: 'absent', unit: 's', of: 'absent' },
    ],
  });
  const session = new Session(parseOptions(['--quick']).plan, temporaryDirectory(t));
  t.teardown(() => session.close());
  const figures: Figure[] = [];
  for await (const one of counts.measure(session)) figures.push(one);
  t.like(figures, [
    { subject: 'about 7', value: 3, baseline: { name: 'other', value: 6 }, bar: undefined },
    { what: 'none', value: undefined },
  ]);
  t.is(figures.length, 2);
});
