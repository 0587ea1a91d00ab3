import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { launcher } from '../helpers/cli.ts';

/** An answer, read whole. */
export interface Answer {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly text: string;
}

/** A daemon that runs, with the object server beside it. */
export interface Running {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly url: string;
  readonly token: string;
  readonly objectsUrl: string;
  /** What it has logged until now. */
  readonly log: () => string;
  /** Sends JSON, gets any answer. */
  readonly ask: (method: string, path: string, body?: object) => Promise<Answer>;
  /** As `ask`; throws unless the answer is a success. */
  readonly done: (method: string, path: string, body?: object) => Promise<string>;
  /** Ends it with a signal and waits for that. */
  readonly end: (signal?: NodeJS.Signals) => Promise<number | null>;
}

/** How a start ended that was refused, or that was killed. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stderr: string;
}

/** The user of the object server, who may write in `repository`. */
const login = { name: 'ann', password: 'a long password' };
const repository = 'club/maps';

/** What every part of the tests of faults is given. */
export interface FaultOptions {
  /** A directory of the caller's, which is empty. */
  readonly directory: string;
  readonly onFault: (fault: string) => void;
}

/** As that, where somebody is killed. */
export interface KillOptions extends FaultOptions {
  /** Every how many calls one is killed: 1 for each. */
  readonly stride: number;
}

/** Everything of one installation below one directory. */
export interface Site {
  readonly root: string;
  readonly data: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Makes a directory for the whole run, which is removed at its end. */
export function scratchDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'waypointd-faults-'));
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** Names the directories of an installation; makes its home only. */
export function siteIn(root: string, env: Readonly<Record<string, string>> = {}): Site {
  const home = join(root, 'home');
  mkdirSync(home, { recursive: true });
  const data = join(root, 'data');
  return {
    root,
    data,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: home,
      XDG_CONFIG_HOME: join(root, 'config'),
      WAYPOINTD_DATA_DIR: data,
      WAYPOINTD_CACHE_DIR: join(root, 'cache'),
      WAYPOINTD_RUNTIME_DIR: join(root, 'run'),
      WAYPOINTD_PORT: '0',
      WAYPOINTD_OBJECTS: 'true',
      WAYPOINTD_OBJECTS_ROOT: join(root, 'store'),
      WAYPOINTD_OBJECTS_LISTEN: '127.0.0.1:0',
      WAYPOINTD_LOCATION_PROVIDER: 'off',
      ...env,
    },
  };
}

/** Runs a command to its end. @throws Error unless it ends with 0 */
export async function command(site: Site, words: readonly string[], input = ''): Promise<string> {
  const { code, stdout, stderr } = await tryCommand(site, words, input);
  if (code !== 0) throw new Error(`waypointd ${words.join(' ')} ended with ${code}: ${stderr}`);
  return stdout;
}

/** Runs a command to its end, whatever that is. */
export async function tryCommand(
  { root, env }: Site,
  words: readonly string[],
  input = '',
  wrapper: readonly string[] = [],
): Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }> {
  const [program = '', ...rest] = [...wrapper, process.execPath, launcher, ...words];
  const child = spawn(program, rest, { env, cwd: root });
  child.stdin.end(input);
  const [stdout, stderr] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    child.exitCode === null ? once(child, 'close') : undefined,
  ]);
  return { code: child.exitCode, stdout, stderr };
}

/** Makes the object store with its one repository and user. */
export async function makeObjectStore(site: Site): Promise<void> {
  await command(site, ['objects', 'repo', 'add', repository]);
  const words = ['objects', 'user', 'add', login.name, '--password-stdin'];
  await command(site, words, `${login.password}\n`);
  await command(site, ['objects', 'grant', login.name, repository, 'write']);
}

/**
 * Starts the daemon, perhaps below another program, and waits until it is ready or has ended.
 * @param wrapper a program and its words, which runs the command behind them in its own process: `strace -D …`.
 */
export async function tryStart(
  { root, env }: Site,
  wrapper: readonly string[] = [],
): Promise<Running | Ended> {
  const finder = process.platform === 'win32' ? [] : ['/usr/bin/env'];
  const [program, ...words] = [...finder, ...wrapper, process.execPath, launcher, 'serve'];
  const child = spawn(program, words, {
    env,
    cwd: root,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let log = '';
  const ready = new Promise<boolean>((resolve) => {
    child.stderr.on('data', (piece: Buffer) => {
      log += piece.toString();
      if (log.includes('daemon.ready')) resolve(true);
    });
    child.once('close', () => resolve(false));
  });
  if (!(await ready)) return { code: child.exitCode, signal: child.signalCode, stderr: log };
  const { pid, url, token, ask } = daemonBelow(root);
  const objectsPort = /"port":(\d+),"event":"objects\.ready"/u.exec(log)?.[1];
  return {
    child,
    pid,
    url,
    token,
    objectsUrl: `http://127.0.0.1:${objectsPort}`,
    log: () => log,
    ask,
    done: async (method, path, body) => {
      const answer = await ask(method, path, body);
      const { status } = answer;
      if (status < 300) return answer.text;
      throw new Error(`${method} ${path.replace(/\?.*/u, '')}: ${status} ${answer.text}`);
    },
    end: async (signal = 'SIGTERM') => {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
      const ended = once(child, 'close');
      process.kill(pid, signal);
      await ended;
      return child.exitCode;
    },
  };
}

/** As {@link tryStart}. @throws Error when the start is refused */
export async function start(site: Site, wrapper: readonly string[] = []): Promise<Running> {
  const started = await tryStart(site, wrapper);
  if ('ask' in started) return started;
  throw new Error(`the start ended with ${started.code ?? started.signal}: ${started.stderr}`);
}

/** The daemon that runs below a root, as its hand-over file says. */
export function daemonBelow(root: string): Pick<Running, 'pid' | 'url' | 'token' | 'ask'> {
  const { pid, url, token } = JSON.parse(readFileSync(join(root, 'run', 'daemon.json'), 'utf8'));
  const ask: Running['ask'] = async (method, path, body) => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const { status, headers } = answer;
    return { status, retryAfter: headers.get('retry-after'), text: await answer.text() };
  };
  return { pid, url, token, ask };
}

/** The user's header. */
export const basic = `Basic ${btoa(`${login.name}:${login.password}`)}`;

/** Sends the bytes of an object in one request. */
export async function upload({ objectsUrl }: Running, oid: string, content: Uint8Array) {
  const answer = await fetch(`${objectsUrl}/${repository}/objects/${oid}/content`, {
    method: 'PUT',
    headers: { authorization: basic },
    body: Buffer.from(content),
  });
  await answer.arrayBuffer();
  return answer.status;
}

/** The bytes of an object; undefined where there is none. */
export async function download({ objectsUrl }: Running, oid: string): Promise<Buffer | undefined> {
  const answer = await fetch(`${objectsUrl}/${repository}/objects/${oid}/content`, {
    headers: { authorization: basic },
  });
  const bytes = Buffer.from(await answer.arrayBuffer());
  if (answer.status === 404) return undefined;
  if (answer.status !== 200) throw new Error(`an object: ${answer.status}`);
  return bytes;
}
