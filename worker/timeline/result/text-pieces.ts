import { Buffer } from 'node:buffer';

const pieceLength = 65_536;

/** Gathers text as UTF-8, a piece at a time: the whole of it is never one string. */
export class TextPieces {
  readonly #pieces: Buffer[] = [];
  #text = '';

  write(text: string): void {
    this.#text += text;
    if (this.#text.length >= pieceLength) this.#flush();
  }

  /** All that was written. */
  bytes(): Buffer {
    this.#flush();
    return Buffer.concat(this.#pieces);
  }

  #flush(): void {
    if (this.#text !== '') this.#pieces.push(Buffer.from(this.#text));
    this.#text = '';
  }
}
