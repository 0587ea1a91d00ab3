import { access } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { WaypointError } from '../../model/failure.ts';
import type {
  ImportLedger,
  LedgerFile,
  RunFile,
  RunKind,
} from '../../storage/waypoints/imports.ts';
import { keptPath } from '../../worker/import/managed-copies.ts';
import type { LedgerSync } from './ledger-sync.ts';
import type { LibraryWork } from './library-work.ts';
import { openContent } from './open-content.ts';

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
  open(id: number): ReturnType<typeof openContent> {
    return openContent(this.#options.importsDirectory, this.find(id));
  }

  /**
   * Takes a file out of the library; its bytes are kept. One that is out of it already is marked.
   * @returns the number of the change; undefined when nothing was changed.
   * @throws WaypointError not_found, import_not_kept, disk_full, unavailable
   */
  async remove(id: number): Promise<number | undefined> {
    using _turn = await this.#options.library.turn(true);
    const { state } = this.find(id);
    if (state === 'removed') return undefined;
    return await this.#change('remove', [{ id, before: state, after: 'removed' }]);
  }

  /** Removes a file and its bytes, for good; those that another file needs stay. @returns as remove. @throws as remove */
  async removeForever(id: number): Promise<number | undefined> {
    using _turn = await this.#options.library.turn(true);
    const { state } = this.find(id);
    return await this.#change('erase', [{ id, before: state, after: 'removed' }]);
  }

  /**
   * Makes a file active again; what took its place is replaced.
   * @returns as remove. @throws as remove
   */
  async restore(id: number): Promise<number | undefined> {
    using _turn = await this.#options.library.turn(true);
    const { state } = this.find(id);
    if (state === 'active') return undefined;
    return await this.#change('restore', [{ id, before: state, after: 'active' }]);
  }

  /**
   * Takes back a run of the list: what it brought goes, what it replaced or removed comes back. All of it is looked at
   * before anything is changed.
   * @param change the number of the change that the run is.
   * @returns as remove. @throws as remove; WaypointError later_change, not_undoable
   */
  async revert(run: number, change: number): Promise<number | undefined> {
    const { list, library } = this.#options;
    using _turn = await library.turn(true);
    if (list.kindOf(run) === 'erase') throw new WaypointError('not_undoable');
    const planned: RunFile[] = [];
    const there = new Set<number>();
    for (const slice of list.runs.slicesOf(run)) {
      // The list of a large import is long, and others wait.
      await nextTurn();
      for (const { id, before, after } of slice) {
        const file = this.find(id);
        if (file.state !== after) throw new WaypointError('later_change');
        if (before === 'active' && !(await this.#isKept(file)))
          throw new WaypointError('import_not_kept');
        planned.push({ id, before: after, after: before ?? 'replaced' });
        const active = this.#inTheWay(file, before);
        if (active !== undefined) there.add(active);
      }
    }
    if (planned.length === 0) throw new WaypointError('not_undoable');
    for (const { id } of planned) there.delete(id);
    if (there.size > 0) throw new WaypointError('later_change');
    return await this.#change('undo', planned, change);
  }

  /** What is active at the place of a file; one that was replaced before has another there, which may stay. */
  #inTheWay({ pathKey }: LedgerFile, before: RunFile['before']): number | undefined {
    return before === 'replaced' ? undefined : this.#options.list.activeAt(pathKey);
  }

  /** Changes the library and the list as one run. @param undoes the change that it takes back. */
  async #change(
    kind: RunKind,
    planned: readonly RunFile[],
    undoes?: number,
  ): Promise<number | undefined> {
    const { ledger, library } = this.#options;
    const run = await ledger.begin(kind, { planned, undoes });
    let outcome;
    try {
      outcome = await library.change(run);
    } catch (error) {
      // What is left to do is done at the next start.
      if (!library.isClosed) await ledger.finish(run);
      throw error;
    }
    const change = await ledger.finish(run);
    if (outcome.isDiskFull) throw new WaypointError('disk_full');
    if (!outcome.isWhole) throw new WaypointError('import_not_kept');
    return change;
  }

  #isKept({ sha256 }: LedgerFile): Promise<boolean> {
    return access(keptPath(this.#options.importsDirectory, sha256)).then(
      () => true,
      () => false,
    );
  }
}
