import { constants, type Stats } from 'node:fs';
import { access, open, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { isStorageFault, WaypointError } from '../../model/failure.ts';
import { dropSetAside } from '../../storage/library/prepare.ts';
import type {
  ImportChangeKind,
  ImportList,
  ListedFile,
  NewState,
  StateChange,
} from '../../storage/waypoints/imports.ts';
import { keptPath } from '../../worker/import/managed-copies.ts';
import type { LibraryWork } from './library-work.ts';
import type { ListSync } from './list-sync.ts';

export interface ImportedFilesOptions {
  readonly library: LibraryWork;
  readonly sync: Pick<ListSync, 'now' | 'isFollowed'>;
  readonly list: ImportList;
  readonly importsDirectory: string;
  readonly dataDirectory: string;
}

const pieceBytes = 65_536;

/** Removes imported files and brings them back: the list changes first, then library and folder follow it. */
export class ImportedFiles {
  readonly #options: ImportedFilesOptions;

  constructor(options: ImportedFilesOptions) {
    this.#options = options;
  }

  /** @throws WaypointError not_found */
  find(id: number): ListedFile {
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
    if (this.find(id).state === 'removed') return undefined;
    return await this.#change('import_remove', [{ id, after: 'removed' }]);
  }

  /** Removes a file and its bytes, for good; those that another file needs stay. @returns as remove. @throws as remove */
  async removeForever(id: number): Promise<number | undefined> {
    const { list, library, sync, dataDirectory } = this.#options;
    using _turn = await library.turn(true);
    this.find(id);
    // A library that was set aside has the file, too.
    dropSetAside(dataDirectory);
    const change = list.erase(id, sync.now());
    await library.follow([id]);
    return change;
  }

  /**
   * Makes a file active again; what took its place is replaced.
   * @returns as remove. @throws as remove
   */
  async restore(id: number): Promise<number | undefined> {
    using _turn = await this.#options.library.turn(true);
    const file = this.find(id);
    if (file.state === 'active') return undefined;
    if (!(await this.#isKept(file))) throw new WaypointError('import_not_kept');
    return await this.#change('import_restore', [{ id, after: 'active' }]);
  }

  /**
   * Undoes a change of imports: the files get the states they had. All of it is looked at before anything is changed.
   * @returns as remove. @throws as remove; WaypointError later_change, not_undoable
   */
  async undo(change: number): Promise<number | undefined> {
    const { list, library } = this.#options;
    using _turn = await library.turn(true);
    const states = list.statesOf(change);
    if (states.length === 0) throw new WaypointError('not_undoable');
    const given = new Set(states.map(({ id }) => id));
    for (const { id, before, after } of states) {
      const file = this.find(id);
      if (file.state !== after) throw new WaypointError('later_change');
      if (before !== 'active') continue;
      if (!(await this.#isKept(file))) throw new WaypointError('import_not_kept');
      const there = list.activeAt(file.pathKey);
      if (there !== undefined && !given.has(there)) throw new WaypointError('later_change');
    }
    return await this.#change('undo', states.map(undone), change);
  }

  /** @param undoes the change that is undone by it. */
  async #change(
    kind: ImportChangeKind,
    states: readonly NewState[],
    undoes?: number,
  ): Promise<number> {
    const { list, library, sync } = this.#options;
    const change = list.setStates(kind, states, sync.now(), undoes);
    const changed = list.statesOf(change);
    const ids = changed.map(({ id }) => id);
    let error: unknown;
    try {
      const { isDiskFull } = await library.follow(ids);
      if (sync.isFollowed(change)) return change;
      error = new WaypointError(isDiskFull ? 'disk_full' : 'import_not_kept');
    } catch (thrown) {
      // The next start follows the list.
      if (library.isClosed) throw thrown;
      error = thrown;
    }
    list.setStates('undo', changed.map(undone), sync.now(), change);
    await library.follow(ids).catch(() => undefined);
    throw error;
  }

  #isKept({ sha256 }: ListedFile): Promise<boolean> {
    return access(keptPath(this.#options.importsDirectory, sha256)).then(
      () => true,
      () => false,
    );
  }
}

/** The state before a change; a new file, or one that was missing, is replaced then. */
function undone({ id, before }: StateChange): NewState {
  return { id, after: before === null || before === 'missing' ? 'replaced' : before };
}

/**
 * Opens the original bytes of a file: in its place while it is active, else those that are kept. `close` is to be called once.
 * @throws WaypointError not_found, where they are not kept any more or are others.
 */
async function openContent(importsDirectory: string, { path, sha256, state, bytes }: ListedFile) {
  const place =
    state === 'active' ? join(importsDirectory, path) : keptPath(importsDirectory, sha256);
  const handle = await openPlace(place);
  try {
    const stats: Stats = await handle.stat();
    if (!stats.isFile() || stats.size !== bytes) throw new WaypointError('not_found');
  } catch (error) {
    await handle.close();
    throw error;
  }
  return { bytes, pieces: piecesOf(handle, bytes), close: () => void handle.close() };
}

async function openPlace(path: string): Promise<FileHandle> {
  try {
    return await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  } catch (cause) {
    throw isStorageFault(cause) ? cause : new WaypointError('not_found', { cause });
  }
}

async function* piecesOf(handle: FileHandle, bytes: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes;) {
    // A new one each time: the connection may hold what was given before.
    const piece = Buffer.allocUnsafe(Math.min(pieceBytes, bytes - at));
    const { bytesRead } = await handle.read(piece, 0, piece.length, at);
    if (bytesRead === 0) throw new Error('An imported file ended too early.');
    at += bytesRead;
    yield piece.subarray(0, bytesRead);
  }
}
