import type { PositionColumns } from '../../storage/day-cursor.ts';
import { CellGrid, high, isInside, leastCellUnits, low, marks, nowhere } from './cell-grid.ts';
import { GeometryWriter, type Written } from './geometry-writer.ts';
import type { VertexSink } from './track-pen.ts';

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

  vertices(columns: PositionColumns, from: number, to: number): void {
    const { lonE7: xs, latE7: ys } = columns;
    for (let at = from; at < to; at += 1) {
      this.vertex(xs[at]!, ys[at]!);
      at = this.#pass(columns, at + 1, to) - 1;
    }
  }

  /** Goes on with vertices for which nothing is drawn. */
  #pass(columns: PositionColumns, from: number, to: number): number {
    const { lonE7: xs, latE7: ys } = columns;
    const { bytes } = this.#written;
    // A vertex in the cell of the one before was left out: there the line goes on from that one.
    const isHere = this.#x === xs[from - 1] && this.#y === ys[from - 1];
    const isDrawn = (this.#grid.marksOf(this.#cell) & marks.once) !== 0;
    if (!isHere || !isDrawn || bytes < amplyBytes) return from;
    const end = this.#grid.passed(columns, from, to, bytes < betweenBytes);
    if (end > from) {
      this.#x = xs[end - 1]!;
      this.#y = ys[end - 1]!;
      this.#cell = this.#grid.cellAt(this.#x, this.#y);
      this.#isLone = false;
    }
    return end;
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
