/** Stays are found where somebody stayed: generated journeys with a known truth (bench/timelines), and the scorer itself. */
import test from 'ava';
import { builtinGeodata } from '../bench/timelines/builtin-geodata.ts';
import { evaluate } from '../bench/timelines/evaluate.ts';
import { profileNamed } from '../bench/timelines/profile.ts';
import { makeScene } from '../bench/timelines/scene.ts';
import { dwellPrecisionOf, f1Of, scoreOf, staysRatioOf, sumOf } from '../bench/timelines/score.ts';
import { percentile } from '../bench/measure/statistics.ts';
import { startTestDaemon, tellTimeline } from './helpers/daemon.ts';
import { isTaken, rounds } from './helpers/effort.ts';
import { importTree } from './helpers/imported-files.ts';

interface Sample {
  readonly profile: string;
  readonly days: number;
  readonly seeds: number;
}

/**
 * Recorders with one goal, and how much of each: few journeys, as every second of the whole suite counts;
 * `npm run bench -- --only timeline-quality` has many.
 */
const groups: Readonly<Record<string, readonly Sample[]>> = {
  'every 1-60 s': [
    { profile: '1 s', days: 1, seeds: 1 },
    { profile: '5 s', days: 2, seeds: 1 },
    { profile: '30 s', days: 8, seeds: 1 },
    { profile: '60 s', days: 8, seeds: 1 },
    { profile: 'mixed 1-60 s', days: 4, seeds: 1 },
  ],
  'with spikes and disorder': [{ profile: 'spikes and disorder', days: 5, seeds: 1 }],
  'that sleep while one is still': [{ profile: 'silent while still', days: 8, seeds: 2 }],
  'that err by 60 m indoors': [{ profile: 'indoors', days: 6, seeds: 2 }],
  'that listen to far towers': [{ profile: 'towers', days: 6, seeds: 1 }],
  'every 5-15 min': [{ profile: '5-15 min', days: 10, seeds: 2 }],
  'that are often off': [{ profile: 'often off', days: 6, seeds: 1 }],
};
const firstSeed = 501;

for (const [what, samples] of Object.entries(groups)) {
  test(`recorders ${what}: stays are found as often and as exactly as promised`, (t) => {
    const goal = profileNamed(samples[0]!.profile);
    const taken = samples.filter((_, i) => isTaken(i));
    const scores = taken.flatMap(({ profile, days, seeds }) =>
      Array.from({ length: rounds(seeds, seeds) }, (_, i) =>
        evaluate(profileNamed(profile), firstSeed + i, builtinGeodata(), days),
      ),
    );
    const score = sumOf(scores);
    t.true(f1Of(score) >= goal.goalF1!, `F1 ${f1Of(score)}`);
    t.true(dwellPrecisionOf(score) >= 0.98, `dwell ${dwellPrecisionOf(score)}`);
    if (goal.hasPieces === true) t.true(staysRatioOf(score) <= 1.2);
    else t.deepEqual(score.pieces, []);
    t.deepEqual([score.nights.differences, score.recordedDays.differences], [[], []]);
    if (goal.isExact !== true) return;
    const p90 = percentile(score.departureErrorsS, 0.9);
    t.true(p90 <= 90, `departures: ${p90} s`);
  });
}

test('files go in by HTTP and the timeline comes out, with every country, night and day', async (t) => {
  const scene = makeScene(profileNamed('60 s'), 521, 4);
  const daemon = await startTestDaemon(t);
  const files = Object.fromEntries(scene.files.map(({ name, text }) => [name, text]));
  const { body: imported } = await importTree(daemon, files);
  t.is(imported.files, scene.files.length);
  const [start_date, end_date] = [scene.startDay, scene.endDay].map((day) =>
    new Date(day * 86_400_000).toISOString().slice(0, 10),
  );
  const result = await tellTimeline(daemon, { start_date: start_date!, end_date: end_date! });
  const score = scoreOf(result, scene.truth);
  t.deepEqual([score.missed, score.wrong, score.pieces], [[], [], []]);
  t.deepEqual([score.nights.differences, score.recordedDays.differences], [[], []]);
  t.is(result.summary.active_days, scene.truth.activeDays);
});
