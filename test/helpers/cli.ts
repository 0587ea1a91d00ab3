import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { json, text } from 'node:stream/consumers';
import type { ExecutionContext } from 'ava';
import { programVersion } from '../../daemon/version-info.ts';
import { temporaryDirectory } from './temporary-directory.ts';
import { answering } from './local-server.ts';

export const launcher = resolve(import.meta.dirname, '..', '..', 'bin', 'waypointd.js');

export interface CliResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliOptions {
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** As a process of its own, for what is about processes; else in this one, a tenth of the time. */
  readonly isProcess?: boolean;
}

/** More commands at once than a small machine has cores only make each test slower. */
const maxRunning = 2;
let running = 0;
const waiting: (() => void)[] = [];

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running === maxRunning) await new Promise<void>((begin) => waiting.push(begin));
  else running += 1;
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  }
}

/** Makes a command line of its own, whose home and every directory lie below one root that goes with the test. */
export function testCli(t: ExecutionContext<unknown>, root = temporaryDirectory(t)) {
  const home = join(root, 'home');
  mkdirSync(home, { recursive: true });
  const env: Readonly<Record<string, string>> = {
    PATH: ownPath,
    HOME: home,
    USERPROFILE: home,
    APPDATA: join(home, 'roaming'),
    LOCALAPPDATA: join(home, 'local'),
    XDG_CONFIG_HOME: join(root, 'config'),
    WAYPOINTD_DATA_DIR: join(root, 'data'),
    WAYPOINTD_CACHE_DIR: join(root, 'cache'),
    WAYPOINTD_RUNTIME_DIR: join(root, 'run'),
  };
  /** Starts without waiting; killed with the test. */
  const start = (words: readonly string[], options: CliOptions = {}): ChildProcess => {
    const child = spawn(process.execPath, [launcher, ...words], {
      env: { ...env, ...options.env },
      cwd: options.cwd ?? root,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    t.teardown(() => child.kill('SIGKILL'));
    return child;
  };
  const run = (words: readonly string[], options: CliOptions = {}): Promise<CliResult> => {
    const { input = '', cwd = root, env: changes, isProcess = isAlwaysProcess(words) } = options;
    if (!isProcess) return runHere(words, { input, cwd, env: { ...env, ...changes } });
    return inTurn(() => {
      const child = start(words, options);
      child.stdin?.on('error', () => undefined);
      child.stdin?.end(input);
      return finish(child);
    });
  };
  /** Runs and expects exit code 0; gives standard output. */
  const out = async (words: readonly string[], options?: CliOptions): Promise<string> => {
    const result = await run(words, options);
    t.is(result.code, 0, `${words.join(' ')}: ${result.stderr}`);
    return result.stdout;
  };
  /** As `out`, with --json. @returns what was printed, read: a test knows what it expects. */
  const json = async (words: readonly string[], options?: CliOptions) =>
    JSON.parse(await out([...words, '--json'], options));
  return { root, env, run, out, json, start };
}

export type TestCli = ReturnType<typeof testCli>;

/** These run until a signal ends them. */
function isAlwaysProcess(words: readonly string[]): boolean {
  return words.includes('serve');
}

/** What of our own environment a command run here needs: threads find their modules by it, tests their directory. */
const kept = ['TMPDIR', 'TEMP', 'TMP', 'SystemRoot', 'NODE_COMPILE_CACHE'];
const ownPath = process.env['PATH'] ?? '';
let last: Promise<unknown> = Promise.resolve();

/** Runs a command in this process, one at a time. */
function runHere(words: readonly string[], options: Required<Surroundings>): Promise<CliResult> {
  const run = last.then(() => withSurroundings(words, options));
  last = run.catch(() => undefined);
  return run;
}

type Surroundings = Pick<CliOptions, 'input' | 'cwd' | 'env'>;

async function withSurroundings(
  words: readonly string[],
  { input, cwd, env }: Required<Surroundings>,
): Promise<CliResult> {
  const [{ allCommands }, { runProgram }] = await Promise.all([
    import('../../cli/commands/all.ts'),
    import('../../cli/program/program.ts'),
  ]);
  const printed = { stdout: '', stderr: '' };
  const restored = [
    replaceEnvironment(env),
    replace(process, 'cwd', () => cwd),
    replace(process, 'stdin', Readable.from(input === '' ? [] : [Buffer.from(input)])),
    ...(['stdout', 'stderr'] as const).map((name) => {
      process[name].setMaxListeners(0);
      return replace(process[name], 'write', (piece: string | Uint8Array, ...rest: unknown[]) => {
        printed[name] += typeof piece === 'string' ? piece : Buffer.from(piece).toString();
        const then = rest.at(-1);
        if (typeof then === 'function') then();
        return true;
      });
    }),
  ];
  try {
    const code = await runProgram(allCommands, words);
    return { code: Number(code), ...printed };
  } finally {
    process.exitCode = undefined;
    for (const restore of restored) restore();
  }
}

/** Gives an object another property. @returns what gives it its own again. */
function replace(object: object, name: string, value: unknown): () => void {
  const own = Object.getOwnPropertyDescriptor(object, name);
  Object.defineProperty(object, name, { value, configurable: true, writable: true });
  return () => {
    if (own === undefined) Reflect.deleteProperty(object, name);
    else Object.defineProperty(object, name, own);
  };
}

/** Changed, not replaced: the system reads the environment, too. */
function replaceEnvironment(env: Readonly<Record<string, string>>): () => void {
  const own = { ...process.env };
  const keep = Object.fromEntries(kept.map((name) => [name, own[name]]));
  setEnvironment({ ...keep, ...env });
  return () => setEnvironment(own);
}

function setEnvironment(env: Readonly<Record<string, string | undefined>>): void {
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  for (const [name, value] of Object.entries(env))
    if (value !== undefined) process.env[name] = value;
}

/** Waits for a started command and collects what it prints. */
export async function finish(child: ChildProcess): Promise<CliResult> {
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) throw new Error('a command without output');
  const [out, err, code] = await Promise.all([
    text(stdout),
    text(stderr),
    new Promise<number | null>((done) => {
      child.on('close', done);
    }),
  ]);
  return { code, stdout: out, stderr: err };
}

/** What streams have printed since somebody first waited for it: two lines may come in one piece. */
const printedBy = new WeakMap<NodeJS.ReadableStream, string>();

/** Resolves when a stream of a command has printed something that matches, perhaps before. */
export async function untilPrinted(
  stream: NodeJS.ReadableStream | null,
  pattern: RegExp,
): Promise<RegExpExecArray> {
  if (stream === null) throw new Error('a command without output');
  const printed = (): string => printedBy.get(stream) ?? '';
  if (!printedBy.has(stream)) {
    printedBy.set(stream, '');
    stream.on('data', (piece: Buffer) => {
      printedBy.set(stream, printed() + piece.toString('utf8'));
    });
  }
  return new Promise((done, fail) => {
    const look = (): void => {
      const match = pattern.exec(printed());
      if (match !== null) done(match);
    };
    look();
    stream.on('data', look);
    stream.on('end', () => fail(new Error(`ended without ${String(pattern)}: ${printed()}`)));
  });
}

export interface FakeRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: unknown;
  readonly authorization: string | undefined;
}

type FakeAnswer = (request: FakeRequest, response: ServerResponse) => unknown;

/** A token as long as a real one. */
export const fakeToken = 'fake-token-fake-token-fake-token-fake-token';

/**
 * A server that answers like a daemon where a test says so, found through the hand-over file of the command line. Routes
 * are `METHOD /path`; what they return is sent as JSON, unless they have answered themselves.
 */
export async function startFakeDaemon(
  t: ExecutionContext<unknown>,
  { root }: { readonly root: string },
  routes: Readonly<Record<string, FakeAnswer>>,
  { version = programVersion(), handOver = {} as Readonly<Record<string, unknown>> } = {},
) {
  const requests: FakeRequest[] = [];
  const all: Readonly<Record<string, FakeAnswer>> = {
    'GET /api/version': () => fakeVersion(version),
    'GET /api/status': () => quietStatus,
    'GET /api/geodata': () => noGeodata,
    'GET /api/waypoints': () => [],
    ...routes,
  };
  const port = await answering(t, (incoming, response) => void answer(incoming, response));
  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(incoming.url ?? '/', 'http://127.0.0.1');
    const request = {
      method: incoming.method ?? '',
      path: url.pathname,
      query: url.searchParams,
      body: incoming.headers['content-length'] === undefined ? undefined : await json(incoming),
      authorization: incoming.headers.authorization,
    };
    requests.push(request);
    const route = all[`${request.method} ${request.path}`];
    const result =
      request.authorization === `Bearer ${fakeToken}`
        ? await (route ?? notFound)(request, response)
        : fail(response, 401, 'unauthorized', 'A valid bearer token is required.');
    if (!response.headersSent) response.end(JSON.stringify(result));
  }
  const directory = join(root, 'run');
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const content = { ...fakeHandOver(port), ...handOver };
  writeFileSync(join(directory, 'daemon.json'), JSON.stringify(content), { mode: 0o600 });
  return { port, token: fakeToken, requests };
}

const quietStatus = {
  uptime_seconds: 0,
  library: { state: 'ready', files_done: 0, files_total: 0 },
  bookmarks: 0,
  timelines: { queued: 0, running: 0 },
};

const noGeneration = {
  generation_id: '',
  dataset_version: '',
  source_version: '',
  attribution: '',
  license: '',
  installed: false,
  valid: false,
  bytes: 0,
  verified_at: null,
  degraded: false,
  builtin: false,
};
const noProgress = { artifact_index: 0, artifact_count: 0, bytes: 0, total_bytes: 0 };
const noGeodata = {
  available: [],
  current: noGeneration,
  previous: noGeneration,
  install: { state: 'idle', progress: noProgress },
};

/** What `GET /api/import` answers where nothing has been imported. */
export const idleImport = {
  state: 'idle',
  files_total: 0,
  files_done: 0,
  bytes_total: 0,
  bytes_done: 0,
  waypoints: 0,
  observations: 0,
  last: null,
};

/** The content of a hand-over file for a server on this port. */
export function fakeHandOver(port: number) {
  return {
    version: 1 as const,
    pid: process.pid,
    port,
    url: `http://127.0.0.1:${port}`,
    token: fakeToken,
    started: '2024-06-01T12:00:00.000Z',
    program: 'waypointd 0.0.0',
    instance: 'fake',
  };
}

function fakeVersion(version: string) {
  return {
    api: 1,
    features: [],
    runtime: { name: 'node', version: '24.0.0' },
    platform: { os: 'linux', arch: 'x64', release: '6' },
    module: { name: 'waypointd', version },
    sqlite: '3.50.0',
  };
}

/** Answers with an error as the API does. */
export function fail(
  response: ServerResponse,
  status: number,
  code: string,
  message: string,
  field?: string,
): void {
  response.statusCode = status;
  response.end(JSON.stringify({ message, code, request_id: 'r1', field }));
}

function notFound(_: FakeRequest, response: ServerResponse): void {
  fail(response, 404, 'not_found', 'There is nothing here by that name.');
}
