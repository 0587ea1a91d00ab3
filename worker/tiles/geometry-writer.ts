import { Buffer } from 'node:buffer';
import { putNumber, zigzag } from '../../storage/day-blob.ts';

/** Commands of Mapbox Vector Tile 2.1, section 4.3.1. */
const commands = { moveTo: 1, lineTo: 2 } as const;
/** What hardly any feature needs: V8 compiles what writes anew when it first grows. */
const firstBytes = 65_536;
/** More than a segment takes, or a point. */
const roomBytes = 32;

function command(id: number, count: number): number {
  return count * 8 + id;
}

/** How much was written. */
export interface Written {
  bytes: number;
}

/** Writes the geometry of lines, or of points, in whole units of a tile, as variable-length integers. */
export class GeometryWriter {
  readonly #written: Written;
  #out = Buffer.allocUnsafe(firstBytes);
  #length = 0;
  #x = 0;
  #y = 0;
  /** How many steps the open line has, or how many points there are. */
  #count = 0;
  /** Where the command for them stands; it has one byte of room until they are all there. */
  #commandAt = 0;

  /** @param written is added to. */
  constructor(written: Written) {
    this.#written = written;
  }

  /** Goes on with the open line, if it is at the first position, or begins one there. */
  segment(fromX: number, fromY: number, toX: number, toY: number): void {
    const before = this.#length;
    this.#makeRoom();
    if (this.#count === 0 || this.#x !== fromX || this.#y !== fromY) {
      this.#end(commands.lineTo);
      this.#add(command(commands.moveTo, 1));
      this.#step(fromX, fromY);
      this.#begin();
    }
    this.#count += 1;
    this.#step(toX, toY);
    this.#written.bytes += this.#length - before;
  }

  point(x: number, y: number): void {
    const before = this.#length;
    this.#makeRoom();
    if (this.#count === 0) this.#begin();
    this.#count += 1;
    this.#step(x, y);
    this.#written.bytes += this.#length - before;
  }

  /** Gives the lines that were written, and begins anew. */
  takeLines(): Buffer {
    return this.#take(commands.lineTo);
  }

  /** Gives the points that were written, and begins anew. */
  takePoints(): Buffer {
    return this.#take(commands.moveTo);
  }

  #take(id: number): Buffer {
    this.#end(id);
    const taken = Buffer.from(this.#out.subarray(0, this.#length));
    this.#length = this.#x = this.#y = 0;
    return taken;
  }

  #begin(): void {
    this.#commandAt = this.#length;
    this.#length += 1;
  }

  /** Writes the command before what it is for. */
  #end(id: number): void {
    if (this.#count === 0) return;
    const number = command(id, this.#count);
    const at = this.#commandAt;
    const more = number < 2 ** 7 ? 0 : number < 2 ** 14 ? 1 : 2;
    if (more > 0) this.#out.copyWithin(at + 1 + more, at + 1, this.#length);
    putNumber(this.#out, at, number);
    this.#length += more;
    this.#count = 0;
  }

  #makeRoom(): void {
    if (this.#length + roomBytes <= this.#out.length) return;
    const longer = Buffer.allocUnsafe(2 * this.#out.length);
    longer.set(this.#out);
    this.#out = longer;
  }

  #step(x: number, y: number): void {
    this.#add(zigzag(x - this.#x));
    this.#add(zigzag(y - this.#y));
    this.#x = x;
    this.#y = y;
  }

  #add(number: number): void {
    this.#length = putNumber(this.#out, this.#length, number);
  }
}
