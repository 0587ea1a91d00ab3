import { rmSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { startDaemon, type Daemon, type DaemonOptions } from '../../daemon/daemon.ts';
import { computePaths, type Paths } from '../../daemon/paths.ts';
import type { Clock } from '../../model/process.ts';
import { settingDefaults, type Settings } from '../../model/settings.ts';
import type { TimelineJobRecord, TimelineRequest } from '../../model/timeline-job.ts';
import { recordingLog } from './logs.ts';
import { validateAnswer } from './openapi.ts';
import { temporaryDirectory } from './temporary-directory.ts';
import { answerWhen } from './until.ts';

/** One answer, read whole; JSON bodies are parsed and checked against the OpenAPI document. */
export interface TestAnswer<Body = unknown> {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Body;
}

export interface TestDaemon {
  readonly url: string;
  readonly token: string;
  readonly paths: Paths;
  /** The temporary directory that holds everything of this daemon. */
  readonly root: string;
  /** What was logged, one entry a line. */
  readonly logged: string[];
  /**
   * Calls the API with the token; `body` is sent as JSON. Answers are `any`: they have been checked against their schema
   * by then, and a test reads what it expects.
   */
  call<Body = any>(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<TestAnswer<Body>>;
  get<Body = any>(path: string, headers?: Record<string, string>): Promise<TestAnswer<Body>>;
  close(): Promise<void>;
  /** Stops it in order and starts another one on the same directories. */
  restart(): Promise<TestDaemon>;
  /** As `restart`, with its library lost meanwhile. */
  restartWithoutLibrary(): Promise<TestDaemon>;
}

export interface TestDaemonOptions {
  readonly root?: string;
  readonly clock?: Clock;
  readonly settings?: Partial<Settings>;
  readonly options?: Partial<DaemonOptions>;
}

/** Settings whose every directory lies below one root. */
function testSettings(root: string, changes: Partial<Settings> = {}): Settings {
  return {
    ...settingDefaults,
    port: 0,
    data_dir: join(root, 'data'),
    cache_dir: join(root, 'cache'),
    runtime_dir: join(root, 'run'),
    // A test must not ask this machine's own receiver or desktop.
    location_provider: 'off',
    // Tests of local waypoints find no towns between them, whether or not geodata has been built.
    geocoder: 'off',
    ...changes,
  } as Settings;
}

/** With dozens of daemons at once in one thread, each would wait longer than clients do. */
const maxTests = 2;
let running = 0;
const waiting: (() => void)[] = [];
const admitted = new WeakSet<ExecutionContext<unknown>>();

/** Waits until a test may have daemons, then and as many as it likes. */
async function admit(t: ExecutionContext<unknown>): Promise<void> {
  if (admitted.has(t)) return;
  admitted.add(t);
  if (running === maxTests) await new Promise<void>((begin) => waiting.push(begin));
  else running += 1;
  // Torn down after all that comes later: when the daemons are closed.
  t.teardown(() => {
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  });
}

/** A thread starts from the sources in 0.4 s of CPU time: many seconds at a load of 20. */
const bookmarksFileMs = 30_000;

/** Starts a whole daemon on directories of its own and port 0; it is closed with the test. */
export async function startTestDaemon(
  t: ExecutionContext<unknown>,
  { root = temporaryDirectory(t), clock, settings = {}, options = {} }: TestDaemonOptions = {},
): Promise<TestDaemon> {
  await admit(t);
  const logged: string[] = [];
  const whole = testSettings(root, settings);
  const paths = computePaths(whole, { configFile: join(root, 'config.json'), env: {} });
  const daemon: Daemon = await startDaemon({
    settings: whole,
    paths,
    log: recordingLog(logged),
    handOver: false,
    ...(clock === undefined ? {} : { clock }),
    ...options,
  });
  // Tests read the bookmarks file after a stop, however busy the machine is.
  const close = (): Promise<void> => daemon.close(bookmarksFileMs);
  t.teardown(close);
  const restart = async (...lost: string[]): Promise<TestDaemon> => {
    await close();
    for (const path of lost) rmSync(path, { force: true });
    return startTestDaemon(t, { root, settings, options, ...(clock && { clock }) });
  };
  const call = apiCaller(daemon.url, daemon.token);
  return {
    url: daemon.url,
    token: daemon.token,
    paths,
    root,
    logged,
    call,
    get: (path, headers) => call('GET', path, undefined, headers),
    close,
    restart: () => restart(),
    restartWithoutLibrary: () =>
      restart(...['', '-wal', '-shm'].map((end) => paths.libraryDatabase + end)),
  };
}

/** The same for every daemon of this program, and making it takes longer than starting one: asked for once. */
let document: Promise<unknown> | undefined;

/** Calls an API and checks every answer against the OpenAPI document that the first daemon here has served. */
function apiCaller(url: string, token: string): TestDaemon['call'] {
  return async (method, path, body, headers = {}) => {
    const authorization = { authorization: `Bearer ${token}` };
    const ask = (): Promise<unknown> => served(`${url}/api/openapi.json`, authorization);
    // Another test may have asked a daemon that it was closing.
    document = document?.catch(ask) ?? ask();
    const described = await document;
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...authorization,
        // A daemon that stops would give a kept connection a moment, and fetch may use one that is just being ended.
        connection: 'close',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = /\bjson\b/u.test(response.headers.get('content-type') ?? 'json');
    const answer = text === '' ? undefined : isJson ? JSON.parse(text) : text;
    if (isJson) validateAnswer(described, method, path, response.status, answer);
    return { status: response.status, headers: response.headers, text, body: answer };
  };
}

async function served(url: string, authorization: Record<string, string>): Promise<unknown> {
  const response = await fetch(url, { headers: { ...authorization, connection: 'close' } });
  return response.json();
}

/** Has a daemon make a timeline. @returns the job once it is over. */
export async function timelineJob(daemon: TestDaemon, request: TimelineRequest) {
  const { body } = await daemon.call('POST', '/api/timelines', request);
  const path = `/api/timelines/${body.job_id}?result=true`;
  const job = await answerWhen(
    () => daemon.get<TimelineJobRecord>(path),
    (answer) => answer.body.finished_at !== undefined,
  );
  return job.body;
}

/** As `timelineJob`, of a job that completes. */
export async function tellTimeline(daemon: TestDaemon, request: TimelineRequest) {
  return (await timelineJob(daemon, request)).result!;
}

/** Asks for an answer and reads nothing of its body. */
export function openAnswer({ url, token }: TestDaemon, path: string): Promise<IncomingMessage> {
  const headers = { authorization: `Bearer ${token}` };
  return new Promise((resolve, reject) => {
    get(`${url}${path}`, { headers, agent: false }, resolve).on('error', reject);
  });
}
