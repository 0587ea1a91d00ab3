import { cellOf, lonOfWorldX, worldX } from '../model/mercator.ts';
import type { Bbox } from '../model/schema.ts';
import { blockAt, blockEnd, blockFields } from './index/blocks.ts';
import { keyedOrder, radixSort, type KeyedOrder } from './index/radix-sort.ts';
import { clearExtent, extentFields, isInside, setExtent, widen } from './extent.ts';
import { areaOf, seek, type Area, type PlaceColumns } from './place-columns.ts';

/** The grid of one zoom, and where to look. */
export interface CellGrid {
  /** Width of the world in pixels. */
  readonly sizePx: number;
  /** Width of a cell in pixels. */
  readonly grid: number;
  readonly bbox: Bbox | undefined;
}

/** Neighbours in memory that share a cell: the places `start`…`end` (exclusive). */
export const runFields = {
  column: 0,
  row: 1,
  start: 2,
  end: 3,
  /** Where its extent begins among the extents; a run of one place has none. */
  extent: 4,
  length: 5,
} as const;

/** The runs of all cells. */
export interface SortedRuns {
  /** The runs by row, then column, then order of arrival. */
  readonly order: Uint32Array;
  /** The fields of run n are at `n * runFields.length`. */
  readonly runs: Uint32Array;
  /** Where the places of the runs reach: see extent.ts. */
  readonly extents: Float64Array;
}

/**
 * How far from its cell's edges a place is taken to be inside without a projection: in degrees and in parts of the
 * world. Far more than rounding can move an edge, far less than the smallest cell (8 pixels at zoom 24: 7e-7 degrees).
 */
const edgeDegrees = 1e-10;
const edgeWorld = 1e-12;

/** Runs looked up between two yields, a millisecond at most. */
const stepRuns = 65_536;

/**
 * Finds which neighbours in memory share a cell. Places come along the Z-order curve, so a cell's members make few runs
 * (one, for the grid that the curve was made for); only the runs are sorted, and runs of one cell meet there.
 */
export class CellRuns {
  readonly #cells: CellGrid;
  readonly #area: Area;
  #runs = new Uint32Array(1_024 * runFields.length);
  #count = 0;
  #extents = new Float64Array(1_024 * extentFields.length);
  #extentsEnd = 0;
  /** Column and row of the open run; the column is −1 if there is none. */
  #column = -1;
  #row = -1;
  /** Its cell without the edges. */
  readonly #inner = new Float64Array(extentFields.length);
  readonly #extent = new Float64Array(extentFields.length);

  constructor(cells: CellGrid) {
    this.#cells = cells;
    this.#area = areaOf(cells.bbox);
    clearExtent(this.#extent);
  }

  /**
   * Adds the runs among the places `from`…`to` (exclusive).
   * @param offset Added to the numbers of places, to tell those of several sources apart.
   */
  add(places: PlaceColumns, from: number, to: number, offset: number): void {
    for (let at = from; at < to;) {
      const start = seek(places, this.#area, at, to, true);
      at = seek(places, this.#area, start, to, false);
      if (start === at) continue;
      this.#addShown(places, start, at, offset);
      this.#close(at + offset);
    }
  }

  /** The inner loop of all: most places lie where others of their run have been, and change nothing. */
  #addShown({ lon, y, blocks }: PlaceColumns, from: number, to: number, offset: number): void {
    const extent = this.#extent;
    for (let i = from; i < to;) {
      const end = Math.min(blockEnd(i), to);
      const block = blocks === undefined ? -1 : blockAt(i, to);
      if (block >= 0 && this.#takeBlock(blocks!, block)) i = end;
      for (; i < end; i += 1) {
        const placeLon = lon[i]!;
        const placeY = y[i]!;
        const isWithin =
          placeLon >= extent[0]! &&
          placeLon <= extent[1]! &&
          placeY >= extent[2]! &&
          placeY <= extent[3]!;
        if (!isWithin) this.#take(placeLon, placeY, i + offset);
      }
    }
  }

  /** Adds a place to the open run, or opens one for its cell. */
  #take(lon: number, y: number, place: number): void {
    if (!isInside(this.#inner, lon, lon, y, y)) {
      const { sizePx, grid } = this.#cells;
      const column = cellOf(worldX(lon), sizePx, grid);
      const row = cellOf(y, sizePx, grid);
      if (column !== this.#column || row !== this.#row) {
        this.#close(place);
        this.#open(column, row, place);
      }
    }
    widen(this.#extent, lon, lon, y, y);
  }

  /** Adds a whole block to the open run, if it lies in its cell. */
  #takeBlock(blocks: Float64Array, block: number): boolean {
    const west = blocks[block + blockFields.west]!;
    const east = blocks[block + blockFields.east]!;
    const top = blocks[block + blockFields.top]!;
    const bottom = blocks[block + blockFields.bottom]!;
    if (!isInside(this.#inner, west, east, top, bottom)) return false;
    widen(this.#extent, west, east, top, bottom);
    return true;
  }

  #open(column: number, row: number, start: number): void {
    const at = this.#count * runFields.length;
    if (at === this.#runs.length) this.#runs = filled(new Uint32Array(at * 2), this.#runs);
    this.#runs[at] = this.#column = column;
    this.#runs[at + runFields.row] = this.#row = row;
    this.#runs[at + runFields.start] = start;
    this.#count += 1;
    const width = this.#cells.grid / this.#cells.sizePx;
    setExtent(
      this.#inner,
      lonOfWorldX(column * width) + edgeDegrees,
      lonOfWorldX((column + 1) * width) - edgeDegrees,
      row * width + edgeWorld,
      (row + 1) * width - edgeWorld,
    );
  }

  /** Ends the open run, if there is one, before the place `end`. */
  #close(end: number): void {
    if (this.#column < 0) return;
    const at = (this.#count - 1) * runFields.length;
    this.#runs[at + runFields.end] = end;
    if (end - this.#runs[at + runFields.start]! > 1) {
      this.#runs[at + runFields.extent] = this.#extentsEnd;
      this.#keepExtent();
    }
    this.#column = -1;
    setExtent(this.#inner, NaN, NaN, NaN, NaN);
    clearExtent(this.#extent);
  }

  #keepExtent(): void {
    const { length } = this.#extents;
    if (this.#extentsEnd === length) {
      this.#extents = filled(new Float64Array(length * 2), this.#extents);
    }
    // Four stores cost less than one native copy.
    for (let i = 0; i < extentFields.length; i += 1) {
      this.#extents[this.#extentsEnd + i] = this.#extent[i]!;
    }
    this.#extentsEnd += extentFields.length;
  }

  /** Sorts the runs; yields after each slice of work, as {@link radixSort} does. */
  *sorted(): Generator<undefined, SortedRuns> {
    const count = this.#count;
    const pairs = keyedOrder(count);
    yield;
    const scratch = keyedOrder(count);
    yield;
    for (const field of [runFields.column, runFields.row]) {
      for (let from = 0; from < count; from += stepRuns) {
        this.#fillKeys(pairs, field, from, Math.min(from + stepRuns, count));
        yield;
      }
      yield* radixSort(pairs, scratch, 0, count);
    }
    return { order: pairs.order, runs: this.#runs, extents: this.#extents };
  }

  #fillKeys({ keys, order }: KeyedOrder, field: number, from: number, to: number): void {
    for (let i = from; i < to; i += 1) keys[i] = this.#runs[order[i]! * runFields.length + field]!;
  }
}

/** Copies a column into the beginning of a longer one. */
function filled<Column extends Uint32Array | Float64Array>(longer: Column, from: Column): Column {
  longer.set(from);
  return longer;
}
