import { setImmediate as turn } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import Database from 'better-sqlite3';
import { WorkerPool } from '../daemon/pool.ts';
import type { Geodata } from '../daemon/geodata/geodata.ts';
import type { TimelineTasks } from '../daemon/timelines/execution.ts';
import { TimelineJobs, type TimelineOverrides } from '../daemon/timelines/jobs.ts';
import type { TimelineJobRecord } from '../model/timeline-job.ts';
import { startTestDaemon, type TestDaemon } from './helpers/daemon.ts';
import { importTree } from './helpers/imported-files.ts';
import { gpx } from './helpers/imports.ts';
import { silentLog } from './helpers/logs.ts';
import { manualTime } from './helpers/manual-time.ts';
import { answerWhen, until } from './helpers/until.ts';
import { resultOf, starts } from './programs/unruly-timeline-tasks.ts';

type Doing = keyof typeof starts;
type InUse = Awaited<ReturnType<Geodata['inUse']>>;

const minutes = 60_000;

/** A pool whose worker does what the first day of a job says. */
function unrulyPool(): WorkerPool<TimelineTasks> {
  return new WorkerPool({ file: '../test/programs/unruly-timeline-tasks' });
}

async function startUnruly(t: ExecutionContext, limits: TimelineOverrides['limits'] = {}) {
  const time = manualTime();
  const timelines = { limits, schedule: time.schedule, pool: unrulyPool() };
  const daemon = await startTestDaemon(t, { clock: time.clock, options: { timelines } });
  return { daemon, time };
}

function submit(daemon: TestDaemon, doing: Doing): Promise<string> {
  return submitDay(daemon, starts[doing]);
}

async function submitDay(daemon: TestDaemon, day: string): Promise<string> {
  const period = { start_date: day, end_date: day };
  const { status, body } = await daemon.call('POST', '/api/timelines', period);
  if (status !== 202) throw new Error(`POST /api/timelines: ${status}`);
  return body.job_id;
}

function recordOf(daemon: TestDaemon, id: string) {
  return daemon.get<TimelineJobRecord>(`/api/timelines/${id}`).then(({ body }) => body);
}

async function statusOf(daemon: TestDaemon, id: string): Promise<number> {
  return (await daemon.get(`/api/timelines/${id}`)).status;
}

function when(daemon: TestDaemon, id: string, isSo: (record: TimelineJobRecord) => boolean) {
  return answerWhen(() => recordOf(daemon, id), isSo);
}

/** Not only handed over: its worker does what it does. */
function atWork(daemon: TestDaemon, id: string): Promise<TimelineJobRecord> {
  return when(daemon, id, (record) => record.processed_observations > 0);
}

function over(daemon: TestDaemon, id: string): Promise<TimelineJobRecord> {
  return when(daemon, id, ({ state }) => !['queued', 'running', 'cancelling'].includes(state));
}

async function run(daemon: TestDaemon, doing: Doing): Promise<string> {
  const id = await submit(daemon, doing);
  await over(daemon, id);
  return id;
}

test('POST /api/timelines takes 1 to 7,320 real days of any time, and says which field is wrong', async (t) => {
  const { daemon } = await startUnruly(t);
  const refused: [start: unknown, end: unknown, field: string][] = [
    [undefined, '2024-01-01', 'start_date'],
    ['2024-01-01', undefined, 'end_date'],
    ['2024-01-01', null, 'end_date'],
    [20240101, '2024-01-01', 'start_date'],
    ['2024-1-1', '2024-01-01', 'start_date'],
    ['2024-01-01T00:00:00Z', '2024-01-01', 'start_date'],
    [' 2024-01-01', '2024-01-01', 'start_date'],
    ['2024-01-01', '2024-01-01\n', 'end_date'],
    ['2024-01-01', '2024-01-32', 'end_date'],
    ['2023-02-29', '2024-01-01', 'start_date'],
    ['1900-02-29', '1900-03-01', 'start_date'],
    ['2024-01-01', '2024-13-01', 'end_date'],
    ['2024-01-00', '2024-01-01', 'start_date'],
    ['+12024-01-01', '2024-01-01', 'start_date'],
    ['2024-01-02', '2024-01-01', 'end_date'],
    ['2000-01-01', '2020-01-16', 'end_date'],
  ];
  for (const [start_date, end_date, field] of refused) {
    const body = { start_date, end_date };
    const answer = await daemon.call('POST', '/api/timelines', body);
    t.like(answer, { status: 400, body: { code: 'invalid', field } }, JSON.stringify(body));
  }
  const unknown = { start_date: '2024-01-01', end_date: '2024-01-01', min_stop_minutes: 5 };
  t.is((await daemon.call('POST', '/api/timelines', unknown)).status, 400);
  t.is((await daemon.call('POST', '/api/timelines', [])).status, 400);
  t.is((await daemon.call('PUT', '/api/timelines', {})).status, 405);

  const taken: [start: string, end: string][] = [
    ['2000-01-01', '2020-01-15'],
    ['2024-02-29', '2024-02-29'],
    ['2000-02-29', '2000-02-29'],
    ['1969-12-31', '1970-01-03'],
    ['9999-12-31', '9999-12-31'],
    ['0000-01-01', '0000-12-31'],
  ];
  for (const [start_date, end_date] of taken) {
    const { status, body } = await daemon.call('POST', '/api/timelines', { start_date, end_date });
    t.is(status, 202, start_date);
    t.regex(body.job_id, /^[0-9a-f]{32}$/);
    t.like(await over(daemon, body.job_id), { id: body.job_id, start_date, end_date });
  }
});

test('a job runs and completes; its result, however long, comes only when it is asked for', async (t) => {
  const { daemon, time } = await startUnruly(t);
  t.is(time.waiting(), 0, 'no timer before the first job');
  const id = await submit(daemon, 'empty');
  const record = await over(daemon, id);
  t.deepEqual(record, {
    id,
    state: 'completed',
    start_date: starts.empty,
    end_date: starts.empty,
    processed_observations: 3,
    total_observations: 3,
    created_at: '2024-06-01T12:00:00Z',
    started_at: '2024-06-01T12:00:00Z',
    finished_at: '2024-06-01T12:00:00Z',
  });
  const whole = await daemon.get(`/api/timelines/${id}?result=true`);
  t.deepEqual(whole.body, { ...record, result: resultOf([]) });
  t.is(whole.headers.get('content-type'), 'application/json');
  t.is(whole.headers.get('cache-control'), 'no-store');
  t.deepEqual((await daemon.get(`/api/timelines/${id}?result=false`)).body, record);
  t.is((await daemon.get(`/api/timelines/${id}?result=yes`)).body.field, 'result');
  t.true(daemon.logged.some((line) => line.includes('"state":"completed"')));
  const lines = daemon.logged.join('\n');
  t.false(lines.includes(id) || lines.includes('1970'), 'neither its id nor its days are logged');

  const long = await run(daemon, 'long');
  const { text, body } = await daemon.get(`/api/timelines/${long}?result=true`);
  t.true(text.length > 4_000_000);
  t.is(body.result.timeline.length, 10_000);
  t.like(body.result.timeline[9_999], { index: 9_999, locality: 'Ort 9999' });

  for (const unknown of ['0'.repeat(32), id.slice(1), id.toUpperCase(), 'x', '..%2F']) {
    t.is(await statusOf(daemon, unknown), 404);
    t.is((await daemon.call('DELETE', `/api/timelines/${unknown}`)).status, 404);
  }
});

test('eight jobs wait in line, a ninth is told to come back, and they run in the order they came', async (t) => {
  const { daemon } = await startUnruly(t);
  const first = await submit(daemon, 'polite');
  t.like(await atWork(daemon, first), { state: 'running', total_observations: 3 });
  const others: string[] = [];
  for (let i = 0; i < 8; i += 1)
    others.push(await submit(daemon, i % 2 === 0 ? 'empty' : 'polite'));
  t.is(new Set([first, ...others]).size, 9);
  const full = await daemon.call('POST', '/api/timelines', {
    start_date: '2024-01-01',
    end_date: '2024-01-01',
  });
  t.like(full, { status: 429, body: { code: 'busy' } });
  t.is(full.headers.get('retry-after'), '1');
  const waiting = await recordOf(daemon, others[7]!);
  t.like(waiting, { state: 'queued', processed_observations: 0 });
  t.false('started_at' in waiting || 'total_observations' in waiting);

  await daemon.call('DELETE', `/api/timelines/${first}`);
  for (const [i, id] of others.entries()) {
    if (i % 2 === 0) {
      t.is((await over(daemon, id)).state, 'completed');
      continue;
    }
    await atWork(daemon, id);
    const later = await Promise.all(others.slice(i + 1).map((other) => recordOf(daemon, other)));
    t.true(later.every(({ state }) => state === 'queued'));
    await daemon.call('DELETE', `/api/timelines/${id}`);
  }
  t.is((await over(daemon, others[7]!)).state, 'cancelled');
});

test('a queued job is cancelled at once, a running one when its worker notices, one that is over not at all', async (t) => {
  const { daemon, time } = await startUnruly(t);
  const running = await submit(daemon, 'polite');
  const queued = await submit(daemon, 'empty');
  await atWork(daemon, running);
  const cancel = (id: string) => daemon.call('DELETE', `/api/timelines/${id}`);
  t.like(await cancel(queued), { status: 202, body: { status: 'cancelling' } });
  const record = await recordOf(daemon, queued);
  t.like(record, { state: 'cancelled', finished_at: '2024-06-01T12:00:00Z' });
  t.false('started_at' in record || 'error' in record);
  t.like(await cancel(queued), {
    status: 409,
    body: { code: 'conflict', message: 'This timeline job is over.' },
  });

  t.is((await cancel(running)).status, 202);
  t.like(await over(daemon, running), { state: 'cancelled', started_at: '2024-06-01T12:00:00Z' });
  t.is((await cancel(running)).status, 409);
  t.is(time.waiting(), 2, 'no timer is left but those of retention, one each');
  const withResult = await daemon.get(`/api/timelines/${running}?result=true`);
  t.is(withResult.status, 200);
  t.false('result' in withResult.body);
  const completed = await run(daemon, 'empty');
  t.is((await cancel(completed)).status, 409);
  t.is((await recordOf(daemon, completed)).state, 'completed');
});

test('a worker that does not react is replaced: its cancelled job ends, and the next one runs', async (t) => {
  const { daemon, time } = await startUnruly(t);
  const stuck = await submit(daemon, 'stuck');
  const next = await submit(daemon, 'empty');
  await atWork(daemon, stuck);
  for (let i = 0; i < 2; i += 1) {
    t.is((await daemon.call('DELETE', `/api/timelines/${stuck}`)).status, 202);
    t.is((await recordOf(daemon, stuck)).state, 'cancelling');
  }
  time.advance(499);
  t.is((await recordOf(daemon, stuck)).state, 'cancelling');
  time.advance(1);
  t.like(await recordOf(daemon, stuck), {
    state: 'cancelled',
    finished_at: '2024-06-01T12:00:00.500Z',
  });
  t.is((await over(daemon, next)).state, 'completed');
});

test('ten minutes of execution are the limit; waiting does not count', async (t) => {
  const { daemon, time } = await startUnruly(t);
  const stuck = await submit(daemon, 'stuck');
  const polite = await submit(daemon, 'polite');
  await atWork(daemon, stuck);
  time.advance(10 * minutes - 1);
  t.is((await recordOf(daemon, stuck)).state, 'running');
  time.advance(1);
  t.is((await recordOf(daemon, stuck)).state, 'running', 'its worker has a moment to stop');
  time.advance(500);
  t.like(await over(daemon, stuck), {
    state: 'failed',
    error: 'The timeline took longer than ten minutes.',
  });

  await atWork(daemon, polite);
  time.advance(10 * minutes - 1);
  t.is((await recordOf(daemon, polite)).state, 'running');
  time.advance(1);
  const late = await over(daemon, polite);
  t.like(late, { state: 'failed', error: 'The timeline took longer than ten minutes.' });
  t.is(Date.parse(late.finished_at!) - Date.parse(late.started_at!), 10 * minutes);

  const both = await submit(daemon, 'stuck');
  await atWork(daemon, both);
  time.advance(10 * minutes);
  t.is((await daemon.call('DELETE', `/api/timelines/${both}`)).status, 202);
  t.is((await recordOf(daemon, both)).state, 'cancelling');
  time.advance(500);
  const record = await over(daemon, both);
  t.is(record.state, 'cancelled', 'what was answered holds');
  t.false('error' in record);
});

test('a worker that fails or dies fails its job with a fixed sentence, and the next one runs', async (t) => {
  const { daemon } = await startUnruly(t);
  for (const doing of ['throws', 'crash', 'quits'] as const) {
    const failing = await submit(daemon, doing);
    const next = await submit(daemon, 'empty');
    t.like(await over(daemon, failing), {
      state: 'failed',
      error: 'The timeline could not be generated.',
    });
    t.is((await over(daemon, next)).state, 'completed');
  }
  t.is(daemon.logged.filter((line) => line.startsWith('timeline.failed')).length, 3);
});

test('a job is known for 15 minutes after its end, by a clock that nobody sets', async (t) => {
  const { daemon, time } = await startUnruly(t);
  const first = await run(daemon, 'empty');
  time.advance(minutes);
  const second = await run(daemon, 'throws');
  time.advance(14 * minutes - 1);
  t.is(await statusOf(daemon, first), 200);
  time.advance(1);
  t.is(await statusOf(daemon, first), 404);
  t.is((await daemon.get(`/api/timelines/${first}?result=true`)).status, 404);
  t.is((await daemon.call('DELETE', `/api/timelines/${first}`)).status, 404);
  t.is(await statusOf(daemon, second), 200);
  t.is(time.waiting(), 1, 'nobody needs to ask for the second one to be forgotten');
  time.advance(minutes);
  t.is(await statusOf(daemon, second), 404);
  t.is(time.waiting(), 0, 'no timer when nothing is kept');
});

test('sixteen jobs are known; a 17th takes the place of one that has ended', async (t) => {
  const { daemon, time } = await startUnruly(t);
  const ids: string[] = [];
  for (let i = 0; i < 14; i += 1) {
    ids.push(await run(daemon, 'throws'));
    time.advance(1);
  }
  const running = await submit(daemon, 'polite');
  await atWork(daemon, running);
  ids.push(running, await submit(daemon, 'empty'));
  const statuses = () => Promise.all(ids.map((id) => statusOf(daemon, id)));
  t.deepEqual(new Set(await statuses()), new Set([200]));
  for (const dropped of [1, 2]) {
    ids.push(await submit(daemon, 'empty'));
    t.deepEqual(
      await statuses(),
      ids.map((_, i) => (i < dropped ? 404 : 200)),
    );
  }
});

test('the job that ended first goes first, and none goes that has not ended', async (t) => {
  const { daemon, time } = await startUnruly(t, { tracked: 3 });
  const running = await submit(daemon, 'polite');
  await atWork(daemon, running);
  const [second, third] = [await submit(daemon, 'empty'), await submit(daemon, 'empty')];
  const body = { start_date: starts.empty, end_date: starts.empty };
  t.is((await daemon.call('POST', '/api/timelines', body)).status, 429);
  for (const id of [third, second]) {
    await daemon.call('DELETE', `/api/timelines/${id}`);
    time.advance(1);
  }
  await submit(daemon, 'empty');
  const ids = [running, second, third];
  t.deepEqual(await Promise.all(ids.map((id) => statusOf(daemon, id))), [200, 200, 404]);
});

test('results are kept up to a size in all, the newest longest', async (t) => {
  const size = gzipSync(JSON.stringify(resultOf([]))).length;
  const { daemon, time } = await startUnruly(t, { resultBytes: 2 * size });
  const ids: string[] = [];
  for (const doing of ['empty', 'empty', 'throws', 'empty'] as const) {
    ids.push(await run(daemon, doing));
    time.advance(1);
  }
  t.deepEqual(await Promise.all(ids.map((id) => statusOf(daemon, id))), [404, 200, 200, 200]);
  const large = await run(daemon, 'long');
  t.like(await recordOf(daemon, large), {
    state: 'failed',
    error: 'The timeline could not be generated.',
  });
  t.is(await statusOf(daemon, ids[3]!), 200, 'nothing was dropped for it');
});

test('closing the daemon cancels what waits and what runs, a stuck worker included', async (t) => {
  for (const doing of ['polite', 'stuck'] as const) {
    const daemon = await startTestDaemon(t, {
      options: { timelines: { pool: unrulyPool(), limits: { graceMs: 10 } } },
    });
    await atWork(daemon, await submit(daemon, doing));
    await submit(daemon, 'empty');
    await daemon.close();
    const ended = daemon.logged.filter((line) => line.startsWith('timeline.ended'));
    t.is(ended.length, 2);
    t.true(ended.every((line) => line.includes('"state":"cancelled"')));
    t.true(daemon.logged.at(-1)?.startsWith('daemon.stopped {'));
  }
});

/** The queue without a daemon around it, so that a test decides when its surroundings are ready. */
function directJobs(t: ExecutionContext) {
  const time = manualTime();
  const libraryReady = Promise.withResolvers<void>();
  /** One for each time that somebody asked for geodata. */
  const generations: PromiseWithResolvers<InUse>[] = [];
  const jobs = new TimelineJobs(
    {
      libraryPath: '',
      isActive: () => false,
      corrections: () => [],
      clock: time.clock,
      log: silentLog,
      libraryReady: () => libraryReady.promise,
      geodata() {
        const generation = Promise.withResolvers<InUse>();
        generations.push(generation);
        return generation.promise;
      },
    },
    { schedule: time.schedule, pool: unrulyPool() },
  );
  t.teardown(() => jobs.close());
  return { ...time, jobs, libraryReady, generations };
}

const emptyRequest = { start_date: starts.empty, end_date: starts.empty };
const dataset = { dataset_version: '1', source_version: '1', attribution: '', license: '' };

test('jobs wait while a lost library is read again, and can be cancelled meanwhile', async (t) => {
  const { jobs, libraryReady, generations } = directJobs(t);
  const [first, second] = [jobs.submit(emptyRequest), jobs.submit(emptyRequest)];
  await turn();
  t.is(jobs.find(first).state, 'queued');
  jobs.cancel(first);
  t.is(jobs.find(first).state, 'cancelled');
  t.is(generations.length, 0, 'the generation is that of the start');
  libraryReady.resolve();
  await until(() => generations.length > 0);
  t.is(jobs.find(second).state, 'running');
  generations[0]?.resolve(null);
  await until(() => jobs.find(second).state === 'completed');
  await jobs.close();
  t.throws(() => jobs.submit(emptyRequest), { message: /shutting down/ });
});

test('a job whose geodata comes too late or not at all ends, and the next one runs', async (t) => {
  const { jobs, libraryReady, generations, advance } = directJobs(t);
  libraryReady.resolve();
  const give = (at: number): void => generations[at]?.resolve({ path: '', dataset });
  const ids = [0, 1, 2].map(() => jobs.submit(emptyRequest));
  await until(() => generations.length === 1);
  jobs.cancel(ids[0]!);
  t.is(jobs.find(ids[0]!).state, 'cancelling');
  advance(500);
  await until(() => jobs.find(ids[0]!).state === 'cancelled');
  give(0);

  await until(() => generations.length === 2);
  generations[1]?.reject(new Error('broken'));
  await until(() => jobs.find(ids[1]!).state === 'failed');
  await until(() => generations.length === 3);
  give(2);
  await until(() => jobs.find(ids[2]!).state === 'completed');
});

test('a job does not wait for what an import is writing, and sees the files that are done', async (t) => {
  const daemon = await startTestDaemon(t);
  const day = '2024-05-01';
  const files = ['10:00', '16:00'].map((time, i) =>
    gpx([['Hut', 46.5 + i, 8.2, `${day}T${time}:00Z`]]),
  );
  await importTree(daemon, { 'a.gpx': files[0]!, 'b.gpx': files[1]! });
  // As the import worker does in the middle of a file.
  const writer = new Database(daemon.paths.libraryDatabase);
  writer.exec('BEGIN IMMEDIATE; DELETE FROM days;');
  const id = await submitDay(daemon, day);
  t.is((await over(daemon, id)).state, 'completed');
  writer.exec('ROLLBACK');
  writer.close();
  const { body } = await daemon.get<TimelineJobRecord>(`/api/timelines/${id}?result=true`);
  t.is(body.result?.summary.recorded_observations, 2);
  t.like(body.result?.timeline, [
    { kind: 'mark', country_id: 'CH', latitude: 46.5 },
    { kind: 'mark', country_id: 'CH', latitude: 47.5 },
  ]);
});
