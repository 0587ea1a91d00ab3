import type { Buffer } from 'node:buffer';
import type { BlockReader } from '../read-blocks.ts';
import { ByteDecoder } from './decode-bytes.ts';
import type { Runs } from './element-run.ts';
import type { XmlHandler } from './read-piece.ts';
import { XmlReader } from './xml-reader.ts';

/** Bytes decoded and parsed at once, 1-2 ms of work. Pieces of 256 KiB are no faster and take twice the memory. */
const plainBytes = 32_768;
/** Bytes of a run read at once, 1-2 ms of work. */
const stretchBytes = 327_680;
/** The longest element that may wait for the next block; the plain reader reads longer ones. */
const maxRestBytes = 4_096;
/** Bytes for the plain reader after an element that the short one refused: small pieces are slow. */
const fewestRefusedBytes = 2_048;
/** Bytes first searched for the next element. */
const fewestSearchedBytes = 256;
/** Open elements around a run; the reader's limit on depth leaves the rest to the run. */
const maxOpen = 80;

/**
 * Reads an XML document from bytes by two readers. The plain one decodes them for fast-xml-parser; it knows all of XML, and
 * only it refuses. Between two tokens the short one may read runs of elements from the bytes; all that it does not know it
 * leaves to the plain one. So an element in a comment or in CDATA is never taken for one, and both give the same result.
 */
export class XmlDocument implements BlockReader {
  readonly #decoder = new ByteDecoder();
  readonly #reader: XmlReader;
  readonly #runs: Runs | undefined;
  /** Bytes for the plain reader before the short one is tried again. */
  #plainAtLeast = 1;

  /** @param runs what may go the short way; without it nothing does. */
  constructor(handler: XmlHandler, runs?: Runs) {
    this.#reader = new XmlReader(handler);
    this.#runs = runs;
  }

  /**
   * Reads on, some 2 ms of work.
   * @returns where the next call is to begin: where this one began if an element there goes on in the next block, which is
   * then to begin with it.
   * @throws FileRefused, and errors of the handler
   */
  read(block: Buffer, from: number): number {
    return this.#readRun(block, from) ?? this.#readPlain(block, from);
  }

  /**
   * @param rest - what the last call has left.
   * @throws FileRefused, and errors of the handler
   */
  end(rest: Buffer): void {
    for (let at = 0; at < rest.length;) at = this.#readPlain(rest, at);
    const { text, isInvalid } = this.#decoder.end();
    this.#reader.push(text);
    this.#reader.end(isInvalid);
  }

  #readPlain(block: Buffer, from: number): number {
    const end = this.#endOfPlain(block, from);
    const { text, isInvalid } = this.#decoder.decode(block.subarray(from, end));
    this.#reader.push(text);
    if (isInvalid) this.#reader.refuse('encoding');
    return end;
  }

  /** @returns where the run ends; undefined = no run begins here. */
  #readRun(bytes: Buffer, from: number): number | undefined {
    if (this.#runs === undefined) return undefined;
    const read = this.#isFree() ? this.#runs.here(this.#reader.open) : undefined;
    if (read === undefined) {
      this.#goPlain(1);
      return undefined;
    }
    // The handler hears all in its order.
    this.#reader.flush();
    const to = Math.min(bytes.length, from + stretchBytes);
    const isUtf8 = this.#decoder.asciiSuperset === 'utf-8';
    const { end, lines, ending } = read({ bytes, from, to, isUtf8 });
    this.#reader.skipLines(lines);
    if (end - from > this.#plainAtLeast) this.#plainAtLeast = 1;
    if (ending === 'refused') this.#goPlain(fewestRefusedBytes);
    const mayGoOn = ending === 'cut off' && bytes.length - end <= maxRestBytes;
    return end > from || mayGoOn ? end : undefined;
  }

  #isFree(): boolean {
    const { open, isBetweenTokens } = this.#reader;
    const isBetween = isBetweenTokens && this.#decoder.isBetweenCharacters;
    const isInside = open.length > 0 && open.length <= maxOpen;
    return isBetween && isInside && this.#decoder.asciiSuperset !== undefined;
  }

  /** Each failed try doubles the pause until the next. */
  #goPlain(atLeast: number): void {
    this.#plainAtLeast = Math.min(Math.max(2 * this.#plainAtLeast, atLeast), plainBytes);
  }

  /** The plain way ends where the next run may begin. That is mostly near, so little is searched at first. */
  #endOfPlain(block: Buffer, from: number): number {
    const most = Math.min(block.length, from + plainBytes);
    if (this.#runs === undefined) return most;
    for (let length = fewestSearchedBytes; ; length *= 4) {
      const end = Math.min(most, from + length);
      const plain = this.#untilRun(block.subarray(from, end), this.#runs);
      if (from + plain.length < end || end === most) return from + plain.length;
    }
  }

  /** The bytes before the next element that may begin a run. */
  #untilRun(bytes: Buffer, { starts }: Runs): Buffer {
    let before = bytes;
    for (const start of starts) {
      const found = before.indexOf(start, this.#plainAtLeast);
      if (found >= 0) before = before.subarray(0, found);
    }
    return before;
  }
}
