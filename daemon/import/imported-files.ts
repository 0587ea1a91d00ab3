import { rm } from 'node:fs/promises';
import { WaypointError } from '../../model/failure.ts';
import type { ImportState } from '../../model/imports.ts';
import type { ImportLedger, LedgerFile } from '../../storage/waypoints/imports.ts';
import type { FileStep } from '../../worker/import/change-files.ts';
import { keptPath } from '../../worker/import/managed-copies.ts';
import { ImportProgress } from '../../worker/import/progress.ts';
import type { LedgerSync } from './ledger-sync.ts';
import type { LibraryWork } from './library-work.ts';
import { openContent, type OpenContent } from './open-content.ts';

export interface ImportedFilesOptions {
  readonly library: LibraryWork;
  readonly ledger: LedgerSync;
  readonly list: ImportLedger;
  readonly importsDirectory: string;
}

/** Removes imported files and brings them back; each change is a run of the list (storage/waypoints/imports.ts). */
export class ImportedFiles {
  readonly #options: ImportedFilesOptions;

  constructor(options: ImportedFilesOptions) {
    this.#options = options;
  }

  /** @throws WaypointError not_found */
  find(id: number): LedgerFile {
    const file = this.#options.list.find(id);
    if (file === undefined) throw new WaypointError('not_found');
    return file;
  }

  /** The original bytes of a file. @throws WaypointError not_found */
  open(id: number): Promise<OpenContent> {
    return openContent(this.#options.importsDirectory, this.find(id));
  }

  /**
   * Takes files out of the library; their bytes are kept. Those that are out of it already are marked.
   * @param after `removed` keeps their contents out of later imports, `replaced` does not.
   * @returns the run; undefined when nothing was changed.
   * @throws WaypointError not_found, import_not_kept, disk_full, unavailable
   */
  remove(
    ids: readonly number[],
    after: Exclude<ImportState, 'active'> = 'removed',
  ): Promise<number | undefined> {
    return this.#inTurn(async () => {
      const { ledger } = this.#options;
      const wanted = ids.map((id) => this.find(id)).filter(({ state }) => state !== after);
      if (wanted.length === 0) return undefined;
      const run = ledger.begin(
        'remove',
        undefined,
        wanted.map(({ id }) => ({ id, after })),
      );
      let gone: readonly number[] = [];
      try {
        await this.#take(wanted.filter(({ state }) => state === 'active').map(removal));
      } finally {
        gone = ledger.finishRemoval(run);
      }
      if (gone.length < wanted.length) throw new WaypointError('import_not_kept');
      return run;
    });
  }

  /**
   * Makes files active again; what took their places is replaced.
   * @returns as remove. @throws as remove
   */
  restore(ids: readonly number[]): Promise<number | undefined> {
    return this.#inTurn(async () => {
      const { ledger } = this.#options;
      const wanted = ids.map((id) => this.find(id)).filter(({ state }) => state !== 'active');
      if (wanted.length === 0) return undefined;
      const run = ledger.begin('restore', undefined, []);
      let done = 0;
      try {
        done = await this.#take(wanted.map((file) => this.#restoration(file)));
      } finally {
        await ledger.finish(run);
      }
      if (done < wanted.length) throw new WaypointError('import_not_kept');
      return run;
    });
  }

  /**
   * Takes back a run of the list: what it brought goes, what it replaced or removed comes back.
   * @throws as remove; WaypointError later_change
   */
  async revert(run: number): Promise<void> {
    const files = this.#options.list.filesOfRun(run);
    if (files.some(({ id, after }) => this.find(id).state !== after))
      throw new WaypointError('later_change');
    const brought = files.filter(({ after }) => after === 'active');
    for (const state of ['removed', 'replaced'] as const) {
      const ids = brought.filter(({ before }) => (before ?? 'replaced') === state);
      await this.remove(
        ids.map(({ id }) => id),
        state,
      );
    }
    await this.restore(files.filter(({ before }) => before === 'active').map(({ id }) => id));
  }

  /** Removes a file and its bytes, for good. @throws as remove */
  async removeForever(id: number): Promise<void> {
    await this.remove([id]);
    await this.#inTurn(async () => {
      const { ledger, importsDirectory } = this.#options;
      await rm(keptPath(importsDirectory, this.find(id).sha256), { force: true });
      ledger.scrub(id);
    });
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const end = await this.#options.library.turn(true);
    try {
      return await work();
    } finally {
      end();
    }
  }

  /** @returns how many steps were taken. */
  async #take(steps: readonly FileStep[]): Promise<number> {
    if (steps.length === 0) return 0;
    const { library } = this.#options;
    const { done, isDiskFull } = await library.run('changeFiles', new ImportProgress(), { steps });
    if (isDiskFull) throw new WaypointError('disk_full');
    return done;
  }

  #restoration({ path, sha256 }: LedgerFile): FileStep {
    const areKeptBytesFree = this.#options.list.keptWith(sha256).length === 1;
    return { kind: 'restore', path, sha256, areKeptBytesFree };
  }
}

function removal({ path, sha256 }: LedgerFile): FileStep {
  return { kind: 'remove', path, sha256, areKeptBytesFree: false };
}
