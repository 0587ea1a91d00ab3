import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { ExecutionContext } from 'ava';
import { finish, launcher, untilPrinted, type TestCli } from './cli.ts';
import { until } from './until.ts';

/** Why system calls cannot be recorded here; undefined where they can. */
export function whyNoStrace(): string | undefined {
  if (process.platform !== 'linux') return 'not Linux';
  const { status } = spawnSync('strace', ['-f', '-o', '/dev/null', 'true']);
  return status === 0 ? undefined : 'no strace that may trace';
}

/** Why no running program can be attached to here; undefined where that can be done. */
export function whyNoAttaching(): string | undefined {
  const missing = whyNoStrace();
  if (missing !== undefined) return missing;
  const script = 'sleep 9 & strace -o /dev/null -p $! & sleep 0.3; kill $(jobs -p); wait';
  const { stderr } = spawnSync('sh', ['-c', script], { encoding: 'utf8' });
  return stderr.includes('attached') ? undefined : 'no strace that may attach';
}

/** One system call on the files and connections of a traced program, in the order of their beginnings. */
export interface SystemCall {
  readonly name: string;
  /** Line numbers of the record: a sync covers what was written before it began, and counts once it has ended. */
  readonly begin: number;
  readonly end: number;
  readonly args: string;
  /** What was returned; undefined where the record does not say. */
  readonly result: number | undefined;
  /** The file, connection or directory of the first descriptor, or the path of the first argument. */
  readonly path: string;
  /** Of a rename or link, the new name. */
  readonly target?: string;
}

const traced =
  'openat,write,pwrite64,writev,pwritev,pwritev2,ftruncate,fsync,fdatasync,rename,renameat,renameat2,link,linkat,mkdir,mkdirat,sendto,sendmsg';

/** Runs a waypointd command under strace to its end. */
export async function runTraced(t: ExecutionContext, cli: TestCli, words: readonly string[]) {
  const { child, record } = trace(t, cli, words);
  const { code, stderr } = await finish(child);
  t.is(code, 0, stderr);
  return readRecord(record, child.pid);
}

/** Starts a waypointd command under strace, as a child of this process; waits until it has printed `pattern`. */
export async function startTraced(
  t: ExecutionContext,
  cli: TestCli,
  words: readonly string[],
  pattern: RegExp,
) {
  const { child, record } = trace(t, cli, words);
  const streams = [child.stdout, child.stderr].map((stream) => untilPrinted(stream, pattern));
  const [printed] = await Promise.any(streams);
  return {
    /** What matched the pattern that says it is ready. */
    printed,
    /** Ends the program with SIGTERM and reads the record. */
    calls: () => {
      child.kill('SIGTERM');
      return readRecord(record, child.pid);
    },
  };
}

function trace(t: ExecutionContext, cli: TestCli, words: readonly string[]) {
  const record = join(
    cli.root,
    `strace-${words.join('-').replaceAll(/\W+/gu, '-').slice(0, 40)}.txt`,
  );
  const strace = ['-D', '-f', '-yy', '-s', '48', '-e', `trace=${traced}`, '-o', record];
  const child = spawn('strace', [...strace, process.execPath, launcher, ...words], {
    env: cli.env,
    cwd: cli.root,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  t.teardown(() => child.kill('SIGKILL'));
  return { child, record };
}

async function readRecord(record: string, pid: number | undefined): Promise<SystemCall[]> {
  await untilRecorded(record, pid);
  return parseRecord(readFileSync(record, 'utf8'));
}

/** Waits for the end of a record: the tracer is no child of ours and ends a little after the program. */
export async function untilRecorded(record: string, pid: number | undefined): Promise<void> {
  // Short numbers are padded.
  const end = new RegExp(`^${pid} +\\+\\+\\+ (?:exited|killed)`, 'mu');
  await until(() => end.test(readFileSync(record, 'latin1').slice(-100_000)));
}

/** Reads what `strace -f -yy -o` writes; calls that other threads interrupted are put together again. */
export function parseRecord(text: string): SystemCall[] {
  const open = new Map<string, { readonly begin: number; readonly text: string }>();
  const calls: SystemCall[] = [];
  for (const [line, content] of text.split('\n').entries()) {
    const [, pid = '', rest = ''] = /^(\d+) +(.*)$/u.exec(content) ?? [];
    const [, begun] = /^(\w+\(.*) <unfinished \.\.\.>$/u.exec(rest) ?? [];
    const [, resumed] = /^<\.\.\. \w+ resumed>(.*)$/u.exec(rest) ?? [];
    const before = open.get(pid);
    if (begun !== undefined) open.set(pid, { begin: line, text: begun });
    else if (resumed === undefined) calls.push(...toCalls(rest, line, line));
    else if (before !== undefined)
      calls.push(...toCalls(before.text + resumed, before.begin, line));
  }
  return calls.toSorted((a, b) => a.begin - b.begin);
}

/** @returns nothing for the lines about signals and ends of threads. */
function toCalls(text: string, begin: number, end: number): SystemCall[] {
  const [, name, args] = /^(\w+)\((.*)$/u.exec(text) ?? [];
  return name === undefined || args === undefined ? [] : [toCall(name, args, begin, end)];
}

function toCall(name: string, args: string, begin: number, end: number): SystemCall {
  const returned = /\) += (-?\d+)/u.exec(args)?.[1];
  const [, descriptor, named] =
    /^(?:-?\w+<((?:[^>\\]|\\.|->|\]>)*?)>(?=[,)]))?(?:, )?(?:"((?:[^"\\]|\\.)*)")?/u.exec(args) ??
    [];
  const strings = [...args.matchAll(/"((?:[^"\\]|\\.)*)"/gu)].map((match) => match[1] ?? '');
  const isNamed = /^(?:open|rename|link|unlink|mkdir|rmdir|truncate|statx)/u.test(name);
  const path = isNamed ? resolve(descriptor ?? '/', named ?? strings[0] ?? '') : (descriptor ?? '');
  const target = /^(?:rename|link)/u.test(name) ? strings[1] : undefined;
  return {
    name,
    begin,
    end,
    args,
    result: returned === undefined ? undefined : Number(returned),
    path: path.replace(/ \(deleted\)$/u, ''),
    ...(target !== undefined && { target }),
  };
}

const isWrite = ({ name }: SystemCall): boolean => /^(?:p?writev?|pwrite64|ftruncate)/u.test(name);

/**
 * Which files and directories would lose something in a power cut at this moment: written, created in or renamed in since
 * their last sync. Only what the record shows is known, so it has to begin with the first start of the program.
 */
class UnsyncedFiles {
  /** Path to the line of the last change. */
  readonly #changed = new Map<string, number>();
  readonly #seen = new Set<string>();

  /** Follows one call; those that fail change nothing. */
  follow(call: SystemCall): void {
    const { name, path, begin, target, result, args } = call;
    if (result === undefined || result < 0) return;
    if (target !== undefined) this.#move(path, target, begin);
    else if (name === 'openat') this.#create(path, args, begin);
    else if (name.startsWith('mkdir')) this.#changed.set(dirname(path), begin);
    // An empty file has nothing to lose: SQLite empties a log once all of it is in the database, synced.
    else if (name === 'ftruncate' && / 0\)/u.test(args)) this.#changed.delete(path);
    else if (isWrite(call)) this.#changed.set(path, begin);
    else if (name.endsWith('sync') && (this.#changed.get(path) ?? Infinity) < begin)
      this.#changed.delete(path);
  }

  #create(path: string, args: string, line: number): void {
    if (args.includes('O_CREAT') && !this.#seen.has(path)) this.#changed.set(dirname(path), line);
    this.#seen.add(path);
  }

  #move(path: string, target: string, line: number): void {
    const before = this.#changed.get(path);
    this.#changed.delete(path);
    if (before === undefined) this.#changed.delete(target);
    else this.#changed.set(target, before);
    this.#changed.set(dirname(target), line);
    this.#seen.add(target);
  }

  /** What is not synced, of the paths that match. */
  matching(pattern: RegExp): string[] {
    return [...this.#changed.keys()].filter((path) => pattern.test(path)).toSorted();
  }
}

/** Runs through a record and tells at each call that is asked for what was not synced when it began. */
export function unsyncedAt(
  calls: readonly SystemCall[],
  isAsked: (call: SystemCall) => boolean,
  pattern: RegExp,
): { readonly call: SystemCall; readonly unsynced: string[] }[] {
  const files = new UnsyncedFiles();
  const found: { call: SystemCall; unsynced: string[] }[] = [];
  // A sync counts when it has ended, everything else when it begins.
  const moments = calls
    .map((call) => ({ call, at: call.name.endsWith('sync') ? call.end : call.begin }))
    .toSorted((a, b) => a.at - b.at);
  for (const { call } of moments) {
    if (isAsked(call)) found.push({ call, unsynced: files.matching(pattern) });
    files.follow(call);
  }
  return found;
}
