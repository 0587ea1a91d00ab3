import type { PositionColumns } from '../../storage/day-cursor.ts';
import { pixel, tileBuffer } from './tile-grid.ts';
import { tileExtent } from './write-mvt.ts';

/** The edges of the buffer. */
export const low = -tileBuffer;
export const high = tileExtent + tileBuffer;
/** Half a pixel. */
export const leastCellUnits = pixel / 2;
/** Two pixels: what lies between two places that have been drawn, so near to each other, need not be. */
const lookUnits = 2 * pixel;
/** Cells that are looked at at once. */
const wordCells = 4;
/** Words of a box in which it is worth to look whether something is drawn. */
const mostLooks = 2_500;
const fractionBits = 16;
/** What is drawn in a cell or beside it, as bits: lines once, twice and three times, and a fix. */
export const marks = { once: 1, thrice: 7, fix: 8 } as const;
/** The corner of all cells, which is never marked. */
export const nowhere = 0;

/** Whole words. With one more on each side, so that all cells of the tile and its buffer have neighbours. */
function cellsInRow(units: number): number {
  return Math.ceil(((high - low) / units + 3) / wordCells) * wordCells;
}

/** Whether it lies in the tile or its buffer. */
export function isInside(x: number, y: number): boolean {
  return x >= low && x <= high && y >= low && y <= high;
}

/** What was drawn in cells or in a neighbour: within 2.24 times their width of all that lies in them. */
export class CellGrid {
  readonly #cells = new Uint8Array(cellsInRow(leastCellUnits) ** 2);
  readonly #words = new Int32Array(this.#cells.buffer);
  #rowCells = 0;
  #perUnit = 0;

  constructor() {
    this.clear(leastCellUnits);
  }

  /** @param units that cells are wide. */
  clear(units: number): void {
    this.#rowCells = cellsInRow(units);
    this.#perUnit = Math.ceil(2 ** fractionBits / units);
    this.#cells.fill(0, 0, this.#rowCells ** 2);
  }

  /** The cell of a position in the tile and its buffer. */
  cellAt(x: number, y: number): number {
    return this.#cellOf((x - low) * this.#perUnit, (y - low) * this.#perUnit);
  }

  marksOf(cell: number): number {
    return this.#cells[cell]!;
  }

  /** Whether cells of all places of a box in the tile and its buffer are marked. Looks at four of them at once. */
  covers(west: number, north: number, east: number, south: number, mark: number): boolean {
    const words = this.#words;
    const rowWords = this.#rowCells / wordCells;
    const corner = this.cellAt(west, north);
    const last = this.cellAt(east, south);
    const end = (this.cellAt(east, north) / wordCells) | 0;
    const all = mark * 0x01_01_01_01;
    let first = all << (8 * (corner % wordCells));
    let final = all >>> (8 * (wordCells - 1 - (last % wordCells)));
    let from = (corner / wordCells) | 0;
    if ((last - corner) * (end - from + 1) > mostLooks * this.#rowCells) return false;
    if (from === end) first = final &= first;
    for (let to = end; from * wordCells <= last; from += rowWords, to += rowWords) {
      if ((words[from]! & first) !== first || (words[to]! & final) !== final) return false;
      for (let at = from + 1; at < to; at += 1) if ((words[at]! & all) !== all) return false;
    }
    return true;
  }

  add(cell: number, mark: number): void {
    const cells = this.#cells;
    const rowCells = this.#rowCells;
    // Without a loop, which costs three times as much.
    cells[cell]! |= mark;
    cells[cell - 1]! |= mark;
    cells[cell + 1]! |= mark;
    cells[cell - rowCells]! |= mark;
    cells[cell + rowCells]! |= mark;
  }

  /**
   * How far vertices, each in another cell than the one before, lie upon what is drawn: most do where much is.
   * @param isBetween whether what is between them has to, too.
   * @returns the first one that does not, or `to`.
   */
  passed(columns: PositionColumns, from: number, to: number, isBetween: boolean): number {
    const { lonE7: xs, latE7: ys } = columns;
    const cells = this.#cells;
    let x0 = xs[from - 1]!;
    let y0 = ys[from - 1]!;
    let last = this.cellAt(x0, y0);
    for (let at = from; at < to; at += 1) {
      const x = xs[at]!;
      const y = ys[at]!;
      if (!isInside(x, y)) return at;
      const cell = this.cellAt(x, y);
      if (cell === last || (cells[cell]! & marks.once) === 0) return at;
      if (isBetween && (this.marksAlong(x0, y0, x, y) & marks.once) === 0) return at;
      x0 = x;
      y0 = y;
      last = cell;
    }
    return to;
  }

  /** The marks that are all along a step in the tile and its buffer, its ends apart. */
  marksAlong(x0: number, y0: number, x1: number, y1: number): number {
    const far = Math.max(Math.abs(x1 - x0), Math.abs(y1 - y0)) - 1;
    if (far < lookUnits) return marks.thrice;
    // So often is the step halved: without a division it takes a third less.
    const halves = 32 - Math.clz32((far / lookUnits) | 0);
    const cells = this.#cells;
    const rowCells = this.#rowCells;
    const east = ((x1 - x0) * this.#perUnit) >> halves;
    const south = ((y1 - y0) * this.#perUnit) >> halves;
    let x = (x0 - low) * this.#perUnit;
    let y = (y0 - low) * this.#perUnit;
    let found: number = marks.thrice;
    for (let at = (1 << halves) - 1; at > 0; at -= 1) {
      x += east;
      y += south;
      found &= cells[((y >> fractionBits) + 1) * rowCells + (x >> fractionBits) + 1]!;
    }
    return found;
  }

  /** Adds a step in the tile and its buffer. */
  addStep(x0: number, y0: number, x1: number, y1: number, mark: number): void {
    const dx = (x1 - x0) * this.#perUnit;
    const dy = (y1 - y0) * this.#perUnit;
    const steps = (Math.max(Math.abs(dx), Math.abs(dy)) >> fractionBits) + 1;
    const east = (dx / steps) | 0;
    const south = (dy / steps) | 0;
    let x = (x0 - low) * this.#perUnit;
    let y = (y0 - low) * this.#perUnit;
    for (let at = 0; at <= steps; at += 1) {
      this.add(this.#cellOf(x, y), mark);
      x += east;
      y += south;
    }
  }

  #cellOf(x: number, y: number): number {
    return ((y >> fractionBits) + 1) * this.#rowCells + (x >> fractionBits) + 1;
  }
}
