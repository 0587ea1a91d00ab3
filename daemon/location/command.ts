import { spawn } from 'node:child_process';
import { splitCommand } from '../../model/command-words.ts';
import type { Clock } from '../../model/process.ts';
import type { Schedule } from '../schedule.ts';
import { readLines } from './line-reader.ts';
import { SourceFailed, type LocationSource } from './location-source.ts';
import { programEnvironment } from '../program-environment.ts';
import { endProgram, filesystemRoot, isWindows } from './program.ts';
import { runSession } from './session.ts';

export interface CommandOptions {
  readonly command: string;
  readonly clock: Clock;
  readonly schedule: Schedule;
}

/** A program that prints one position and ends is run again after this long: well within the age of a usable fix. */
const pauseMs = 30_000;
/** The first position of a receiver takes seconds, and nobody waits for it; a program that hangs longer is ended. */
const silenceMs = 30_000;

/** A program of the user that prints positions, one JSON object a line; one at a time, without a shell. */
export function commandSource({ command, clock, schedule }: CommandOptions): LocationSource {
  return {
    name: 'command',
    pauseMs,
    run: (report, signal) =>
      runSession(signal, (end) => {
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
        const limitSilence = (): (() => void) =>
          schedule(() => end(new SourceFailed('silent')), silenceMs);
        let cancelLimit = limitSilence();
        function onLine(line: unknown): void {
          cancelLimit();
          cancelLimit = limitSilence();
          report(line);
        }
        readLines(child.stdout, { clock, onLine, end });
        child.on('error', end);
        child.on('close', (code) => end(code === 0 ? undefined : new SourceFailed('ended')));
        return () => {
          cancelLimit();
          return endProgram(child);
        };
      }),
  };
}
