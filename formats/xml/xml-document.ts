import type { Buffer } from 'node:buffer';
import type { BlockReader } from '../read-blocks.ts';
import { ByteDecoder } from './decode-bytes.ts';
import type { XmlHandler } from './read-piece.ts';
import { XmlReader } from './xml-reader.ts';

/** Bytes decoded and parsed at once, 1-2 ms of work. Pieces of 256 KiB are no faster and take twice the memory. */
export const plainBytes = 32_768;

/** An XML document on its way from bytes to a handler, all of it through fast-xml-parser. */
export class XmlDocument implements BlockReader<void> {
  readonly #decoder = new ByteDecoder();
  readonly #reader: XmlReader;

  constructor(handler: XmlHandler) {
    this.#reader = new XmlReader(handler);
  }

  read(block: Buffer, from: number): number {
    const end = Math.min(block.length, from + plainBytes);
    const { text, isInvalid } = this.#decoder.decode(block.subarray(from, end));
    this.#reader.push(text);
    if (isInvalid) this.#reader.refuse('encoding');
    return end;
  }

  end(rest: Buffer): void {
    for (let at = 0; at < rest.length;) at = this.read(rest, at);
    const { text, isInvalid } = this.#decoder.end();
    this.#reader.push(text);
    this.#reader.end(isInvalid);
  }
}
