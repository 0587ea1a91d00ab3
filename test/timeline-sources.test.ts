/** Timelines of some imports, and what they tell of a device that was not followed; by HTTP. */
import test from 'ava';
import type { TimelineRequest } from '../model/timeline-job.ts';
import { startTestDaemon, timelineJob, type TestDaemon } from './helpers/daemon.ts';
import { at, gpxTrack, minuteMs } from './helpers/fixes.ts';
import { importTree } from './helpers/imported-files.ts';

/** A day at one place, a fix in two minutes. */
const dayAt = (lat: number, lon: number, startMs: number): string =>
  gpxTrack(at({ lat, lon }, startMs, startMs + 598 * minuteMs, 2));

const timeline = (daemon: TestDaemon, request: Partial<TimelineRequest>) =>
  timelineJob(daemon, { start_date: '2024-05-01', end_date: '2024-05-01', ...request });

test('a timeline of some imports knows no others, and tells which device it did not follow', async (t) => {
  const daemon = await startTestDaemon(t);
  const startMs = Date.UTC(2024, 4, 1, 6);
  const imported = await importTree(daemon, {
    'a.gpx': dayAt(52.52, 13.405, startMs),
    'b.gpx': dayAt(45.764, 4.8357, startMs + 60_000),
  });
  t.is(imported.status, 200);
  const { files } = (await daemon.get('/api/imports')).body;
  const idOf = (path: string): number =>
    files.find((file: { path: string }) => file.path === path).id;
  const [a, b] = [idOf('a.gpx'), idOf('b.gpx')];

  const both = await timeline(daemon, {});
  t.is(both.state, 'completed');
  t.like(both.result!.summary, {
    recorded_observations: 600,
    unfollowed_observations: 300,
    outlier_observations: 300,
  });
  t.deepEqual(both.result!.summary.unfollowed_sources, [b]);
  t.deepEqual(both.result!.days[0]!.countries, ['DE']);

  for (const request of [
    { sources: [b] },
    { exclude_sources: [a] },
    { sources: [a, b], exclude_sources: [a] },
  ]) {
    const some = await timeline(daemon, request);
    t.like(some, request);
    t.like(some.result!.summary, {
      recorded_observations: 300,
      unfollowed_observations: 0,
      indexed_valid_times: 300,
    });
    t.deepEqual(some.result!.days[0]!.countries, ['FR']);
  }

  const period = { start_date: '2024-05-01', end_date: '2024-05-01' };
  const refusals: [request: object, field: string][] = [
    [{ sources: [a + b + 1] }, 'sources'],
    [{ exclude_sources: [a + b + 1] }, 'exclude_sources'],
    [{ sources: [] }, 'sources'],
    [{ sources: Array.from({ length: 1_001 }, () => a) }, 'sources'],
    [{ sources: ['a'] }, 'sources'],
    [{ time_zone: 'Mars/Olympus' }, 'time_zone'],
    [{ time_zone: '+02:00' }, 'time_zone'],
  ];
  for (const [request, field] of refusals) {
    const { status, body } = await daemon.call('POST', '/api/timelines', { ...period, ...request });
    t.is(status, 400);
    t.is(body.field.split('.')[0].split('[')[0], field);
  }
  const many = { sources: Array.from({ length: 1_000 }, () => a) };
  t.is((await timeline(daemon, many)).state, 'completed');
});
