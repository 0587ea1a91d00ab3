import { latOfWorldY, lonOfWorldX, worldSizePx, worldX } from '../model/mercator.ts';
import type { Bbox } from '../model/schema.ts';
import { CellRuns, runFields, type SortedRuns } from './cell-runs.ts';
import { clearExtent, extentFields, widen } from './extent.ts';
import { JsonBytes } from './json-bytes.ts';
import { latitudes, type PlaceColumns } from './place-columns.ts';
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
/** Length of a piece of text. */
const pieceBytes = 65_536;

/**
 * Writes the clusters of all waypoints as one JSON array, in pieces (contract C). Each step is a millisecond or two of
 * work, and steps without text yield ''. Centres are rounded to 1e-9 degree.
 *
 * A position on an edge belongs to the cell to the right or below: longitude 180 is pixel 256·2^zoom, which is a column
 * of its own where the grid divides the world, and −180 is column 0.
 */
export function* clusterJson(
  snapshot: SearchSnapshot,
  request: ClusterRequest,
): Generator<string, void> {
  const { zoom, grid, bbox, bookmarksOnly } = request;
  const { bookmarks, suppressed } = snapshot;
  const library = snapshot.library.data;
  const runs = new CellRuns({ sizePx: worldSizePx(zoom), grid, bbox });
  if (!bookmarksOnly) {
    const ranges: PositionRange[] =
      bbox === undefined ? [[0, library.count]] : zRanges(library, bbox);
    yield* addInSteps(runs, { ...library, suppressed }, ranges, 0);
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
  const writer = new CellWriter(snapshot, sorted, bounds);
  for (let i = 0; i < order.length; i += 1) {
    writer.add(order[i]!, order[i + 1]);
    if (writer.isStepOver()) yield writer.take();
  }
  yield writer.takeLast();
}

/** Writes items from sorted runs, each when its cell is complete. */
class CellWriter {
  readonly #snapshot: SearchSnapshot;
  readonly #sorted: SortedRuns;
  readonly #bounds: boolean;
  readonly #json = new JsonBytes();
  #separator = '[';
  /** Work of this step, in places looked at. */
  #work = 0;
  #members = 0;
  readonly #extent = new Float64Array(extentFields.length);
  /** Kept only when bounds are asked for: the extent has no latitudes. */
  #south = Infinity;
  #north = -Infinity;

  constructor(snapshot: SearchSnapshot, sorted: SortedRuns, bounds: boolean) {
    this.#snapshot = snapshot;
    this.#sorted = sorted;
    this.#bounds = bounds;
    this.#clear();
  }

  /** Adds a run and, unless `next` is of the same cell, writes the item. */
  add(run: number, next: number | undefined): void {
    const { runs } = this.#sorted;
    const at = run * runFields.length;
    const start = runs[at + runFields.start]!;
    const end = runs[at + runFields.end]!;
    this.#work += itemPlaces;
    const isWhole = next === undefined || !this.#isSameCell(at, next * runFields.length);
    const isAlone = isWhole && this.#members === 0 && end - start === 1;
    if (!isAlone) this.#extend(at, start, end);
    if (!isWhole) return;
    this.#json.ascii(this.#separator);
    this.#separator = ',';
    if (isAlone) this.#writeWaypoint(start);
    else this.#writeCluster();
  }

  isStepOver(): boolean {
    return this.#json.length >= pieceBytes || this.#work >= stepPlaces;
  }

  /** Gives the text of this step. */
  take(): string {
    this.#work = 0;
    return this.#json.take();
  }

  /** Gives the rest of the array. */
  takeLast(): string {
    this.#json.ascii(this.#separator === '[' ? '[]' : ']');
    return this.take();
  }

  #isSameCell(at: number, other: number): boolean {
    const { runs } = this.#sorted;
    return runs[at] === runs[other] && runs[at + runFields.row] === runs[other + runFields.row];
  }

  #extend(run: number, start: number, end: number): void {
    const { library, bookmarks } = this.#snapshot;
    const { count } = library.data;
    const places = start < count ? library.data : bookmarks;
    const first = start < count ? start : start - count;
    this.#members += end - start;
    if (end - start === 1) {
      const [lon, y] = [places.lon[first]!, places.y[first]!];
      widen(this.#extent, lon, lon, y, y);
    } else {
      const { runs, extents } = this.#sorted;
      const at = runs[run + runFields.extent]!;
      widen(this.#extent, extents[at]!, extents[at + 1]!, extents[at + 2]!, extents[at + 3]!);
    }
    if (!this.#bounds) return;
    const [south, north] = latitudes(places, first, first + end - start);
    this.#work += end - start;
    this.#south = Math.min(this.#south, south);
    this.#north = Math.max(this.#north, north);
  }

  #writeWaypoint(member: number): void {
    const { library, bookmarks } = this.#snapshot;
    const { count, names, nameStart } = library.data;
    const isBookmark = member >= count;
    const at = isBookmark ? member - count : member;
    const { lat, lon } = isBookmark ? bookmarks : library.data;
    const json = this.#json;
    json.ascii('{"type":"waypoint","name":');
    if (isBookmark) json.string(bookmarks.names[at]!);
    else {
      json.ascii('"');
      json.utf8(names, nameStart[at]!, nameStart[at + 1]!);
      json.ascii('"');
    }
    json.ascii(',"lat":');
    json.number(lat[at]!);
    json.ascii(',"lon":');
    json.number(lon[at]!);
    json.ascii(isBookmark ? ',"bookmark":true}' : ',"bookmark":false}');
  }

  #writeCluster(): void {
    const json = this.#json;
    const west = this.#extent[extentFields.west]!;
    const east = this.#extent[extentFields.east]!;
    const top = this.#extent[extentFields.top]!;
    const bottom = this.#extent[extentFields.bottom]!;
    json.ascii('{"type":"cluster","lat":');
    // The middle in pixels is the middle in the world at any zoom.
    json.rounded(latOfWorldY((top + bottom) / 2));
    json.ascii(',"lon":');
    json.rounded(lonOfWorldX((worldX(west) + worldX(east)) / 2));
    json.ascii(`,"count":${this.#members}`);
    if (this.#bounds) json.ascii(`,"bbox":[${west},${this.#south},${east},${this.#north}]`);
    json.ascii('}');
    this.#clear();
  }

  #clear(): void {
    this.#members = 0;
    this.#south = Infinity;
    this.#north = -Infinity;
    clearExtent(this.#extent);
  }
}
