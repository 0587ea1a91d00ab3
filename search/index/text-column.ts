import { grown, release } from './memory.ts';

/** A growing column of texts as UTF-8 in one buffer. */
export class TextColumn {
  // Not from the pool, whose memory others have, too.
  bytes = Buffer.allocUnsafeSlow(65_536);
  /** Where each text begins, and where the last one ends. */
  start = new Uint32Array(4_096);
  count = 0;

  append(text: string): void {
    // UTF-8 needs at most three bytes for each UTF-16 unit.
    const from = this.begin(text.length * 3);
    this.end(from + this.bytes.write(text, from));
  }

  /**
   * Where the next text goes, with room for so many bytes; it is there once {@link end} was called.
   * @throws RangeError above 4 GiB of text, the reach of `start`.
   */
  begin(most: number): number {
    const from = this.start[this.count]!;
    if (from + most > this.bytes.length) this.#grow(from + most);
    if (this.count + 2 > this.start.length) this.start = grown(this.start, this.count + 2);
    return from;
  }

  /** @param end (exclusive) of the text that was written where {@link begin} said. */
  end(end: number): void {
    this.count += 1;
    this.start[this.count] = end;
  }

  /** Gives its memory back; it is not read again. */
  release(): void {
    release(this.bytes, this.start);
  }

  #grow(length: number): void {
    if (length > 0xffff_ffff) throw new RangeError('The names of the library exceed 4 GiB.');
    const bytes = Buffer.allocUnsafeSlow(Math.min(length * 2, 0xffff_ffff));
    this.bytes.copy(bytes);
    release(this.bytes);
    this.bytes = bytes;
  }
}

/**
 * Copies a text `from`…`to` (exclusive); a loop, because a native copy costs more than a name is long.
 * @returns the end of the copy.
 */
export function copyText(
  bytes: Uint8Array,
  from: number,
  to: number,
  target: Uint8Array,
  targetFrom: number,
): number {
  let at = targetFrom;
  for (let i = from; i < to; i += 1, at += 1) target[at] = bytes[i]!;
  return at;
}
