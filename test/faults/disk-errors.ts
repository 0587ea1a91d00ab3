/**
 * A disk that fails below a running or starting daemon: strace lets calls fail, on one file each. The answer says what it
 * is, nothing that was acknowledged goes, the daemon goes on, and all is well when the disk is.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { untilPrinted } from '../helpers/cli.ts';
import { contentOf, objectOf, oidOf } from './script.ts';
import {
  download,
  makeObjectStore,
  siteIn,
  start,
  tryStart,
  upload,
  type FaultOptions,
  type Running,
  type Site,
} from './site.ts';
import { temporaryPath } from '../../worker/import/copy-path.ts';

const copied = `data/imports/${temporaryPath('a.gpx')}`;

const full = ['ENOSPC', 'EDQUOT'];
const broken = ['EIO', 'EROFS'];
const exhausted = ['EMFILE', 'ENFILE'];
const anyWrite = 'write,pwrite64,writev';
const anySync = 'fsync,fdatasync';
const anyName = 'rename,renameat,renameat2,link,linkat';

interface Fault {
  readonly calls: string;
  readonly errors: readonly string[];
  /** Below the root of the installation; every file where it is not given. */
  readonly path?: string;
}

/** A change that a fault is met by, numbered, with its status. */
type Ask = (number: number) => Promise<number>;

interface Case extends Fault {
  readonly ask: keyof Asks;
  /** The request itself does not need what fails. */
  readonly isBeside?: boolean;
}

type Asks = Readonly<Record<'bookmark' | 'import' | 'object' | 'list' | 'timeline', Ask>>;

const log = 'daemon.log';

/** Every class of path, by what is asked for while it fails. */
const cases: readonly Case[] = [
  {
    ask: 'bookmark',
    calls: 'pwrite64',
    errors: [...broken, ...full],
    path: 'data/waypoints.sqlite-wal',
  },
  {
    ask: 'bookmark',
    calls: anySync,
    errors: [...broken, ...full],
    path: 'data/waypoints.sqlite-wal',
  },
  { ask: 'bookmark', calls: 'openat', errors: exhausted, isBeside: true },
  { ask: 'bookmark', calls: anyName, errors: [...broken, ...full], isBeside: true },
  { ask: 'bookmark', calls: anyWrite, errors: [...broken, ...full], path: log, isBeside: true },
  { ask: 'list', calls: 'openat', errors: exhausted, isBeside: true },
  { ask: 'list', calls: 'pread64', errors: ['EIO'], path: 'data/library.sqlite', isBeside: true },
  {
    ask: 'list',
    calls: 'pread64',
    errors: ['EIO'],
    path: 'data/library.sqlite-wal',
    isBeside: true,
  },
  {
    ask: 'import',
    calls: 'pwrite64',
    errors: [...broken, ...full],
    path: 'data/library.sqlite-wal',
  },
  { ask: 'import', calls: anySync, errors: [...broken, ...full], path: 'data/library.sqlite-wal' },
  { ask: 'import', calls: anySync, errors: [...broken, ...full], path: 'data/imports' },
  { ask: 'import', calls: anyWrite, errors: [...broken, ...full], path: copied },
  {
    ask: 'import',
    calls: 'openat',
    errors: [...broken, ...full, ...exhausted],
    path: copied,
  },
  { ask: 'import', calls: 'pread64', errors: ['EIO'], path: 'data/library.sqlite', isBeside: true },
  {
    ask: 'import',
    calls: 'pread64',
    errors: ['EIO'],
    path: 'data/waypoints.sqlite',
    isBeside: true,
  },
  { ask: 'import', calls: anyName, errors: [...broken, ...full] },
  { ask: 'import', calls: 'openat', errors: exhausted },
  { ask: 'object', calls: anySync, errors: [...broken, ...full] },
  { ask: 'object', calls: anyName, errors: [...broken, ...full] },
  { ask: 'object', calls: 'openat', errors: [...broken, ...full, ...exhausted] },
  {
    ask: 'object',
    calls: 'pwrite64',
    errors: [...broken, ...full],
    path: 'store/objects.sqlite-wal',
  },
  { ask: 'timeline', calls: 'openat', errors: exhausted, isBeside: true },
];

/** Where a start may meet a fault. */
const startFaults: readonly Fault[] = [
  { calls: 'openat', errors: [...broken, ...full, ...exhausted], path: 'data/lock.sqlite' },
  { calls: 'openat', errors: [...broken, ...full, ...exhausted], path: 'data/waypoints.sqlite' },
  { calls: 'pread64', errors: ['EIO'], path: 'data/waypoints.sqlite' },
  {
    calls: 'openat',
    errors: [...broken, ...full, ...exhausted],
    path: 'data/waypoints.sqlite-wal',
  },
  { calls: 'openat', errors: [...broken, ...full, ...exhausted], path: 'data/library.sqlite' },
  { calls: 'pread64', errors: ['EIO'], path: 'data/library.sqlite' },
  { calls: 'pwrite64,ftruncate', errors: [...broken, ...full], path: 'data/library.sqlite-shm' },
  { calls: 'openat', errors: [...broken, ...full, ...exhausted], path: 'data/imports' },
  { calls: anyName, errors: [...broken, ...full] },
  { calls: anySync, errors: [...broken, ...full] },
  { calls: 'openat', errors: [...broken, ...full, ...exhausted], path: log },
  { calls: anyWrite, errors: [...broken, ...full], path: log },
  { calls: 'openat', errors: [...broken, ...full, ...exhausted], path: 'store/objects.sqlite' },
  { calls: 'openat', errors: [...broken, ...full, ...exhausted], path: 'store/lock.sqlite' },
];

/** Lets every case fail. */
export async function failDisk({ directory, onFault }: FaultOptions) {
  const root = join(directory, 'site');
  const site = siteIn(root, { WAYPOINTD_LOG_FILE: join(root, log) });
  await makeObjectStore(site);
  const kept = new Entrusted();
  let requests = 0;
  let starts = 0;
  const daemon = await start(site);
  for (const { errors, ...one } of cases) {
    for (const error of errors) {
      requests += 1;
      const faults = await failRequest(daemon, site, kept, { ...one, error, number: requests });
      const named = `${error} of ${one.calls} on ${one.path ?? 'any file'}`;
      for (const fault of faults) onFault(`${one.ask}, ${named}: ${fault}`);
    }
  }
  const code = await daemon.end();
  if (code !== 0) onFault(`the daemon ended with ${code ?? daemon.child.signalCode}`);
  for (const { errors, ...one } of startFaults) {
    for (const error of errors) {
      starts += 1;
      const faults = await failStart(site, kept, { ...one, error });
      const named = `${error} of ${one.calls} on ${one.path ?? 'any file'}`;
      for (const fault of faults) onFault(`start, ${named}: ${fault}`);
    }
  }
  return { requests, starts };
}

/** What was acknowledged. */
class Entrusted {
  readonly bookmarks: string[] = [];
  readonly objects: number[] = [];
  version = 0;

  asks(daemon: Running, site: Site): Asks {
    const { ask, done } = daemon;
    const dir = join(site.root, 'home', 'tracks');
    mkdirSync(dir, { recursive: true });
    return {
      bookmark: async (number) => {
        const name = `Bookmark ${number}`;
        const { status } = await ask('POST', '/api/bookmarks', { name, lat: 1, lon: number / 10 });
        if (status === 201) this.bookmarks.push(name);
        return status;
      },
      import: async (number) => {
        writeFileSync(join(dir, 'a.gpx'), contentOf('a.gpx', number));
        const { status, text } = await ask('POST', '/api/import', { dir });
        if (status === 200 && JSON.parse(text).failed !== 0) return 0;
        if (status === 200) this.version = number;
        return status;
      },
      object: async (number) => {
        const content = objectOf(number);
        const status = await upload(daemon, oidOf(content), content);
        if (status === 200) this.objects.push(number);
        return status;
      },
      list: async () => (await ask('GET', '/api/waypoints')).status,
      timeline: async () => {
        const period = { start_date: '2024-05-01', end_date: '2024-05-31' };
        const { job_id } = JSON.parse(await done('POST', '/api/timelines', period));
        for (;;) {
          const { state } = JSON.parse(await done('GET', `/api/timelines/${job_id}`));
          if (state === 'completed') return 200;
          if (state === 'failed') return 503;
        }
      },
    };
  }

  /** What is missing. */
  async missing(daemon: Running, site: Site): Promise<string[]> {
    const list: { name: string }[] = JSON.parse(await daemon.done('GET', '/api/waypoints'));
    const names = new Set(list.map(({ name }) => name));
    const lost = this.bookmarks.filter((name) => !names.has(name));
    const copy = join(site.data, 'imports', 'a.gpx');
    const isImported =
      this.version === 0 || readFileSync(copy, 'utf8') === contentOf('a.gpx', this.version);
    if (!isImported) lost.push('the imported file');
    for (const number of this.objects) {
      const content = objectOf(number);
      if (!(await download(daemon, oidOf(content)))?.equals(content)) lost.push(`object ${number}`);
    }
    return lost;
  }
}

type OneError = Omit<Fault, 'errors'> & { readonly error: string };

function straceWords({ calls, path, error }: OneError, { root }: Site): string[] {
  const where = path === undefined ? [] : ['-P', join(root, path)];
  const inject = ['-e', `trace=${calls}`, '-e', `inject=${calls}:error=${error}`];
  return ['-f', ...where, ...inject, '-o', recordOf(root)];
}

const recordOf = (root: string): string => join(root, 'strace.txt');

async function failRequest(
  daemon: Running,
  site: Site,
  kept: Entrusted,
  one: Omit<Case, 'errors'> & { readonly error: string; readonly number: number },
): Promise<string[]> {
  const { ask, number, isBeside = false } = one;
  const request = kept.asks(daemon, site)[ask];
  const strace = spawn('strace', ['-p', String(daemon.pid), ...straceWords(one, site)]);
  await untilPrinted(strace.stderr, /attached/u);
  const status = await request(number).catch(() => -1);
  const ended = once(strace, 'exit');
  strace.kill('SIGTERM');
  await ended;
  const isMet = readFileSync(recordOf(site.root), 'utf8').includes('INJECTED');
  const again = await request(number + 1_000).catch(() => -1);
  return [
    ...(isMet || isBeside ? [] : ['was not met']),
    ...(isClearAnswer(status, one) ? [] : [`was answered ${status}`]),
    ...(isSuccess(again) ? [] : [`afterwards the answer is ${again}`]),
  ];
}

const isSuccess = (status: number): boolean => status >= 200 && status < 300;

function isClearAnswer(
  status: number,
  { error, path = '', isBeside = false }: Omit<Case, 'errors'> & OneError,
): boolean {
  if (isBeside && isSuccess(status)) return true;
  if (!full.includes(error)) return status === 503;
  // SQLite tells a full disk from a broken one only where it writes, and by one of its two numbers.
  return status === 507 || (status === 503 && path.includes('sqlite'));
}

/** A refused start says why in a sentence, and the next one opens. */
async function failStart(site: Site, kept: Entrusted, one: OneError): Promise<string[]> {
  const faults: string[] = [];
  const first = await tryStart(site, ['strace', '-D', ...straceWords(one, site)]);
  if ('ask' in first) {
    const code = await first.end();
    if (code !== 0) faults.push(`it ended with ${code ?? first.child.signalCode}`);
  } else {
    const said = first.stderr
      .split('\n')
      .filter((line) => !line.startsWith('{'))
      .join('\n');
    const isClear =
      /^waypointd: [A-Z/][^\n]*\.\s*$/mu.test(said) && !/\n +at |went wrong/u.test(said);
    const isFinal = [74, 75, 78].includes(first.code ?? 0) || full.includes(one.error);
    if (!isClear || !isFinal) faults.push(`it ended with ${first.code ?? first.signal}: ${said}`);
  }
  const next = await tryStart(site);
  if (!('ask' in next))
    return [...faults, `the next start ended with ${next.code}: ${next.stderr}`];
  const lost = await kept.missing(next, site);
  if (lost.length > 0) faults.push(`lost: ${lost.join(', ')}`);
  await next.end();
  return faults;
}
