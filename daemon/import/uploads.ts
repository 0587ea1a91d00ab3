import { randomBytes } from 'node:crypto';
import { mkdir, open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorCode } from '../../model/error-code.ts';
import { WaypointError } from '../../model/failure.ts';
import type { ImportUpload } from '../../model/imports.ts';
import { limits } from '../../model/limits.ts';
import { ImportProgress } from '../../worker/import/progress.ts';
import type { LibraryWork } from './library-work.ts';
import type { Imported } from './run.ts';

export interface UploadsOptions {
  readonly library: LibraryWork;
  /** Where uploads lie until they are imported; emptied at the first of them. */
  readonly directory: string;
  readonly countWaypoints: () => number | Promise<number>;
  /** Of one file; tests bring a smaller bound. */
  readonly mostBytes?: number;
}

/** What the file system says of a name that is impossible there: Windows, of one that is too long, that it is not there. */
const tooLong = process.platform === 'win32' ? ['ENOENT'] : [];
const refusedNames = new Set([...tooLong, 'ENAMETOOLONG', 'EINVAL', 'EILSEQ', 'ENOTDIR']);

/** Files that come over HTTP, each imported as it is whole; they wait for a person's import, never the other way. */
export class Uploads {
  readonly #options: UploadsOptions;
  #running = 0;
  #ready: Promise<unknown> | undefined;

  constructor(options: UploadsOptions) {
    this.#options = options;
  }

  /**
   * Stores a file and imports it as a relative path, in place of what is there.
   * @throws WaypointError busy, too_large, invalid (path), disk_full, unavailable, and what `pieces` throws
   */
  async take(upload: ImportUpload, pieces: AsyncIterable<Uint8Array>): Promise<Imported> {
    if (this.#running >= limits.uploads) throw new WaypointError('busy');
    this.#running += 1;
    const { directory, mostBytes = limits.uploadBytes } = this.#options;
    const own = join(directory, randomBytes(12).toString('hex'));
    try {
      // What a killed daemon has left.
      this.#ready ??= removeAsFarAsPossible(directory);
      await this.#ready;
      await receive(join(own, upload.path), pieces, mostBytes);
      return await this.#import(own, upload);
    } finally {
      this.#running -= 1;
      await removeAsFarAsPossible(own);
    }
  }

  async #import(
    dir: string,
    { path, again = true, salvage = false }: ImportUpload,
  ): Promise<Imported> {
    const { library, countWaypoints } = this.#options;
    if (library.isClosed) throw new WaypointError('unavailable');
    using _turn = await library.turn(false);
    const request = { dir, files: [path], again, salvage };
    const progress = new ImportProgress();
    const outcome = await library.import(request, progress, 'upload');
    if (outcome.isDiskFull) throw new WaypointError('disk_full');
    const result = { ...outcome.result, dedup_count: await countWaypoints() };
    return { result, change: outcome.change };
  }
}

/** On Windows another program may hold a file for a while: it goes with those that a killed daemon leaves. */
async function removeAsFarAsPossible(directory: string): Promise<void> {
  await rm(directory, { recursive: true, force: true }).catch(() => undefined);
}

async function receive(
  path: string,
  pieces: AsyncIterable<Uint8Array>,
  mostBytes: number,
): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const handle = await open(path, 'wx', 0o600);
    try {
      let bytes = 0;
      for await (const piece of pieces) {
        bytes += piece.length;
        if (bytes > mostBytes) throw new WaypointError('too_large');
        await handle.writeFile(piece);
      }
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (!refusedNames.has(errorCode(error) ?? '')) throw error;
    throw new WaypointError('invalid', { field: 'path', cause: error });
  }
}
