/** Stays are found where somebody stayed: generated journeys with a known truth (bench/timelines), and the scorer itself. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { builtinGeodata } from '../bench/timelines/builtin-geodata.ts';
import { evaluate } from '../bench/timelines/evaluate.ts';
import { metresBetween } from '../bench/timelines/geometry.ts';
import { profileNamed } from '../bench/timelines/profile.ts';
import { makeScene, type Scene } from '../bench/timelines/scene.ts';
import {
  dwellPrecisionOf,
  f1Of,
  scoreOf,
  staysRatioOf,
  sumOf,
  type DetectedStay,
  type Score,
} from '../bench/timelines/score.ts';
import { percentile } from '../bench/measure/statistics.ts';
import type { TimelineResult } from '../model/timeline-result.ts';
import { startTestDaemon } from './helpers/daemon.ts';
import { isTaken, rounds } from './helpers/effort.ts';
import { writeTree } from './helpers/imports.ts';
import { temporaryDirectory } from './helpers/temporary-directory.ts';
import { answerWhen } from './helpers/until.ts';

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
  const source = join(temporaryDirectory(t), 'tracks');
  mkdirSync(source);
  writeTree(source, Object.fromEntries(scene.files.map(({ name, text }) => [name, text])));
  const { body: imported } = await daemon.call('POST', '/api/import', { dir: source });
  t.is(imported.files, scene.files.length);
  const [start_date, end_date] = [scene.startDay, scene.endDay].map((day) =>
    new Date(day * 86_400_000).toISOString().slice(0, 10),
  );
  const { body } = await daemon.call('POST', '/api/timelines', { start_date, end_date });
  const path = `/api/timelines/${body.job_id}?result=true`;
  const job = await answerWhen(
    () => daemon.get(path),
    ({ body: { state } }) => !['queued', 'running'].includes(state),
  );
  t.is(job.body.state, 'completed');
  const score = scoreOf(job.body.result, scene.truth);
  t.deepEqual([score.missed, score.wrong, score.pieces], [[], [], []]);
  t.deepEqual([score.nights.differences, score.recordedDays.differences], [[], []]);
  t.is(job.body.result.summary.active_days, scene.truth.activeDays);
});

// The scorer

const scene = makeScene(profileNamed('60 s'), 531, 5);

/** A timeline of nothing but stays. */
function timelineOf(stays: readonly DetectedStay[]): TimelineResult {
  const timeline = stays.map(({ lat, lon, startMs, endMs }) => ({
    kind: 'stay',
    latitude: lat,
    longitude: lon,
    first_observation_utc: new Date(startMs).toISOString(),
    last_observation_utc: new Date(endMs).toISOString(),
  }));
  return { timeline, places: [], trips: [] } as unknown as TimelineResult;
}

function scored(change: (stays: readonly DetectedStay[]) => DetectedStay[]): Score {
  const stays = scene.truth.stays.filter(({ isHidden }) => !isHidden);
  return scoreOf(timelineOf(change(stays)), scene.truth);
}

test('the truth itself has full marks', (t) => {
  const score = scored((stays) => [...stays]);
  t.is(f1Of(score), 1);
  t.is(dwellPrecisionOf(score), 1);
  t.is(Math.max(...score.departureErrorsS), 0);
});

test('a stay in two pieces, at the wrong place, too long, too short, missed or invented costs', (t) => {
  const halves = scored((stays) => stays.flatMap((stay) => cut(stay, 0.3)));
  t.is(halves.pieces.length, scene.truth.stays.filter(({ isHidden }) => !isHidden).length);
  t.is(halves.found, halves.pieces.length);
  t.is(halves.wrong.length, halves.pieces.length);
  t.is(f1Of(scored((stays) => stays.map((stay) => ({ ...stay, lat: stay.lat + 0.002 })))), 0);
  const short = scored((stays) => stays.map((stay) => cut(stay, 0.4)[0]!));
  t.is(f1Of(short), 0);
  const long = scored((stays) =>
    stays.map((stay) => ({ ...stay, endMs: stay.endMs + 5 * 60_000 })),
  );
  t.true(dwellPrecisionOf(long) < 0.98);
  t.is(percentile(long.departureErrorsS, 0.5), 300);
  t.is(scored((stays) => stays.slice(1)).missed.length, 1);
  const invented = { lat: 10, lon: 10, startMs: 0, endMs: 3_600_000 };
  t.deepEqual(scored((stays) => [invented, ...stays]).wrong, [invented]);
});

test('who takes every hundred metres for a stop is told so', (t) => {
  t.true(f1Of(scoreOf(timelineOf(anchored(scene)), scene.truth)) < 0.5);
});

test('nights and days are compared country by country, where they are known', (t) => {
  const rows = [...scene.truth.countries].map(([country_id, { nights, recordedDays }]) => ({
    level: 'country',
    country_id,
    nights: nights ?? 0,
    recorded_days: recordedDays ?? 0,
  }));
  const right = { timeline: [], places: rows, trips: [] } as unknown as TimelineResult;
  t.deepEqual(scoreOf(right, scene.truth).nights.differences, []);
  const more = {
    timeline: [],
    trips: [],
    places: rows.map((row) => ({ ...row, nights: row.nights + 1 })),
  };
  const wrong = scoreOf(more as unknown as TimelineResult, scene.truth);
  t.is(wrong.nights.differences.length, wrong.nights.known);
  t.true(wrong.nights.known > 0 && wrong.recordedDays.known > 0);
});

test('the same seed makes the same files, another one makes others', (t) => {
  const again = makeScene(profileNamed('60 s'), 531, 5);
  t.deepEqual(again.files, scene.files);
  t.notDeepEqual(makeScene(profileNamed('60 s'), 532, 5).files, scene.files);
});

function cut({ lat, lon, startMs, endMs }: DetectedStay, share: number): DetectedStay[] {
  const atMs = Math.round(startMs + (endMs - startMs) * share);
  return [
    { lat, lon, startMs, endMs: atMs },
    { lat, lon, startMs: atMs, endMs },
  ];
}

/** A new stop whenever a fix is 100 m from the first one of the present stop. */
function anchored({ fixes }: Scene): DetectedStay[] {
  const stops: DetectedStay[] = [];
  for (const { timeMs, lat, lon } of fixes) {
    const last = stops.at(-1);
    if (last !== undefined && metresBetween(last, { lat, lon }) <= 100) {
      stops[stops.length - 1] = { ...last, endMs: timeMs };
    } else stops.push({ lat, lon, startMs: timeMs, endMs: timeMs });
  }
  return stops;
}
