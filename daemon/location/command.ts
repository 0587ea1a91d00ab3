import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { parse } from 'node:path';
import { splitCommand } from '../../model/command-words.ts';
import type { Clock } from '../../model/process.ts';
import { programEnvironment } from '../program-environment.ts';
import type { Schedule } from '../schedule.ts';
import { SourceFailed, type LocationSource } from './location-source.ts';
import { readLines } from './read-lines.ts';

export interface CommandOptions {
  readonly command: string;
  readonly clock: Clock;
  readonly schedule: Schedule;
}

/** A program that prints one position and ends is run again after this long: well within the age of a usable fix. */
const pauseMs = 30_000;
/** The first position of a receiver takes seconds, and nothing waits for it; a program that hangs longer is ended. */
const silenceMs = 30_000;
/** How long a program may take to end in order. */
const graceMs = 1_000;
const isWindows = process.platform === 'win32';
/** A current directory that is always there and that holds nothing of ours. */
const filesystemRoot = parse(process.execPath).root;

/** A program of the user that prints positions, one JSON object a line; one at a time, without a shell. */
export function commandSource({ command, clock, schedule }: CommandOptions): LocationSource {
  return {
    name: 'command',
    pauseMs,
    async run(report, signal) {
      const [program, ...words] = splitCommand(command) ?? [''];
      const child = spawn(program, words, {
        cwd: filesystemRoot,
        // A process group of its own, so that what it has started ends with it.
        detached: !isWindows,
        env: programEnvironment(process.env),
        // What it complains about may hold a position.
        stdio: ['ignore', 'pipe', 'ignore'],
        windowsHide: true,
      });
      const { stdout } = child;
      // Also of one that ends badly after we have stopped listening; without a listener it would be an exception.
      child.on('error', () => undefined);
      const silence = new AbortController();
      const stop = AbortSignal.any([signal, silence.signal]);
      const limitSilence = (): (() => void) => schedule(() => silence.abort(), silenceMs);
      let cancelLimit = limitSilence();
      function onLine(line: unknown): void {
        cancelLimit();
        cancelLimit = limitSilence();
        report(line);
      }
      try {
        const closed = once(child, 'close', { signal: stop });
        const lines = readLines(stdout, { clock, signal: stop, onLine });
        const [[code]] = await Promise.all([closed, lines]);
        if (code !== 0) throw new SourceFailed('ended');
      } catch (error) {
        if (!signal.aborted) throw silence.signal.aborted ? new SourceFailed('silent') : error;
      } finally {
        cancelLimit();
        await endProgram(child);
      }
    },
  };
}

/** Ends a program that leads a process group, and all that it has started; resolves when it is gone, within 2 s. */
async function endProgram(child: ChildProcess): Promise<void> {
  if (!hasEnded(child)) {
    kill(child, 'SIGTERM');
    await ended(child);
  }
  // Also what a program that is gone has left behind.
  kill(child, 'SIGKILL');
  if (!hasEnded(child)) await ended(child);
}

function hasEnded({ pid, exitCode, signalCode }: ChildProcess): boolean {
  return pid === undefined || exitCode !== null || signalCode !== null;
}

async function ended(child: ChildProcess): Promise<void> {
  // One that takes its time is not waited for.
  await once(child, 'exit', { signal: AbortSignal.timeout(graceMs) }).catch(() => undefined);
}

function kill(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    if (isWindows) child.kill(signal);
    else process.kill(-child.pid, signal);
  } catch {
    // Gone already.
  }
}
