/** Numbers held at once in one piece of memory. */
const pieceLength = 65_536;

/** Numbers that wait for others, first in, first out, 8 bytes each. */
export class NumberQueue {
  #pieces: Float64Array[] = [];
  /** Index of the first number in the first piece. */
  #at = 0;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(number: number): void {
    const end = this.#at + this.#length;
    if (end === this.#pieces.length * pieceLength) this.#pieces.push(new Float64Array(pieceLength));
    this.#pieces.at(-1)![end % pieceLength] = number;
    this.#length += 1;
  }

  /** Takes the first number; NaN where none waits. */
  shift(): number {
    if (this.#length === 0) return Number.NaN;
    const number = this.#pieces[0]![this.#at]!;
    this.#at += 1;
    this.#length -= 1;
    if (this.#at === pieceLength) {
      this.#pieces.shift();
      this.#at = 0;
    }
    return number;
  }

  clear(): void {
    this.#pieces = [];
    this.#at = this.#length = 0;
  }
}
