import { access, rm } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { WaypointError } from '../../model/failure.ts';
import type { ImportState } from '../../model/imports.ts';
import type {
  ImportLedger,
  LedgerFile,
  PlannedChange,
  RunKind,
} from '../../storage/waypoints/imports.ts';
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

/** Files of a run that are looked at before others get their turn. */
const filesAtOnce = 250;

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
   * Takes a file out of the library; its bytes are kept. One that is out of it already is marked.
   * @returns the number of the change; undefined when nothing was changed.
   * @throws WaypointError not_found, import_not_kept, disk_full, unavailable
   */
  remove(id: number, kind: 'remove' | 'erase' = 'remove'): Promise<number | undefined> {
    return this.#inTurn(async () => {
      const file = this.find(id);
      if (file.state === 'removed') return undefined;
      const steps = file.state === 'active' ? [removal(file)] : [];
      return this.#change(kind, [{ id, after: 'removed' }], steps);
    });
  }

  /**
   * Makes a file active again; what took its place is replaced.
   * @returns as remove. @throws as remove
   */
  restore(id: number): Promise<number | undefined> {
    return this.#inTurn(async () => {
      const file = this.find(id);
      if (file.state === 'active') return undefined;
      return this.#change('restore', [], [this.#restoration(file)]);
    });
  }

  /**
   * Takes back a run of the list: what it brought goes, what it replaced or removed comes back. All of it is looked at
   * before anything is changed.
   * @param change the number of the change that the run is.
   * @returns as remove. @throws as remove; WaypointError later_change, not_undoable
   */
  revert(run: number, change: number): Promise<number | undefined> {
    return this.#inTurn(async () => {
      const { list } = this.#options;
      const files = list.filesOfRun(run);
      if (files.length === 0 || list.kindOf(run) === 'erase')
        throw new WaypointError('not_undoable');
      const ids = new Set(files.map(({ id }) => id));
      const back = new Map<string, FileStep>();
      const gone: { file: LedgerFile; after: ImportState }[] = [];
      for (const [at, { id, before, after }] of files.entries()) {
        // The list of a large import is long, and others wait.
        if (at % filesAtOnce === 0) await nextTurn();
        const file = this.find(id);
        const there = list.activeAt(file.pathKey);
        if (file.state !== after || (there !== undefined && !ids.has(there)))
          throw new WaypointError('later_change');
        if (before === 'active') back.set(file.pathKey, await this.#keptRestoration(file));
        else gone.push({ file, after: before ?? 'replaced' });
      }
      const planned = gone.map(({ file: { id }, after }) => ({ id, after }));
      // What comes back takes the place of what is there in one step.
      const leaving = gone.filter(({ file }) => file.state === 'active' && !back.has(file.pathKey));
      const steps = [...leaving.map(({ file }) => removal(file)), ...back.values()];
      return this.#change('undo', planned, steps, { change, files: files.length });
    });
  }

  /** Removes a file and its bytes, for good. @returns as remove. @throws as remove */
  async removeForever(id: number): Promise<number | undefined> {
    const change = await this.remove(id, 'erase');
    await this.#inTurn(async () => {
      const { ledger, importsDirectory } = this.#options;
      await rm(keptPath(importsDirectory, this.find(id).sha256), { force: true });
      ledger.scrub(id);
    });
    return change;
  }

  /** Changes the library and the list as one run. @param undo as ImportLedger.finish. */
  async #change(
    kind: RunKind,
    planned: readonly PlannedChange[],
    steps: readonly FileStep[],
    undo?: { change: number; files: number },
  ): Promise<number | undefined> {
    const { ledger } = this.#options;
    const run = ledger.begin(kind, undefined, planned);
    let done = 0;
    let change: number | undefined;
    try {
      done = await this.#take(steps);
    } finally {
      change = await ledger.finish(run, undo);
    }
    if (done < steps.length) throw new WaypointError('import_not_kept');
    return change;
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

  /** @throws WaypointError import_not_kept */
  async #keptRestoration(file: LedgerFile): Promise<FileStep> {
    const kept = keptPath(this.#options.importsDirectory, file.sha256);
    const isKept = await access(kept).then(
      () => true,
      () => false,
    );
    if (!isKept) throw new WaypointError('import_not_kept');
    return this.#restoration(file);
  }

  #restoration({ path, sha256 }: LedgerFile): FileStep {
    const areKeptBytesFree = this.#options.list.keptWith(sha256).length === 1;
    return { kind: 'restore', path, sha256, areKeptBytesFree };
  }
}

function removal({ path, sha256 }: LedgerFile): FileStep {
  return { kind: 'remove', path, sha256, areKeptBytesFree: false };
}
