/** Decimals of a degree: a tenth of a millimetre. */
const decimals = 9;
const unit = 10 ** decimals;
/** ASCII codes. */
const minus = 0x2d;
const point = 0x2e;
const zero = 0x30;

/**
 * JSON text while it is written. An item has many parts that are too short for native calls, so bytes are put together
 * by loops, and numbers of few decimals digit by digit: half the time of adding strings.
 */
export class JsonBytes {
  #bytes = Buffer.allocUnsafe(81_920);
  #length = 0;

  /** Bytes written since the last {@link take}. */
  get length(): number {
    return this.#length;
  }

  /** Adds ASCII text. */
  ascii(text: string): void {
    const bytes = this.#room(text.length);
    let at = this.#length;
    for (let i = 0; i < text.length; i += 1, at += 1) bytes[at] = text.charCodeAt(i);
    this.#length = at;
  }

  /** Adds any text as a JSON string. */
  string(text: string): void {
    const json = JSON.stringify(text);
    this.#length += this.#room(json.length * 3).write(json, this.#length);
  }

  /** Adds the bytes `from`…`to` (exclusive) of UTF-8 text. */
  utf8(source: Uint8Array, from: number, to: number): void {
    const bytes = this.#room(to - from);
    let at = this.#length;
    for (let i = from; i < to; i += 1, at += 1) bytes[at] = source[i]!;
    this.#length = at;
  }

  /** Adds a number below 1,000 that reads back as exactly the same. */
  number(value: number): void {
    const size = Math.abs(value);
    const units = Math.round(size * unit);
    // Otherwise it has more decimals. A decimal of up to 15 digits names the double next to it, so digits suffice.
    if (units / unit !== size) {
      this.ascii(String(value));
      return;
    }
    const bytes = this.#room(decimals + 5);
    if (value < 0) bytes[this.#length++] = minus;
    const whole = Math.floor(units / unit);
    this.#digits(bytes, whole, whole < 10 ? 1 : whole < 100 ? 2 : 3);
    const rest = units - whole * unit;
    if (rest === 0) return;
    bytes[this.#length++] = point;
    this.#digits(bytes, rest, decimals);
    while (bytes[this.#length - 1] === zero) this.#length -= 1;
  }

  /** Adds a number rounded to nine decimals. */
  rounded(value: number): void {
    this.number(Math.round(value * unit) / unit);
  }

  /** Gives what was written and begins with nothing. */
  take(): string {
    const text = this.#bytes.toString('utf8', 0, this.#length);
    this.#length = 0;
    return text;
  }

  #digits(bytes: Buffer, value: number, count: number): void {
    let rest = value | 0;
    for (let at = this.#length + count - 1; at >= this.#length; at -= 1) {
      const tenth = (rest / 10) | 0;
      bytes[at] = zero + rest - tenth * 10;
      rest = tenth;
    }
    this.#length += count;
  }

  #room(length: number): Buffer {
    const needed = this.#length + length;
    if (needed > this.#bytes.length) {
      const bytes = Buffer.allocUnsafe(needed * 2);
      this.#bytes.copy(bytes, 0, 0, this.#length);
      this.#bytes = bytes;
    }
    return this.#bytes;
  }
}
