import { latOfWorldY, lonOfWorldX, worldSizePx, worldX, worldY } from '../../model/mercator.ts';
import type { Bbox } from '../../model/schema.ts';
import { CellRuns, runFields, type SortedRuns } from './cell-runs.ts';
import { emptyExtent, extend, type PlaceColumns } from './place-columns.ts';
import type { SearchSnapshot } from './waypoint-index.ts';
import { zRanges, type PositionRange } from './z-ranges.ts';

/** What `GET /api/clusters` asks for. */
export interface ClusterRequest {
  /** 0…24, may be a fraction. */
  readonly zoom: number;
  /** Width of a cell, 8…512 pixels, may be a fraction. */
  readonly grid: number;
  readonly bookmarksOnly: boolean;
  /** Whether clusters tell the bounding box of their members. */
  readonly bounds: boolean;
  readonly bbox?: Bbox | undefined;
}

/** Places looked at between two yields; a millisecond or two. */
const stepPlaces = 65_536;
/** An item written costs about as much as this many places looked at. */
const itemPlaces = 64;
/** Length of a piece of text, UTF-16 units. */
const pieceLength = 65_536;

/**
 * Writes the clusters of all waypoints as one JSON array, in pieces (contract C). Each step is a millisecond or two of
 * work, and steps without text yield ''.
 *
 * A position on an edge belongs to the cell to the right or below: longitude 180 is pixel 256·2^zoom, which is a column
 * of its own where the grid divides the world, and −180 is column 0.
 */
export function* clusterJson(
  snapshot: SearchSnapshot,
  request: ClusterRequest,
): Generator<string, void> {
  const { zoom, grid, bbox, bookmarksOnly } = request;
  const { bookmarks, covered } = snapshot;
  const library = snapshot.library.data;
  const runs = new CellRuns({ sizePx: worldSizePx(zoom), grid, bbox });
  if (!bookmarksOnly) {
    const ranges: PositionRange[] =
      bbox === undefined ? [[0, library.count]] : zRanges(library, bbox);
    yield* addInSteps(runs, { ...library, covered }, ranges, 0);
  }
  yield* addInSteps(runs, bookmarks, [[0, bookmarks.count]], library.count);
  const sorting = runs.sorted();
  let step = sorting.next();
  for (; step.done !== true; step = sorting.next()) yield '';
  yield* writeItems(snapshot, request, step.value);
}

function* addInSteps(
  runs: CellRuns,
  places: PlaceColumns,
  ranges: readonly PositionRange[],
  offset: number,
): Generator<string, void> {
  let looked = 0;
  for (const [from, to] of ranges) {
    for (let start = from; start < to; start += stepPlaces) {
      const end = Math.min(start + stepPlaces, to);
      runs.add(places, start, end, offset);
      looked += end - start;
      if (looked < stepPlaces) continue;
      looked = 0;
      yield '';
    }
  }
}

function* writeItems(
  snapshot: SearchSnapshot,
  { bounds }: ClusterRequest,
  sorted: SortedRuns,
): Generator<string, void> {
  const { order } = sorted;
  const cells = new CellReader(snapshot, sorted, bounds);
  let text = '[';
  let separator = '';
  for (let i = 0; i < order.length; i += 1) {
    const item = cells.add(order[i]!, order[i + 1]);
    if (item !== '') {
      text += separator + item;
      separator = ',';
    }
    if (text.length < pieceLength && cells.work < stepPlaces) continue;
    yield text;
    text = '';
    cells.work = 0;
  }
  yield `${text}]`;
}

/** Makes items of sorted runs, each when its cell is complete. */
class CellReader {
  /** Work done since the caller last set it to 0, in places looked at. */
  work = 0;
  readonly #snapshot: SearchSnapshot;
  readonly #runs: Uint32Array;
  readonly #bounds: boolean;
  #members = 0;
  readonly #extent = emptyExtent();

  constructor(snapshot: SearchSnapshot, { runs }: SortedRuns, bounds: boolean) {
    this.#snapshot = snapshot;
    this.#runs = runs;
    this.#bounds = bounds;
  }

  /** Adds a run and gives its cell's item as JSON, or '' if `next` is of the same cell. */
  add(run: number, next: number | undefined): string {
    const at = run * runFields.length;
    const start = this.#runs[at + runFields.start]!;
    const end = this.#runs[at + runFields.end]!;
    this.work += end - start + itemPlaces;
    const isWhole = next === undefined || !this.#isSameCell(at, next * runFields.length);
    if (isWhole && this.#members === 0 && end - start === 1) return this.#waypoint(start);
    this.#extend(start, end);
    return isWhole ? this.#cluster() : '';
  }

  #isSameCell(at: number, other: number): boolean {
    const runs = this.#runs;
    return runs[at] === runs[other] && runs[at + runFields.row] === runs[other + runFields.row];
  }

  #extend(start: number, end: number): void {
    const { library, bookmarks } = this.#snapshot;
    const { count } = library.data;
    this.#members += end - start;
    if (start < count) extend(this.#extent, library.data, start, end);
    else extend(this.#extent, bookmarks, start - count, end - count);
  }

  #waypoint(member: number): string {
    const { library, bookmarks } = this.#snapshot;
    const isBookmark = member >= library.data.count;
    const at = isBookmark ? member - library.data.count : member;
    const { lat, lon } = isBookmark ? bookmarks : library.data;
    const name = isBookmark ? JSON.stringify(bookmarks.names[at]) : `"${library.jsonName(at)}"`;
    return `{"type":"waypoint","name":${name},"lat":${lat[at]},"lon":${lon[at]},"bookmark":${isBookmark}}`;
  }

  #cluster(): string {
    const { west, south, east, north } = this.#extent;
    const count = this.#members;
    this.#members = 0;
    Object.assign(this.#extent, emptyExtent());
    // The middle in pixels is the middle in the world at any zoom.
    const lat = latOfWorldY((worldY(south) + worldY(north)) / 2);
    const lon = lonOfWorldX((worldX(west) + worldX(east)) / 2);
    const bbox = this.#bounds ? `,"bbox":[${west},${south},${east},${north}]` : '';
    return `{"type":"cluster","lat":${lat},"lon":${lon},"count":${count}${bbox}}`;
  }
}
