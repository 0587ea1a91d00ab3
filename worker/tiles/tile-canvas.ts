import { GeometryWriter } from './geometry-writer.ts';
import { pixel, tileBuffer } from './tile-grid.ts';
import { tileExtent } from './write-mvt.ts';

const low = -tileBuffer;
const high = tileExtent + tileBuffer;
/** Half a pixel. */
const cellBits = 2;
const cells = ((high - low) >> cellBits) + 1;
/** A step so short need not be drawn where both of its ends have been drawn. */
const shortStep = 2 * pixel;

/** Which cells of half a pixel have something in them. */
export class CellGrid {
  readonly #cells = new Uint8Array(cells * cells);

  clear(): void {
    this.#cells.fill(0);
  }

  /** @returns whether it had nothing in it; false outside. */
  mark(cell: number): boolean {
    if (this.#cells[cell] !== 0) return false;
    this.#cells[cell] = 1;
    return true;
  }
}

/** The cell of a position; −1 outside the tile and its buffer. */
export function cellAt(x: number, y: number): number {
  return isInside(x, y) ? ((y - low) >> cellBits) * cells + ((x - low) >> cellBits) : -1;
}

function isInside(x: number, y: number): boolean {
  return x >= low && x <= high && y >= low && y <= high;
}

/**
 * Draws lines into a tile, cut at its buffer. What lies upon something that is drawn already, by half a pixel, is left out,
 * so that a tile is small however many lines meet in it; what is left of a line that is nowhere longer than that is a dot.
 */
export class TileCanvas {
  readonly #grid = new CellGrid();
  readonly #lines = new GeometryWriter();
  readonly #dots = new GeometryWriter();
  #x = Number.NaN;
  #y = Number.NaN;
  #cell = -1;
  /** Nothing had been drawn there. */
  #isNew = false;
  /** It is the first of its line, and no step from it has been drawn. */
  #isLone = false;

  clear(): void {
    this.#grid.clear();
    this.#x = Number.NaN;
    this.#isLone = false;
    this.take();
  }

  /** Ends the line; the next vertex begins another one. */
  lift(): void {
    if (this.#isLone) this.#dots.point(this.#x, this.#y);
    this.#isLone = false;
    this.#x = Number.NaN;
  }

  /** Adds a vertex, in units of the tile, be it in the tile or not. */
  vertex(exactX: number, exactY: number): void {
    const x = Math.round(exactX);
    const y = Math.round(exactY);
    const cell = cellAt(x, y);
    const isFirst = Number.isNaN(this.#x);
    // Vertices in one cell are one vertex.
    if (!isFirst && cell >= 0 && cell === this.#cell) return;
    const isNew = this.#grid.mark(cell);
    if (isFirst) this.#isLone = isNew;
    else if (isNew || this.#isNew || !this.#isShort(x, y, cell)) this.#step(x, y);
    this.#isNew = isNew;
    this.#cell = cell;
    this.#x = x;
    this.#y = y;
  }

  /** Gives what was drawn since the last call; the line goes on. */
  take(): { readonly lines: number[]; readonly dots: number[] } {
    return { lines: this.#lines.take(), dots: this.#dots.take() };
  }

  #isShort(x: number, y: number, cell: number): boolean {
    if (cell < 0 || this.#cell < 0) return false;
    return Math.abs(x - this.#x) <= shortStep && Math.abs(y - this.#y) <= shortStep;
  }

  #step(x: number, y: number): void {
    const clipped = clip(this.#x, this.#y, x, y);
    if (clipped === undefined) return;
    const [fromX, fromY, toX, toY] = clipped;
    if (fromX === toX && fromY === toY) return;
    this.#isLone = false;
    this.#lines.segment(fromX, fromY, toX, toY);
  }
}

/** The part of a step that lies in the tile and its buffer (Liang and Barsky 1984). */
function clip(
  x0: number,
  y0: number,
  x1: number,
  y1: number,
): readonly [number, number, number, number] | undefined {
  if (isInside(x0, y0) && isInside(x1, y1)) return [x0, y0, x1, y1];
  const [dx, dy] = [x1 - x0, y1 - y0];
  let [first, last] = [0, 1];
  for (const [delta, room] of [
    [-dx, x0 - low],
    [dx, high - x0],
    [-dy, y0 - low],
    [dy, high - y0],
  ] as const) {
    if (delta === 0 && room < 0) return undefined;
    if (delta < 0) first = Math.max(first, room / delta);
    if (delta > 0) last = Math.min(last, room / delta);
  }
  if (first > last) return undefined;
  return [
    Math.round(x0 + first * dx),
    Math.round(y0 + first * dy),
    Math.round(x0 + last * dx),
    Math.round(y0 + last * dy),
  ];
}
