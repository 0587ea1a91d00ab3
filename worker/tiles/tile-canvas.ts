import { GeometryWriter, type Written } from './geometry-writer.ts';
import { pixel, tileBuffer } from './tile-grid.ts';
import { tileExtent } from './write-mvt.ts';

const low = -tileBuffer;
const high = tileExtent + tileBuffer;
/** Half a pixel. */
const leastCellUnits = pixel / 2;
/** Two pixels: what lies between two places that have been drawn, so near to each other, need not be. */
const lookUnits = 2 * pixel;
/** So often may lines lie upon each other, which shows where most went, while a tile is nearly empty. */
const mostTimes = 3;
/** Cells of a box in which it is worth to look whether something is drawn. */
const mostLooks = 10_000;
/** Cells in a row, with one more on each side, so that all cells of the tile and its buffer have neighbours. */
const rowCells = Math.ceil((high - low) / leastCellUnits) + 3;
const fractionBits = 16;

/** How often something was drawn in cells or in a neighbour: within 2.24 times their width of all that lies in them. */
class CellGrid {
  readonly #cells = new Uint8Array(rowCells * rowCells);
  #perUnit = 2 ** fractionBits / leastCellUnits;

  /** @param units that cells are wide. */
  clear(units: number): void {
    this.#cells.fill(0);
    this.#perUnit = Math.ceil(2 ** fractionBits / units);
  }

  /** The cell of a position in the tile and its buffer. */
  cellAt(x: number, y: number): number {
    const row = (((y - low) * this.#perUnit) >> fractionBits) + 1;
    return row * rowCells + (((x - low) * this.#perUnit) >> fractionBits) + 1;
  }

  times(cell: number): number {
    return this.#cells[cell]!;
  }

  /** Whether something was drawn beside all places of a box in the tile and its buffer. */
  covers(west: number, north: number, east: number, south: number): boolean {
    const corner = this.cellAt(west, north);
    const last = this.cellAt(east, south);
    const columns = (last - corner) % rowCells;
    if ((last - corner) * columns > mostLooks * rowCells) return false;
    for (let row = corner; row <= last; row += rowCells)
      for (let cell = row; cell <= row + columns; cell += 1)
        if (this.#cells[cell] === 0) return false;
    return true;
  }

  /** @param times that something was drawn there with this. */
  add(cell: number, times = 1): void {
    const grid = this.#cells;
    // Without a loop, which costs three times as much.
    if (grid[cell]! < times) grid[cell] = times;
    if (grid[cell - 1]! < times) grid[cell - 1] = times;
    if (grid[cell + 1]! < times) grid[cell + 1] = times;
    if (grid[cell - rowCells]! < times) grid[cell - rowCells] = times;
    if (grid[cell + rowCells]! < times) grid[cell + rowCells] = times;
  }

  /** How often something was drawn all along a step in the tile and its buffer: `most` at most. */
  timesAlong(x0: number, y0: number, x1: number, y1: number, most: number): number {
    const looks = Math.ceil(Math.max(Math.abs(x1 - x0), Math.abs(y1 - y0)) / lookUnits);
    let times = most;
    for (let at = 1; at < looks && times > 0; at += 1) {
      const x = x0 + ((((x1 - x0) * at) / looks) | 0);
      const y = y0 + ((((y1 - y0) * at) / looks) | 0);
      times = Math.min(times, this.times(this.cellAt(x, y)));
    }
    return times;
  }

  /** Adds a step in the tile and its buffer. */
  addStep(x0: number, y0: number, x1: number, y1: number, times: number): void {
    const dx = (x1 - x0) * this.#perUnit;
    const dy = (y1 - y0) * this.#perUnit;
    const steps = (Math.max(Math.abs(dx), Math.abs(dy)) >> fractionBits) + 1;
    // In fractions of cells, without a product for each of them.
    let x = (x0 - low) * this.#perUnit;
    let y = (y0 - low) * this.#perUnit;
    const east = (dx / steps) | 0;
    const south = (dy / steps) | 0;
    for (let at = 0; at <= steps; at += 1) {
      this.add(((y >> fractionBits) + 1) * rowCells + (x >> fractionBits) + 1, times);
      x += east;
      y += south;
    }
  }
}

function isInside(x: number, y: number): boolean {
  return x >= low && x <= high && y >= low && y <= high;
}

/** Geometry of a tile, without its waypoints: 60 kB or so when it is compressed. */
const mostBytes = 82_000;
/** Of it, what fixes by themselves may take: they are on lines, which go first where there is little room. */
const fixesShare = 1 / 8;
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
  #isOpen = false;
  #x = 0;
  #y = 0;
  /** −1 outside, and where no line is open. */
  #cell = -1;
  /** It is the first of its line, and there is no other. */
  #isLone = false;

  get isFull(): boolean {
    return this.#share >= 1;
  }

  /**
   * Begins a new tile, or another layer of it.
   * @param hasFixes draws each vertex as a dot, too, while there is room.
   * @param cellUnits how wide what is drawn once is.
   */
  clear(hasFixes = false, cellUnits = leastCellUnits): void {
    this.#grid.clear(cellUnits);
    if (hasFixes) this.#fixes.clear(cellUnits);
    this.#hasFixes = hasFixes;
    this.#isOpen = this.#isLone = false;
    this.#cell = -1;
    this.take();
    this.#written.bytes = 0;
  }

  /** Ends the line; the next vertex begins another one. */
  lift(): void {
    if (this.#isLone && this.#cell >= 0 && !this.isFull) {
      const isDrawn = this.#hasFixes && this.#fixes.times(this.#cell) > 0;
      // One that is left out says nothing of those beside it: in a row of such nothing would be drawn.
      if (!isDrawn && this.#grid.times(this.#cell) === 0) {
        this.#dots.point(this.#x, this.#y);
        this.#grid.add(this.#cell);
      }
    }
    this.#isOpen = this.#isLone = false;
    this.#cell = -1;
  }

  /** Adds a vertex, in whole units of the tile, be it in the tile or not. */
  vertex(x: number, y: number): void {
    const cell = isInside(x, y) ? this.#grid.cellAt(x, y) : -1;
    // Vertices in one cell are one vertex.
    if (cell >= 0 && cell === this.#cell) return;
    if (this.#hasFixes && cell >= 0 && this.#fixes.times(cell) === 0) this.#fix(x, y, cell);
    if (this.#isOpen) this.#step(x, y, cell);
    this.#isLone = !this.#isOpen;
    this.#isOpen = true;
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
    if (this.#share >= fixesShare) return;
    this.#dots.point(x, y);
    this.#fixes.add(cell);
  }

  #step(x: number, y: number, cell: number): void {
    if (cell >= 0 && this.#cell >= 0) {
      const times = Math.min(this.#grid.times(this.#cell), this.#grid.times(cell));
      this.#draw(this.#x, this.#y, x, y, times);
    } else {
      const part = clip(this.#x, this.#y, x, y);
      const isLine = part !== undefined && (part[0] !== part[2] || part[1] !== part[3]);
      if (isLine) this.#draw(...part, 0);
    }
  }

  /** @param atEnds how often something was drawn at both ends. */
  #draw(fromX: number, fromY: number, toX: number, toY: number, atEnds: number): void {
    const share = this.#share;
    if (share >= 1) return;
    const grid = this.#grid;
    const most = share < 1 / 8 ? mostTimes : 1;
    let times = Math.min(most, atEnds);
    // Fixes are shown in any case; what is between them only while there is much room.
    if (times > 0 && share < 1 / 4) times = grid.timesAlong(fromX, fromY, toX, toY, times);
    if (times === most) return;
    grid.addStep(fromX, fromY, toX, toY, times + 1);
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
