import type { FormatName } from '../../model/recorder-formats.ts';
import type { RecordingSummary } from '../../model/recording.ts';

/** An imported file as the library knows it. */
export interface LibraryFile {
  /** That of the list of imports. */
  readonly id: number;
  /** Relative to `imports/`, with `/`. */
  readonly path: string;
  /** The path as paths are compared. */
  readonly pathKey: string;
  /** 64 lower-case hex digits. */
  readonly sha256: string;
  readonly size: number;
  /** Decimal digits: a double cannot hold it. */
  readonly mtimeNs: string;
}

/** What tells whether a file was changed since. */
export type FileStamp = Pick<LibraryFile, 'size' | 'mtimeNs'>;

/** What tells that a source is the very file it was, unchanged; decimal digits where a double would not do. */
export interface SourceStamp {
  readonly device: string;
  readonly inode: string;
  readonly size: number;
  readonly mtimeNs: string;
  readonly ctimeNs: string;
}

/** What was read of one file. */
export interface FileCounts extends RecordingSummary {
  readonly format: FormatName;
}

/** A file that gets rows. */
export interface NewFile extends Pick<LibraryFile, 'path' | 'pathKey' | 'sha256'> {
  /** The next one by default. */
  readonly id?: number;
}

/** The smallest box that holds all points of a file, in degrees; null for a file without any. */
export type FileBounds = Readonly<Record<'south' | 'west' | 'north' | 'east', number | null>>;

/** The box of all points that it gets. */
export class PointBounds {
  #south = Infinity;
  #west = Infinity;
  #north = -Infinity;
  #east = -Infinity;

  add(lat: number, lon: number): void {
    if (lat < this.#south) this.#south = lat;
    if (lat > this.#north) this.#north = lat;
    if (lon < this.#west) this.#west = lon;
    if (lon > this.#east) this.#east = lon;
  }

  get box(): FileBounds {
    if (this.#south > this.#north) return { south: null, west: null, north: null, east: null };
    return { south: this.#south, west: this.#west, north: this.#north, east: this.#east };
  }
}
