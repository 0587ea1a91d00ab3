import type { Readable } from 'node:stream';
import type { Clock } from '../../model/process.ts';
import { SourceFailed } from './location-source.ts';
import type { EndSession } from './session.ts';

/** The longest line of gpsd, all satellites in view, has some 10 KB. */
const maxLineBytes = 65_536;
/** In a second: twice what ten reports are, each with all satellites in view. Reading that much takes some 10 ms. */
const maxBytes = 262_144;
const maxLines = 500;
const windowMs = 1_000;

const newline = 0x0a;

/**
 * Reads lines of JSON from a stream; a line that is not JSON is passed over. A stream that sends too much, or what `onLine`
 * throws, ends the session.
 */
export function readLines(
  stream: Readable,
  { clock, onLine, end }: { clock: Clock; onLine: (value: unknown) => void; end: EndSession },
): void {
  const lines = new LineReader(clock, onLine);
  function attempt(read: () => void): void {
    try {
      read();
    } catch (error) {
      stream.destroy();
      end(error);
    }
  }
  stream.on('data', (chunk: Buffer) => attempt(() => lines.push(chunk)));
  stream.on('end', () => attempt(() => lines.end()));
}

/** Cuts what comes into lines, within the limits. */
class LineReader {
  readonly #clock: Clock;
  readonly #onLine: (value: unknown) => void;
  #pieces: Buffer[] = [];
  #pieceBytes = 0;
  #windowStart: number;
  #bytes = 0;
  #lines = 0;

  constructor(clock: Clock, onLine: (value: unknown) => void) {
    this.#clock = clock;
    this.#onLine = onLine;
    this.#windowStart = clock.monotonic();
  }

  /** @throws SourceFailed line_too_long, flood */
  push(chunk: Buffer): void {
    this.#renewWindow();
    this.#bytes += chunk.length;
    if (this.#bytes > maxBytes) throw new SourceFailed('flood');
    let rest = chunk;
    for (let end = rest.indexOf(newline); end !== -1; end = rest.indexOf(newline)) {
      this.#keep(rest.subarray(0, end));
      rest = rest.subarray(end + 1);
      this.#take();
    }
    this.#keep(rest);
  }

  /** Takes a last line that no newline ends. */
  end(): void {
    this.#take();
  }

  #renewWindow(): void {
    const now = this.#clock.monotonic();
    if (now - this.#windowStart < windowMs) return;
    this.#windowStart = now;
    this.#bytes = 0;
    this.#lines = 0;
  }

  #keep(piece: Buffer): void {
    this.#pieceBytes += piece.length;
    if (this.#pieceBytes > maxLineBytes) throw new SourceFailed('line_too_long');
    if (piece.length > 0) this.#pieces.push(piece);
  }

  #take(): void {
    this.#lines += 1;
    if (this.#lines > maxLines) throw new SourceFailed('flood');
    const line = Buffer.concat(this.#pieces).toString('utf8');
    this.#pieces = [];
    this.#pieceBytes = 0;
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      return; // Blank, or words for a person.
    }
    this.#onLine(value);
  }
}
