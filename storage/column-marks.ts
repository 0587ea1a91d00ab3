/** Points of a chunk (track-chunks.ts), without the first of the next one, to which it reaches; a power of two. */
export const chunkPoints = 64;

/** Where in a blob the numbers of each chunk begin, those of its first point apart. */
export class ColumnMarks {
  readonly times: number[] = [];
  readonly lats: number[] = [];
  readonly lons: number[] = [];
  /** What times count in. */
  unitMs = 1_000;

  clear(): void {
    this.times.length = this.lats.length = this.lons.length = 0;
  }
}

/** Notes where a number is written, the `index`th of its column. */
export function mark(marks: number[] | undefined, index: number, at: number): void {
  if ((index & (chunkPoints - 1)) === 1) marks?.push(at);
}
