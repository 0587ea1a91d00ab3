/** One run of tests, judged by the CPU time of its processes: how busy the machine is does not change the verdict. */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

export type Outcome = 'passed' | 'failed' | 'hangs';

export interface Ending {
  readonly outcome: Outcome;
  /** Seconds that its processes worked. */
  readonly cpu: number;
  /** What it printed last. */
  readonly output: string;
}

export interface Limits {
  /** Seconds of work until it is said to run in a circle. */
  readonly cpu: number;
}

const pollMs = 1_000;
/** Seconds without any work worth naming until it is said to wait for what never comes. */
const idleSeconds = 75;
const idleCpu = 0.25;
/** And, working a little, until no test has ended for so long on any machine. */
const silentSeconds = 180;
const ticksPerSecond = 100;
const maxOutput = 20_000;

/** Runs a command whose processes are known by the directory that they run in or name; none of them is left behind. */
export async function runWatched(
  [program = '', ...words]: readonly string[],
  {
    directory,
    env,
    limits,
  }: { directory: string; env: Readonly<Record<string, string | undefined>>; limits: Limits },
): Promise<Ending> {
  const child = spawn(program, words, { cwd: directory, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  let saidAt = performance.now();
  const keep = (piece: Buffer): void => {
    saidAt = performance.now();
    output = (output + piece.toString('utf8')).slice(-maxOutput);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  const ended = new Promise<number | null>((done) => child.on('exit', done));
  const work = new Work(directory);
  let isOver = false;
  const code = ended.then((value) => {
    isOver = true;
    return value;
  });
  let isHanging = false;
  while (!isOver && !isHanging) {
    await Promise.race([code, wait(pollMs)]);
    work.look();
    const isSilent = performance.now() - saidAt > silentSeconds * 1000;
    isHanging = work.seconds > limits.cpu || work.idle > idleSeconds || isSilent;
  }
  endProcesses(directory);
  const status = await code;
  const outcome = isHanging ? 'hangs' : status === 0 ? 'passed' : 'failed';
  return { outcome, cpu: work.seconds, output };
}

/** The CPU time of all processes of a directory. */
class Work {
  readonly #directory: string;
  #now = 0;
  #noted = 0;
  #workedAt = performance.now();
  /** Those of ended processes are with those that have waited for them. */
  seconds = 0;

  constructor(directory: string) {
    this.#directory = directory;
  }

  get idle(): number {
    return (performance.now() - this.#workedAt) / 1000;
  }

  look(): void {
    this.#now = 0;
    for (const [, seconds] of processesOf(this.#directory)) this.#now += seconds;
    this.seconds = Math.max(this.seconds, this.#now);
    if (Math.abs(this.#now - this.#noted) < idleCpu) return;
    this.#noted = this.#now;
    this.#workedAt = performance.now();
  }
}

/** Ends every process of a directory. */
export function endProcesses(directory: string): void {
  for (const [pid] of processesOf(directory)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // Gone by itself.
    }
  }
}

function* processesOf(directory: string): Iterable<[pid: number, seconds: number]> {
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/u.test(name) || Number(name) === process.pid) continue;
    try {
      if (isOf(name, directory)) yield [Number(name), secondsOf(name)];
    } catch {
      // Gone, or another user's.
    }
  }
}

function isOf(pid: string, directory: string): boolean {
  if (readlinkSync(`/proc/${pid}/cwd`).startsWith(directory)) return true;
  return ['cmdline', 'environ'].some((file) =>
    readFileSync(`/proc/${pid}/${file}`, 'utf8').includes(directory),
  );
}

/** proc(5): after the name in brackets, user and system time of the process and of its ended children stand 12th to 15th. */
function secondsOf(pid: string): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /su, '')
    .split(' ');
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / ticksPerSecond;
}
