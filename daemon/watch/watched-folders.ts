import { realDirectory } from '../../client/waypoints/node/hand-over-file.ts';
import { describeError } from '../../model/error-description.ts';
import type { Log } from '../../model/process.ts';
import type { WatchedFolderStatus } from '../../model/status.ts';
import { ImportProgress } from '../../worker/import/progress.ts';
import type { LibraryWork } from '../import/library-work.ts';
import { scheduleTimeout, waitAtMost, type Schedule } from '../schedule.ts';
import { WatchedFolder } from './watched-folder.ts';

export interface WatchedFoldersOptions {
  /** Absolute. */
  readonly dirs: readonly string[];
  /** Directories of ours, in which nothing is a source. */
  readonly own: readonly string[];
  readonly library: Pick<LibraryWork, 'turn' | 'import' | 'isClosed'>;
  readonly log: Log;
  readonly schedule?: Schedule | undefined;
}

/** Files of one import: others wait for it for some seconds at most, a person for one file. */
const batchFiles = 256;
/** After a full disk or a worker that failed, in ticks of a second. */
const laterTicks = 60;
const closeMs = 3_000;

/** Imports what comes into the folders of the setting `watch_dirs`, one batch after the other, whenever no other import wants to run. */
export class WatchedFolders {
  readonly #options: WatchedFoldersOptions;
  #folders: readonly WatchedFolder[] = [];
  readonly #make: (dir: string) => WatchedFolder;
  #running: Promise<void> | undefined;
  #progress: ImportProgress | undefined;
  #isClosed = false;

  constructor(options: WatchedFoldersOptions) {
    const { schedule = scheduleTimeout } = options;
    const own = options.own.map(realDirectory);
    const onReady = () => {
      this.#running ??= this.#importAll().finally(() => (this.#running = undefined));
    };
    this.#options = options;
    this.#make = (dir) => new WatchedFolder({ dir, own, schedule, onReady });
  }

  start(): void {
    this.follow(this.#options.dirs);
  }

  /** Follows these folders from now on and no others, whose imported files stay. @param dirs absolute. */
  follow(dirs: readonly string[]): void {
    if (this.#isClosed) return;
    for (const folder of this.#folders) if (!dirs.includes(folder.dir)) void folder.close();
    const known = new Map(this.#folders.map((folder) => [folder.dir, folder]));
    this.#folders = dirs.map((dir) => known.get(dir) ?? this.#make(dir));
    for (const folder of this.#folders) if (!known.has(folder.dir)) folder.start();
  }

  status(): WatchedFolderStatus[] {
    return this.#folders.map((folder) => folder.status());
  }

  /** Ends what is running at the next file. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#progress?.cancel();
    const ends = this.#folders.map((folder) => folder.close());
    await waitAtMost(closeMs, Promise.allSettled([this.#running, ...ends]));
  }

  async #importAll(): Promise<void> {
    for (;;) {
      const folder = this.#folders.find(({ hasReady }) => hasReady);
      if (folder === undefined || this.#isClosed) return;
      await this.#importFrom(folder);
    }
  }

  async #importFrom(folder: WatchedFolder): Promise<void> {
    const { library, log } = this.#options;
    const progress = new ImportProgress();
    using _turn = await library.turn(false, () => progress.endSoon());
    const batch = folder.takeReady(batchFiles);
    this.#progress = progress;
    try {
      if (this.#isClosed || library.isClosed || batch.size === 0) return;
      const request = { dir: folder.dir, files: [...batch.keys()] };
      const outcome = await library.import(request, progress, 'watch');
      const { result, isDiskFull } = outcome;
      const { added, replaced, duplicates, failed } = result;
      if (isDiskFull) folder.putBack(batch, laterTicks);
      else folder.settle(batch, outcome);
      if (outcome.displaced.size > 0)
        for (const each of this.#folders) each.lookAgain(outcome.displaced);
      if (isDiskFull) log.warn('watch.disk_full');
      if (added + replaced + failed > 0)
        log.info('watch.imported', { added, replaced, duplicates, failed });
    } catch (error) {
      folder.putBack(batch, laterTicks);
      if (!this.#isClosed) log.error('watch.not_imported', describeError(error));
    } finally {
      this.#progress = undefined;
    }
  }
}
