/** Commands of Mapbox Vector Tile 2.1, section 4.3.1. */
const commands = { moveTo: 1, lineTo: 2 } as const;

function command(id: number, count: number): number {
  return count * 8 + id;
}

function zigzag(value: number): number {
  return ((value << 1) ^ (value >> 31)) >>> 0;
}

/** How much was written. */
export interface Written {
  bytes: number;
}

/** Writes the geometry of lines, or of points, in whole units of a tile. */
export class GeometryWriter {
  readonly #written: Written;
  #numbers: number[] = [];
  #x = 0;
  #y = 0;
  /** Where the command of the open line stands; −1 if none is open. */
  #lineAt = -1;

  /** @param written is added to. */
  constructor(written: Written) {
    this.#written = written;
  }

  /** Goes on with the open line, if it is at the first position, or begins one there. */
  segment(fromX: number, fromY: number, toX: number, toY: number): void {
    if (this.#lineAt < 0 || this.#x !== fromX || this.#y !== fromY) {
      this.#add(command(commands.moveTo, 1));
      this.#step(fromX, fromY);
      this.#lineAt = this.#numbers.length;
      this.#add(command(commands.lineTo, 0));
    }
    this.#numbers[this.#lineAt]! += command(0, 1);
    this.#step(toX, toY);
  }

  point(x: number, y: number): void {
    if (this.#numbers.length === 0) this.#add(command(commands.moveTo, 0));
    this.#numbers[0]! += command(0, 1);
    this.#step(x, y);
  }

  /** Gives what was written, and begins anew. */
  take(): number[] {
    const numbers = this.#numbers;
    this.#numbers = [];
    this.#x = this.#y = 0;
    this.#lineAt = -1;
    return numbers;
  }

  #step(x: number, y: number): void {
    this.#add(zigzag(x - this.#x));
    this.#add(zigzag(y - this.#y));
    this.#x = x;
    this.#y = y;
  }

  #add(number: number): void {
    this.#numbers.push(number);
    // As a variable-length integer; no step in a tile takes more.
    this.#written.bytes += number < 128 ? 1 : 2;
  }
}
