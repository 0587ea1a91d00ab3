import type { PositionColumns } from '../../storage/day-cursor.ts';
import { GeometryWriter, type Written } from './geometry-writer.ts';
import { pixel, tileBuffer } from './tile-grid.ts';
import type { VertexSink } from './track-pen.ts';
import { tileExtent } from './write-mvt.ts';

const low = -tileBuffer;
const high = tileExtent + tileBuffer;
/** Half a pixel. */
const leastCellUnits = pixel / 2;
/** Two pixels: what lies between two places that have been drawn, so near to each other, need not be. */
const lookUnits = 2 * pixel;
/** Cells that are looked at at once. */
const wordCells = 4;
/** Words of a box in which it is worth to look whether something is drawn. */
const mostLooks = 2_500;
const fractionBits = 16;
/** What is drawn in a cell or beside it, as bits: lines once, twice and three times, and a fix. */
const marks = { once: 1, thrice: 7, fix: 8 } as const;
/** The corner of all cells, which is never marked. */
const nowhere = 0;

/** Whole words. With one more on each side, so that all cells of the tile and its buffer have neighbours. */
function cellsInRow(units: number): number {
  return Math.ceil(((high - low) / units + 3) / wordCells) * wordCells;
}

function isInside(x: number, y: number): boolean {
  return x >= low && x <= high && y >= low && y <= high;
}

/** What was drawn in cells or in a neighbour: within 2.24 times their width of all that lies in them. */
class CellGrid {
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

  /** The marks that are all along a step in the tile and its buffer, its ends apart. */
  marksAlong(x0: number, y0: number, x1: number, y1: number): number {
    const looks = ((Math.max(Math.abs(x1 - x0), Math.abs(y1 - y0)) - 1) / lookUnits) | 0;
    if (looks === 0) return marks.thrice;
    const share = this.#perUnit / (looks + 1);
    const east = ((x1 - x0) * share) | 0;
    const south = ((y1 - y0) * share) | 0;
    // In fractions of cells, without a product for each of them.
    let x = (x0 - low) * this.#perUnit;
    let y = (y0 - low) * this.#perUnit;
    let found = marks.thrice;
    for (let at = 0; at < looks; at += 1) {
      x += east;
      y += south;
      found &= this.#cells[this.#cellOf(x, y)]!;
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

/** Geometry of a tile, without its waypoints: 60 kB or so when it is compressed. */
const mostBytes = 82_000;
/**
 * Up to here fixes are shown by themselves, and lines that lie upon each other up to three times, which shows where most
 * went: they are on lines, which go first where there is little room.
 */
const amplyBytes = mostBytes / 8;
/** Up to here what is between two fixes that are shown is looked at. */
const betweenBytes = mostBytes / 4;
/** What a feature takes beside its geometry. */
const featureBytes = 32;

/**
 * Draws lines into a tile, cut at its buffer. A step that lies upon what is drawn already is left out, so that a tile is
 * small however many lines meet in it; what is left of a line that is nowhere longer than a cell is a dot.
 */
export class TileCanvas implements VertexSink {
  readonly #written: Written = { bytes: 0 };
  readonly #grid = new CellGrid();
  readonly #lines = new GeometryWriter(this.#written);
  readonly #dots = new GeometryWriter(this.#written);
  #hasFixes = false;
  #isOpen = false;
  #x = 0;
  #y = 0;
  /** `nowhere` outside, and where no line is open. */
  #cell = nowhere;
  /** It is the first of its line, and there is no other. */
  #isLone = false;

  get isFull(): boolean {
    return this.#written.bytes >= mostBytes;
  }

  /**
   * Begins a new tile, or another layer of it.
   * @param hasFixes draws each vertex as a dot, too, while there is room.
   * @param cellUnits how wide what is drawn once is.
   */
  clear(hasFixes = false, cellUnits = leastCellUnits): void {
    this.#grid.clear(cellUnits);
    this.#hasFixes = hasFixes;
    this.#isOpen = this.#isLone = false;
    this.#cell = nowhere;
    this.take();
    this.#written.bytes = 0;
  }

  /** Ends the line; the next vertex begins another one. */
  lift(): void {
    // One that is left out says nothing of those beside it: in a row of such nothing would be drawn.
    const { once, fix } = marks;
    const isDot = this.#isLone && this.#cell !== nowhere && !this.isFull;
    if (isDot && (this.#grid.marksOf(this.#cell) & (once | fix)) === 0) {
      this.#dots.point(this.#x, this.#y);
      this.#grid.add(this.#cell, once);
    }
    this.#isOpen = this.#isLone = false;
    this.#cell = nowhere;
  }

  /** Adds a vertex, in whole units of the tile, be it in the tile or not. */
  vertex(x: number, y: number): void {
    const cell = isInside(x, y) ? this.#grid.cellAt(x, y) : nowhere;
    // Vertices in one cell are one vertex.
    if (cell !== nowhere && cell === this.#cell) return;
    if (this.#hasFixes && cell !== nowhere) this.#fix(x, y, cell);
    if (this.#isOpen) this.#step(x, y, cell);
    this.#isLone = !this.#isOpen;
    this.#isOpen = true;
    this.#cell = cell;
    this.#x = x;
    this.#y = y;
  }

  vertices({ lonE7: xs, latE7: ys }: PositionColumns, from: number, to: number): void {
    for (let at = from; at < to; at += 1) this.vertex(xs[at]!, ys[at]!);
  }

  covers(west: number, north: number, east: number, south: number): boolean {
    const isFixed = this.#hasFixes && this.#written.bytes < amplyBytes;
    return this.#grid.covers(
      Math.max(west, low),
      Math.max(north, low),
      Math.min(east, high),
      Math.min(south, high),
      isFixed ? marks.fix : marks.once,
    );
  }

  /** Gives what was drawn since the last call, for a feature; the line goes on. */
  take(): { readonly lines: Uint8Array; readonly dots: Uint8Array } {
    const taken = { lines: this.#lines.takeLines(), dots: this.#dots.takePoints() };
    for (const { length } of [taken.lines, taken.dots])
      if (length > 0) this.#written.bytes += featureBytes;
    return taken;
  }

  #fix(x: number, y: number, cell: number): void {
    if (this.#written.bytes >= amplyBytes || (this.#grid.marksOf(cell) & marks.fix) !== 0) return;
    this.#dots.point(x, y);
    this.#grid.add(cell, marks.fix);
  }

  #step(x: number, y: number, cell: number): void {
    if (cell !== nowhere && this.#cell !== nowhere) {
      const grid = this.#grid;
      this.#draw(this.#x, this.#y, x, y, grid.marksOf(this.#cell) & grid.marksOf(cell));
    } else {
      const part = clip(this.#x, this.#y, x, y);
      const isLine = part !== undefined && (part[0] !== part[2] || part[1] !== part[3]);
      if (isLine) this.#draw(...part, 0);
    }
  }

  /** @param atEnds what both ends are marked with. */
  #draw(fromX: number, fromY: number, toX: number, toY: number, atEnds: number): void {
    const { bytes } = this.#written;
    if (bytes >= mostBytes) return;
    const most = bytes < amplyBytes ? marks.thrice : marks.once;
    let drawn = atEnds & most;
    // Fixes are shown in any case; what is between them only while there is much room.
    if (drawn > 0 && bytes < betweenBytes) drawn &= this.#grid.marksAlong(fromX, fromY, toX, toY);
    if (drawn === most) return;
    this.#grid.addStep(fromX, fromY, toX, toY, 2 * drawn + 1);
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
