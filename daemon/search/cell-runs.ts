import { cellOf, lonOfWorldX, worldX } from '../../model/mercator.ts';
import type { Bbox } from '../../model/schema.ts';
import { blockAt, blockFields, blockLength } from '../../worker/search-index/blocks.ts';
import { keyedOrder, radixSort, type KeyedOrder } from '../../worker/search-index/radix-sort.ts';
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
export const runFields = { column: 0, row: 1, start: 2, end: 3, length: 4 } as const;

/** The runs of all cells. */
export interface SortedRuns {
  /** The runs by row, then column, then order of arrival. */
  readonly order: Uint32Array;
  /** The fields of run n are at `n * runFields.length`. */
  readonly runs: Uint32Array;
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

  constructor(cells: CellGrid) {
    this.#cells = cells;
    this.#area = areaOf(cells.bbox);
  }

  /**
   * Adds the runs among the places `from`…`to` (exclusive).
   * @param offset Added to the numbers of places, to tell those of several sources apart.
   */
  add(places: PlaceColumns, from: number, to: number, offset: number): void {
    for (let at = from; at < to;) {
      const start = seek(places, this.#area, at, to, true);
      at = seek(places, this.#area, start, to, false);
      if (start < at) this.#addShown(places, start, at, offset);
    }
  }

  /** The inner loop of all: the edges of the cell are kept as plain numbers. */
  #addShown({ lon, y, blocks }: PlaceColumns, from: number, to: number, offset: number): void {
    const { sizePx, grid } = this.#cells;
    const width = grid / sizePx;
    let [runColumn, runRow] = [-1, -1];
    let [west, east, top, bottom] = [0, 0, 0, 0];
    for (let i = from; i < to; i += 1) {
      const block = blocks === undefined ? -1 : blockAt(i, to);
      if (block >= 0 && isBlockBetween(blocks!, block, west, east, top, bottom)) {
        i += blockLength - 1;
        continue;
      }
      if (isBetween(lon[i]!, west, east) && isBetween(y[i]!, top, bottom)) continue;
      const column = cellOf(worldX(lon[i]!), sizePx, grid);
      const row = cellOf(y[i]!, sizePx, grid);
      if (column === runColumn && row === runRow) continue;
      this.#open(column, row, i + offset);
      runColumn = column;
      runRow = row;
      west = lonOfWorldX(column * width) + edgeDegrees;
      east = lonOfWorldX((column + 1) * width) - edgeDegrees;
      top = row * width + edgeWorld;
      bottom = (row + 1) * width - edgeWorld;
    }
    this.#runs[(this.#count - 1) * runFields.length + runFields.end] = to + offset;
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
    return { order: pairs.order, runs: this.#runs };
  }

  #fillKeys({ keys, order }: KeyedOrder, field: number, from: number, to: number): void {
    for (let i = from; i < to; i += 1) keys[i] = this.#runs[order[i]! * runFields.length + field]!;
  }

  /** Begins a run; the one before it, if it is of the same stretch of places, ends there. */
  #open(column: number, row: number, start: number): void {
    const at = this.#count * runFields.length;
    if (at === this.#runs.length) this.#grow();
    if (at > 0 && this.#runs[at - 1] === 0) this.#runs[at - 1] = start;
    this.#runs[at] = column;
    this.#runs[at + runFields.row] = row;
    this.#runs[at + runFields.start] = start;
    this.#count += 1;
  }

  #grow(): void {
    const runs = new Uint32Array(this.#runs.length * 2);
    runs.set(this.#runs);
    this.#runs = runs;
  }
}

function isBetween(value: number, low: number, high: number): boolean {
  return value > low && value < high;
}

function isBlockBetween(
  blocks: Float64Array,
  block: number,
  west: number,
  east: number,
  top: number,
  bottom: number,
): boolean {
  return (
    blocks[block]! > west &&
    blocks[block + blockFields.east]! < east &&
    blocks[block + blockFields.top]! > top &&
    blocks[block + blockFields.bottom]! < bottom
  );
}
