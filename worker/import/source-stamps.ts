import { lstatSync, type BigIntStats } from 'node:fs';
import type { PackedEntry } from '../../formats/containers/packed-entry.ts';
import type { SourceFile } from './source-file.ts';
import type { LibraryWriter, SourceStamp } from '../../storage/library/writer.ts';

/**
 * A file written to within this time before it was hashed may be written to again within the same tick of its file
 * system's clock (2 s on FAT), and then looks unchanged: such a file is hashed each time. Git knows this as "racy".
 */
const settleMs = 4_000;

/**
 * Remembers the hashes of sources by device, inode, size and both times, so that a tree that is imported again is not
 * read again. The change time cannot be set by programs, so that a changed content shows even where somebody restores
 * the modification time. Anything that does not match exactly is hashed.
 */
export class SourceStamps {
  readonly #library: LibraryWriter;
  readonly #settledNs: bigint;
  readonly #fresh: { readonly stamp: SourceStamp; readonly sha256: string }[] = [];

  /** @param now when the import began, ms since 1970. */
  constructor(library: LibraryWriter, now: number) {
    this.#library = library;
    this.#settledNs = BigInt(Math.round(now) - settleMs) * 1_000_000n;
  }

  /** The SHA-256 of a source, or of a file in it, that is as it was when it was hashed last; undefined if it has to be read. */
  hashOf(path: string, packed?: PackedEntry): string | undefined {
    try {
      const stats = lstatSync(path, { bigint: true });
      return stats.isFile() ? this.#library.findSource(stampOf(stats, packed)) : undefined;
    } catch {
      return undefined; // Opening it will say why.
    }
  }

  /**
   * Notes what a source hashed to.
   * @param source with the stats from before it was read.
   */
  note({ stats, packed }: Pick<SourceFile, 'stats' | 'packed'>, sha256: string): void {
    if (this.isSettled(stats)) this.#fresh.push({ stamp: stampOf(stats, packed), sha256 });
  }

  /** Tells whether a source was left alone for long enough that its next change will show in its times. */
  isSettled({ mtimeNs, ctimeNs }: BigIntStats): boolean {
    return mtimeNs < this.#settledNs && ctimeNs < this.#settledNs;
  }

  /** Stores what was noted, in one transaction. */
  save(): void {
    if (this.#fresh.length > 0) this.#library.noteSources(this.#fresh);
    this.#fresh.length = 0;
  }
}

/** A file in a container has the stamp of that, and its own place in it. */
function stampOf(
  { dev, ino, size, mtimeNs, ctimeNs }: BigIntStats,
  packed: PackedEntry | undefined,
): SourceStamp {
  return {
    device: dev.toString(),
    inode: packed === undefined ? ino.toString() : `${ino}/${packed.at}`,
    size: Number(size),
    mtimeNs: mtimeNs.toString(),
    ctimeNs: ctimeNs.toString(),
  };
}
