import { DayCursor, type PositionColumns } from '../../../storage/day-cursor.ts';
import type { DayRow } from '../../../storage/library/day-reader.ts';

/** Points that are decoded at once. */
const chunkPoints = 1_024;

/** The points of one blob, decoded a piece at a time. */
export class DayStream {
  readonly source: number;
  readonly kind: number;
  readonly columns: PositionColumns;
  /** The next point and the end of those decoded, in the columns. */
  at = 0;
  end = 0;
  /** What it keeps in memory, bytes. */
  readonly bytes: number;
  readonly #part: number;
  readonly #cursor: DayCursor;

  /** @throws DayBlobCorrupt */
  constructor({ source, kind, part, points }: DayRow, blob: Uint8Array) {
    this.source = source;
    this.kind = kind;
    this.#part = part;
    this.#cursor = new DayCursor(blob);
    const capacity = Math.min(chunkPoints, points);
    this.columns = {
      timeMs: new Float64Array(capacity),
      latE7: new Int32Array(capacity),
      lonE7: new Int32Array(capacity),
    };
    this.bytes = blob.length + capacity * 16;
  }

  get timeMs(): number {
    return this.columns.timeMs[this.at]!;
  }

  /** Makes sure that there is a next point. @returns false after the last. */
  fill(): boolean {
    if (this.at < this.end) return true;
    this.at = 0;
    this.end = this.#cursor.read(this.columns);
    return this.end > 0;
  }

  /** Order of the next points: by time; equal ones by source, kind and place in the file. */
  isBefore(other: DayStream): boolean {
    const ms = this.timeMs - other.timeMs;
    if (ms !== 0) return ms < 0;
    const order = this.source - other.source || this.kind - other.kind || this.#part - other.#part;
    return order < 0;
  }
}
