import type { Buffer } from 'node:buffer';
import { carriageReturn, lineFeed } from '../ascii.ts';
import type { BlockReader } from '../read-blocks.ts';
import { FileRefused } from '../refused.ts';

/** Bytes of one line; real ones have up to some thousands, and a row of our own CSV up to 100,000. */
const maxLineBytes = 262_144;
/** Bytes of lines read at once, some milliseconds of work. */
const stretchBytes = 65_536;

/** Hands on the lines of a file, without their ends, in UTF-8. Lines are numbered from 1. */
export class Lines implements BlockReader {
  readonly #hear: (line: string, number: number) => unknown;
  readonly #hearLast: (line: string, number: number) => unknown;
  #number = 0;

  /** @param hearLast hears what follows the last line end, if anything does: it may be cut off. */
  constructor(
    hear: (line: string, number: number) => unknown,
    hearLast: (line: string, number: number) => unknown = hear,
  ) {
    this.#hear = hear;
    this.#hearLast = hearLast;
  }

  read(block: Buffer, from: number): number {
    const until = from + stretchBytes;
    let at = from;
    while (at < until) {
      const end = block.indexOf(lineFeed, at);
      const length = (end < 0 ? block.length : end) - at;
      if (length > maxLineBytes) throw new FileRefused('too_large', this.#number + 1);
      if (end < 0) break;
      this.#number += 1;
      this.#hear(textOf(block, at, end), this.#number);
      at = end + 1;
    }
    return at;
  }

  end(rest: Buffer): void {
    this.#number += 1;
    const text = textOf(rest, 0, rest.length);
    if (text !== '') this.#hearLast(text, this.#number);
  }
}

function textOf(block: Buffer, from: number, end: number): string {
  const to = end > from && block[end - 1] === carriageReturn ? end - 1 : end;
  return block.toString('utf8', from, to);
}
