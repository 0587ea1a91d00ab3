import type { Readable } from 'node:stream';
import type { Clock } from '../../model/process.ts';
import { parseJson } from '../../model/parse-json.ts';
import { SourceFailed } from './location-source.ts';

/** The longest line of gpsd, all satellites in view, has some 10 KB. In UTF-16 units, as the next one. */
const maxLineLength = 65_536;
/** In a second: twice what ten reports are, each with all satellites in view. Reading that much takes some 10 ms. */
const maxLength = 262_144;
const maxLines = 500;
const windowMs = 1_000;

export interface LineOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onLine: (value: unknown) => void;
}

/**
 * Reads lines of JSON from a stream until it ends or the signal is aborted; a line that is not JSON is passed over.
 * @throws SourceFailed line_too_long, flood; what the stream is destroyed with, and what `onLine` throws
 */
export async function readLines(
  stream: Readable,
  { clock, signal, onLine }: LineOptions,
): Promise<void> {
  const stop = (): void => void stream.destroy();
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    for await (const line of linesOf(stream.setEncoding('utf8'), clock)) {
      const value = parseJson(line);
      if (value !== undefined) onLine(value);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    signal.removeEventListener('abort', stop);
    stream.destroy();
  }
}

/** Cuts what comes into lines, within the limits; the last one may lack its line feed. */
async function* linesOf(pieces: AsyncIterable<string>, clock: Clock): AsyncGenerator<string> {
  let line = '';
  let window = { start: clock.monotonic(), length: 0, lines: 0 };
  for await (const piece of pieces) {
    const now = clock.monotonic();
    if (now - window.start >= windowMs) window = { start: now, length: 0, lines: 0 };
    const [end = '', ...others] = piece.split('\n');
    window.length += piece.length;
    window.lines += others.length;
    if (window.length > maxLength || window.lines > maxLines) throw new SourceFailed('flood');
    line += end;
    for (const next of others) {
      yield bounded(line);
      line = next;
    }
    bounded(line);
  }
  yield line;
}

function bounded(line: string): string {
  if (line.length > maxLineLength) throw new SourceFailed('line_too_long');
  return line;
}
