import { GeometryWriter, type Written } from './geometry-writer.ts';
import { tileBuffer } from './tile-grid.ts';
import { tileExtent } from './write-mvt.ts';

const low = -tileBuffer;
const high = tileExtent + tileBuffer;
/** Half a pixel. */
const cellBits = 2;
/** Two pixels: what lies between two places that have been drawn, so near to each other, need not be. */
const lookBits = 4;
/** So often may lines lie upon each other, which shows where most went, while a tile is nearly empty. */
const mostTimes = 3;
/** Cells of a box in which it is worth to look whether something is drawn. */
const mostLooks = 10_000;
/** With one more on each side, so that all cells of the tile and its buffer have neighbours. */
const cells = ((high - low) >> cellBits) + 3;

/** How often something was drawn in cells of half a pixel or in a neighbour: within 1.12 pixels of all that lies in them. */
class CellGrid {
  readonly #cells = new Uint8Array(cells * cells);

  clear(): void {
    this.#cells.fill(0);
  }

  times(cell: number): number {
    return this.#cells[cell]!;
  }

  /** Whether something was drawn beside all places of a box in the tile and its buffer: within 1.83 pixels. */
  covers(west: number, north: number, east: number, south: number): boolean {
    const corner = cellAt(west, north);
    const columns = (east - west) >> cellBits;
    const rows = (south - north) >> cellBits;
    if (columns * rows > mostLooks) return false;
    // Every other one: the cells between are beside them.
    for (let row = 0; row <= rows; row += 2)
      for (let column = 0; column <= columns; column += 2)
        if (this.#cells[corner + row * cells + column] === 0) return false;
    return true;
  }

  /** @param times that something was drawn there with this. */
  add(cell: number, times = 1): void {
    const grid = this.#cells;
    // Without a loop, which costs three times as much.
    if (grid[cell]! < times) grid[cell] = times;
    if (grid[cell - 1]! < times) grid[cell - 1] = times;
    if (grid[cell + 1]! < times) grid[cell + 1] = times;
    if (grid[cell - cells]! < times) grid[cell - cells] = times;
    if (grid[cell + cells]! < times) grid[cell + cells] = times;
  }

  /**
   * Adds a step in the tile and its buffer.
   * @param share of the room for it that is taken.
   * @returns false, having added nothing, if enough was drawn all along it.
   */
  addStep(x0: number, y0: number, x1: number, y1: number, share: number): boolean {
    const dx = x1 - x0;
    const dy = y1 - y0;
    const length = Math.max(Math.abs(dx), Math.abs(dy));
    // Fixes are shown in any case; what is between them only while there is much room.
    const looks = share < 1 / 4 ? (length >> lookBits) + 1 : 1;
    const most = share < 1 / 8 ? mostTimes : 1;
    let times = Math.min(most, this.times(cellAt(x0, y0)), this.times(cellAt(x1, y1)));
    for (let at = 1; at < looks && times > 0; at += 1)
      times = Math.min(times, this.times(cellAt(x0 + (at / looks) * dx, y0 + (at / looks) * dy)));
    if (times === most) return false;
    const steps = (length >> cellBits) + 1;
    for (let at = 0; at <= steps; at += 1)
      this.add(cellAt(x0 + (at / steps) * dx, y0 + (at / steps) * dy), times + 1);
    return true;
  }
}

/** The cell of a position in the tile and its buffer. */
function cellAt(x: number, y: number): number {
  return (((y - low) >> cellBits) + 1) * cells + ((x - low) >> cellBits) + 1;
}

function isInside(x: number, y: number): boolean {
  return x >= low && x <= high && y >= low && y <= high;
}

/** Geometry of a tile, without its waypoints: 60 kB or so when it is compressed. */
const mostBytes = 82_000;
/** Of it, what fixes by themselves may take: they are on lines, which go first where there is little room. */
const fixesShare = 1 / 4;
/** What a feature takes beside its geometry. */
const featureBytes = 32;

/**
 * Draws lines into a tile, cut at its buffer. A step that lies upon what is drawn already is left out, so that a tile is
 * small however many lines meet in it; what is left of a line that is nowhere longer than a cell is a dot.
 */
export class TileCanvas {
  readonly #written: Written = { bytes: 0 };
  readonly #grid = new CellGrid();
  readonly #fixes = new CellGrid();
  readonly #lines = new GeometryWriter(this.#written);
  readonly #dots = new GeometryWriter(this.#written);
  #hasFixes = false;
  #x = Number.NaN;
  #y = Number.NaN;
  /** −1 outside. */
  #cell = -1;
  /** It is the first of its line, and there is no other. */
  #isLone = false;

  get isFull(): boolean {
    return this.#share >= 1;
  }

  /** Begins a new tile, or another layer of it. @param hasFixes draws each vertex as a dot, too, while there is room. */
  clear(hasFixes = false): void {
    this.#grid.clear();
    if (hasFixes) this.#fixes.clear();
    this.#hasFixes = hasFixes;
    this.#x = Number.NaN;
    this.#isLone = false;
    this.take();
    this.#written.bytes = 0;
  }

  /** Ends the line; the next vertex begins another one. */
  lift(): void {
    if (this.#isLone && this.#cell >= 0 && !this.isFull) {
      const isDrawn = this.#hasFixes && this.#fixes.times(this.#cell) > 0;
      if (!isDrawn && this.#grid.times(this.#cell) === 0) this.#dots.point(this.#x, this.#y);
      this.#grid.add(this.#cell);
    }
    this.#isLone = false;
    this.#x = Number.NaN;
  }

  /** Adds a vertex, in units of the tile, be it in the tile or not. */
  vertex(exactX: number, exactY: number): void {
    const x = Math.round(exactX);
    const y = Math.round(exactY);
    const cell = isInside(x, y) ? cellAt(x, y) : -1;
    const isFirst = Number.isNaN(this.#x);
    // Vertices in one cell are one vertex.
    if (!isFirst && cell >= 0 && cell === this.#cell) return;
    if (this.#hasFixes && cell >= 0) this.#fix(x, y, cell);
    if (!isFirst) this.#step(x, y, cell);
    this.#isLone = isFirst;
    this.#cell = cell;
    this.#x = x;
    this.#y = y;
  }

  covers(west: number, north: number, east: number, south: number): boolean {
    const grid = this.#hasFixes && this.#share < fixesShare ? this.#fixes : this.#grid;
    return grid.covers(
      Math.max(west, low),
      Math.max(north, low),
      Math.min(east, high),
      Math.min(south, high),
    );
  }

  /** Gives what was drawn since the last call, for a feature; the line goes on. */
  take(): { readonly lines: number[]; readonly dots: number[] } {
    const taken = { lines: this.#lines.take(), dots: this.#dots.take() };
    for (const { length } of [taken.lines, taken.dots])
      if (length > 0) this.#written.bytes += featureBytes;
    return taken;
  }

  /** How much of the room is taken: 1 when there is none left. */
  get #share(): number {
    return this.#written.bytes / mostBytes;
  }

  #fix(x: number, y: number, cell: number): void {
    if (this.#fixes.times(cell) > 0 || this.#share >= fixesShare) return;
    this.#dots.point(x, y);
    this.#fixes.add(cell);
  }

  #step(x: number, y: number, cell: number): void {
    if (cell >= 0 && this.#cell >= 0) this.#draw(this.#x, this.#y, x, y);
    else {
      const part = clip(this.#x, this.#y, x, y);
      const isLine = part !== undefined && (part[0] !== part[2] || part[1] !== part[3]);
      if (isLine) this.#draw(...part);
    }
  }

  #draw(fromX: number, fromY: number, toX: number, toY: number): void {
    const share = this.#share;
    if (share < 1 && this.#grid.addStep(fromX, fromY, toX, toY, share))
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
