/** Corrections of timelines: what the user knows better is told from then on, in every later timeline. */
import test, { type ExecutionContext } from 'ava';
import Database from 'better-sqlite3';
import { moved } from '../bench/timelines/geometry.ts';
import { limits } from '../model/limits.ts';
import type { TimelineResult } from '../model/timeline-result.ts';
import { startTestDaemon, tellTimeline, type TestDaemon } from './helpers/daemon.ts';
import { at, gpxTrack, hourMs, minuteMs, way } from './helpers/fixes.ts';
import { importTree } from './helpers/imported-files.ts';

const home = { lat: 52.52, lon: 13.405 };
const halt = moved(home, 0, -10_000);
const lake = moved(home, 0, -20_000);
const noon = Date.UTC(2024, 4, 3, 12);
const day = { start_date: '2024-05-03', end_date: '2024-05-03' };

/** Home, by car to a halt of 30 min, on to the lake for three hours. */
const outing = [
  ...at(home, noon - 5 * hourMs, noon, 5),
  ...way(home, halt, noon, noon + 20 * minuteMs, 1),
  ...at(halt, noon + 20 * minuteMs, noon + 50 * minuteMs, 1),
  ...way(halt, lake, noon + 50 * minuteMs, noon + 70 * minuteMs, 1),
  ...at(lake, noon + 70 * minuteMs, noon + 250 * minuteMs, 5),
];

async function withOuting(t: ExecutionContext, fixes = outing): Promise<TestDaemon> {
  const daemon = await startTestDaemon(t);
  t.is((await importTree(daemon, { 'a.gpx': gpxTrack(fixes) })).status, 200);
  return daemon;
}

function iso(timeMs: number): string {
  return new Date(timeMs).toISOString().replace('.000Z', 'Z');
}

async function correct(t: ExecutionContext, daemon: TestDaemon, correction: object) {
  const { status, body, headers } = await daemon.call('POST', '/api/corrections', correction);
  t.is(status, 201);
  return { id: body.id as number, change: headers.get('X-Change-Id') };
}

const told = (daemon: TestDaemon): Promise<TimelineResult> => tellTimeline(daemon, day);

const staysOf = ({ timeline }: TimelineResult) => timeline.filter(({ kind }) => kind === 'stay');

const modesOf = ({ trips }: TimelineResult) =>
  trips.map(({ mode, corrected, legs }) => [mode, corrected, legs.map((leg) => leg.mode).join()]);

test('a trip has the mode that was said, through import, undo, redo, restart and deletion', async (t) => {
  const daemon = await withOuting(t);
  const before = await told(daemon);
  t.deepEqual(modesOf(before), [
    ['car', undefined, 'car'],
    ['car', undefined, 'car'],
  ]);
  const { start_utc, end_utc } = before.trips[1]!;
  const made = await correct(t, daemon, { kind: 'mode', mode: 'train', start_utc, end_utc });
  const after = await told(daemon);
  t.deepEqual(modesOf(after)[0], modesOf(before)[0]);
  t.deepEqual(modesOf(after)[1], ['train', true, 'train']);
  t.is(after.trips[1]!.mode_confidence, 1);
  t.not(after.observation_revision, before.observation_revision);

  // The same files, imported anew.
  const [file] = (await daemon.get('/api/imports')).body.files;
  t.is((await daemon.call('DELETE', `/api/imports/${file.id}`)).status, 200);
  t.deepEqual((await told(daemon)).trips, []);
  t.is((await daemon.call('POST', `/api/imports/${file.id}/restore`)).status, 200);
  t.deepEqual(modesOf(await told(daemon))[1], ['train', true, 'train']);

  const undone = await daemon.call('POST', `/api/changes/${made.change}/undo`);
  t.like(undone.body, { kind: 'correction_add', count: 1 });
  t.deepEqual(await told(daemon), before);
  t.is((await daemon.call('POST', `/api/changes/${undone.body.change}/undo`)).status, 200);
  // The library is made anew from the files, where it is lost.
  const again = await daemon.restartWithoutLibrary();
  t.deepEqual(await told(again), after);
  const { body } = await again.get('/api/corrections');
  t.like(body.corrections, [{ id: made.id, kind: 'mode', mode: 'train', start_utc, end_utc }]);
  const removed = await again.call('DELETE', `/api/corrections/${made.id}`);
  t.deepEqual(removed.body, { deleted: true, id: made.id });
  t.deepEqual(await told(again), before);
  const { changes } = (await again.get('/api/changes?details=true&limit=1')).body;
  t.like(changes[0], { kind: 'correction_delete', undoable: true });
  t.like(changes[0].details[0], {
    what: 'correction',
    correction: { kind: 'mode', mode: 'train' },
  });
});

test('a false stay becomes way, and the trip that took it in says so', async (t) => {
  const daemon = await withOuting(t);
  const before = await told(daemon);
  t.is(staysOf(before).length, 3);
  const false_ = staysOf(before)[1]!;
  const start_utc = false_.first_observation_utc;
  const end_utc = false_.last_observation_utc;
  await correct(t, daemon, { kind: 'not_a_stay', start_utc, end_utc });
  const after = await told(daemon);
  t.deepEqual(
    staysOf(after).map((stay) => stay.first_observation_utc),
    [0, 2].map((at) => staysOf(before)[at]!.first_observation_utc),
  );
  t.is(after.trips.length, 1);
  t.true(after.trips[0]!.corrected);
  t.is(after.summary.recorded_observations, before.summary.recorded_observations);
});

test('a stay is where and when it was said, with or without a position', async (t) => {
  const daemon = await withOuting(t);
  const [start_utc, end_utc] = [iso(noon + 5 * minuteMs), iso(noon + 9 * minuteMs)];
  const made = await correct(t, daemon, { kind: 'stay', start_utc, end_utc });
  const found = staysOf(await told(daemon))[1]!;
  t.like(found, {
    kind: 'stay',
    corrected: true,
    first_observation_utc: start_utc,
    last_observation_utc: end_utc,
    recorded_observations: 5,
  });
  t.true(found.lat < home.lat && found.lat > halt.lat);
  t.is((await daemon.call('DELETE', `/api/corrections/${made.id}`)).status, 200);
  await correct(t, daemon, { kind: 'stay', start_utc, end_utc, lat: 52.5, lon: 13.3 });
  const placed = staysOf(await told(daemon))[1]!;
  t.like(placed, { lat: 52.5, lon: 13.3, corrected: true, recorded_observations: 5 });
});

test('what is said of a part of a silence leaves the stay on both sides of it', async (t) => {
  const night = [
    ...at(home, noon + 6 * hourMs, noon + 10 * hourMs, 5),
    ...at(home, noon + 18 * hourMs, noon + 22 * hourMs, 5),
  ];
  const daemon = await withOuting(t, night);
  const period = { start_date: '2024-05-03', end_date: '2024-05-04' };
  const stays = async () =>
    staysOf(await tellTimeline(daemon, period)).map(
      ({ first_observation_utc: first, last_observation_utc: last, corrected = false }) =>
        [first.slice(11, 16), last.slice(11, 16), corrected] as const,
    );
  t.deepEqual(await stays(), [['18:00', '10:00', false]]);
  const [start_utc, end_utc] = ['2024-05-04T01:00:00Z', '2024-05-04T02:00:00Z'];
  const split = [
    ['18:00', '01:00', false],
    ['02:00', '10:00', false],
  ] as const;
  const said = [
    [{ kind: 'stay' }, [['18:00', '10:00', false]]],
    [{ kind: 'not_a_stay' }, split],
    [{ kind: 'stay', ...lake }, [split[0], ['01:00', '02:00', true], split[1]]],
  ] as const;
  for (const [correction, told_] of said) {
    const { id } = await correct(t, daemon, { ...correction, start_utc, end_utc });
    t.deepEqual(await stays(), told_, JSON.stringify(correction));
    await daemon.call('DELETE', `/api/corrections/${id}`);
  }
});

test('of two corrections the later one is right, and leaves the earlier one its other parts', async (t) => {
  const daemon = await withOuting(t);
  const { start_utc, end_utc } = (await told(daemon)).trips[0]!;
  await correct(t, daemon, { kind: 'mode', mode: 'train', start_utc, end_utc });
  const middle = iso(noon + 10 * minuteMs);
  const later = { kind: 'mode', mode: 'bike', start_utc: middle, end_utc };
  const made = await correct(t, daemon, later);
  t.is(modesOf(await told(daemon))[0]![2], 'train,bike');
  await daemon.call('DELETE', `/api/corrections/${made.id}`);
  t.is(modesOf(await told(daemon))[0]![2], 'train');
  const stays = staysOf(await told(daemon));
  const stay = { kind: 'stay', start_utc: iso(noon + 2 * minuteMs), end_utc: middle };
  await correct(t, daemon, stay);
  await correct(t, daemon, { ...stay, kind: 'not_a_stay' });
  t.deepEqual(staysOf(await told(daemon)).length, stays.length);
});

test('what is no correction is refused by its field, and one too many by its sentence', async (t) => {
  const daemon = await startTestDaemon(t);
  const [start_utc, end_utc] = ['2024-05-03T12:00:00Z', '2024-05-03T13:00:00Z'];
  const refused: readonly (readonly [object, string])[] = [
    [{ kind: 'move', start_utc, end_utc }, 'kind'],
    [{ kind: 'mode', start_utc, end_utc }, 'mode'],
    [{ kind: 'mode', mode: 'rocket', start_utc, end_utc }, 'mode'],
    [{ kind: 'stay', mode: 'car', start_utc, end_utc }, 'mode'],
    [{ kind: 'stay', lat: 91, lon: 0, start_utc, end_utc }, 'lat'],
    [{ kind: 'stay', lat: 9, start_utc, end_utc }, 'lon'],
    [{ kind: 'not_a_stay', lat: 9, lon: 9, start_utc, end_utc }, 'lat'],
    [{ kind: 'not_a_stay', start_utc, end_utc: start_utc }, 'end_utc'],
    [{ kind: 'not_a_stay', start_utc: 'noon', end_utc }, 'start_utc'],
    [{ kind: 'stay', start_utc, end_utc: '2044-05-18T12:00:01Z' }, 'end_utc'],
  ];
  for (const [correction, field] of refused) {
    const { status, body } = await daemon.call('POST', '/api/corrections', correction);
    t.is(status, 400);
    t.is(body.message, `The field \`${field}\` is not valid.`, JSON.stringify(correction));
  }
  t.deepEqual((await daemon.get('/api/corrections')).body.corrections, []);
  const longest = { kind: 'stay', start_utc, end_utc: '2044-05-18T12:00:00Z' };
  const { id } = await correct(t, daemon, longest);
  const unknown = await daemon.call('DELETE', '/api/corrections/77');
  t.is(unknown.body.message, 'No correction has this number.');
  await daemon.close();

  const db = new Database(daemon.paths.waypointsDatabase);
  const copy = db.prepare(
    `INSERT INTO corrections (kind, start_ms, end_ms) SELECT kind, start_ms, end_ms FROM corrections WHERE id = ${id}`,
  );
  db.transaction(() => {
    for (let count = 2; count < limits.corrections; count += 1) copy.run();
  })();
  db.close();
  const full = await daemon.restart();
  t.is((await full.call('POST', '/api/corrections', longest)).status, 201);
  const tooMany = await full.call('POST', '/api/corrections', longest);
  t.is(tooMany.status, 409);
  const sentence = 'There are 10,000 corrections already, which is the most there can be.';
  t.is(tooMany.body.message, sentence);
  // A deleted one does not come back as one too many.
  const deleted = await full.call('DELETE', `/api/corrections/${id}`);
  t.is((await full.call('POST', '/api/corrections', longest)).status, 201);
  const change = deleted.headers.get('X-Change-Id');
  const undone = await full.call('POST', `/api/changes/${change}/undo`);
  t.is(undone.status, 409);
  t.is(undone.body.message, sentence);
});
