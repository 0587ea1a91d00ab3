import { once } from 'node:events';
import { forTerminal } from './text.ts';

/** The reader of our output has closed it (`waypointd list | head`): an orderly end, not a failure. */
export class OutputClosed extends Error {
  override readonly name = 'OutputClosed';
}

let isClosed = false;
let failure: Error | undefined;

/** Must run before anything is written: an unhandled error of a stream would end the process. */
export function watchOutput(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') isClosed = true;
    else failure = error;
  });
  // Without stderr there is no place left to say so.
  process.stderr.on('error', () => undefined);
}

/**
 * Writes to standard output and waits while its reader is slow.
 * @throws OutputClosed when its reader is gone; the stream's error when it cannot be written (a full disk).
 */
export async function write(text: string): Promise<void> {
  throwIfBroken();
  if (process.stdout.write(text)) return;
  try {
    await once(process.stdout, 'drain');
  } catch {
    // The error listener has noted why.
  }
  throwIfBroken();
}

/** Waits until everything written has left, so that a failure is noticed before the exit code is decided. */
export async function flushOutput(): Promise<void> {
  if (!isClosed && failure === undefined) {
    await new Promise<void>((resolve) => {
      process.stdout.write('', () => resolve());
    });
  }
  throwIfBroken();
}

function throwIfBroken(): void {
  if (isClosed) throw new OutputClosed();
  if (failure !== undefined) throw failure;
}

export function print(line = ''): Promise<void> {
  return write(`${line}\n`);
}

/** Lines for a person, with any content: {@link printLines} escapes control characters. */
export type Lines = string | Iterable<string> | AsyncIterable<string>;

export async function printLines(lines: Lines | void): Promise<void> {
  for await (const line of typeof lines === 'string' ? [lines] : (lines ?? [])) {
    await print(forTerminal(line));
  }
}

/** Writes a value as JSON: indented for a person at a terminal, on one line for a program. */
export function printJson(value: unknown): Promise<void> {
  return print(JSON.stringify(value, null, process.stdout.isTTY ? 2 : undefined));
}

/** Writes one line to standard error: what is said beside the data. */
export function note(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** The width of the terminal that standard output is, in cells; undefined for a file or a pipe. */
export function terminalWidth(): number | undefined {
  return process.stdout.isTTY ? process.stdout.columns : undefined;
}
