import { mkdirSync } from 'node:fs';
import { isDiskFull } from '../../model/failure.ts';
import { LibraryWriter } from '../../storage/library/writer.ts';
import { FileRefused } from '../../formats/refused.ts';
import type { SearchIndexData } from '../../search/index/data.ts';
import { indexOf, settle, type LibraryTask } from './import-directory.ts';
import { loadCopy } from './load-copy.ts';
import { ManagedCopies } from './managed-copies.ts';

/** One file that leaves the library, its bytes kept, or comes back from the kept bytes. */
export interface FileStep {
  readonly kind: 'remove' | 'restore';
  readonly path: string;
  readonly sha256: string;
  /** Whether the kept bytes are wanted by no other file, once this one is back. */
  readonly areKeptBytesFree: boolean;
}

export interface ChangeTask extends LibraryTask {
  readonly steps: readonly FileStep[];
  readonly hasIndex: boolean;
}

export interface ChangeOutcome {
  /** How many steps were taken. */
  readonly done: number;
  readonly isDiskFull: boolean;
  /** As that of an import. */
  readonly index?: SearchIndexData;
}

/**
 * Takes files out of the library and puts them back. Each step is whole or not at all; one that is not possible, because
 * the file is not there or its bytes are not kept, is passed over.
 */
export function changeFiles(task: ChangeTask): ChangeOutcome {
  mkdirSync(task.importsDirectory, { recursive: true, mode: 0o700 });
  const files = new ManagedCopies(task.importsDirectory, task.retentionTime ?? task.now);
  const library = new LibraryWriter(task.libraryPath);
  try {
    const { done, isFull } = takeSteps(task.steps, library, files);
    const isDurable = settle(library, files, done > 0);
    const outcome = { done, isDiskFull: isFull || !isDurable };
    if (task.hasIndex && !library.areWaypointsChanged) return outcome;
    return { ...outcome, index: indexOf(library) };
  } finally {
    library.close();
  }
}

function takeSteps(steps: readonly FileStep[], library: LibraryWriter, files: ManagedCopies) {
  let done = 0;
  for (const step of steps) {
    try {
      if (step.kind === 'remove' ? remove(step, library, files) : restore(step, library, files))
        done += 1;
    } catch (error) {
      if (isDiskFull(error)) return { done, isFull: true };
      const refusal = files.refusal(error);
      if (!(refusal instanceof FileRefused)) throw error;
    }
  }
  return { done, isFull: false };
}

/** The bytes leave their place before the rows are committed: the file wins, as always. */
function remove({ path, sha256 }: FileStep, library: LibraryWriter, files: ManagedCopies): boolean {
  const known = library.findByKey(library.keyOf(path));
  if (known?.sha256 !== sha256) return false;
  if (files.find(known.path) !== undefined && !files.isIntact(known.path, known)) return false;
  let undo: (() => void) | undefined;
  try {
    library.transaction(() => {
      library.removeFile(known.id);
      undo = files.withdraw(known.path, sha256);
    });
    return true;
  } catch (error) {
    undo?.();
    throw error;
  }
}

function restore(
  { path: wanted, sha256, areKeptBytesFree }: FileStep,
  library: LibraryWriter,
  files: ManagedCopies,
): boolean {
  const pathKey = library.keyOf(wanted);
  const known = library.findByKey(pathKey);
  if (known?.sha256 === sha256) return false;
  const path = known?.path ?? wanted;
  const isThere = files.find(path) !== undefined;
  const old = isThere ? files.hash(path, () => false) : undefined;
  const made = files.makeDirectories(path);
  const temporary = files.temporary(path);
  let undo: (() => void) | undefined;
  try {
    if (!files.takeKept(sha256, temporary)) return false;
    const onRead = { sha256, name: path, onBytes: () => {}, isCancelled: () => false };
    library.replaceFile(
      { path, pathKey, sha256 },
      {
        load: (rows) => loadCopy(temporary, rows, onRead),
        place() {
          undo = files.place(temporary, path, old);
          const stamp = files.find(path);
          if (stamp === undefined) throw new FileRefused('changed');
          return stamp;
        },
      },
    );
  } catch (error) {
    undo?.();
    throw error;
  } finally {
    files.discard(temporary);
    files.removeDirectories(made);
  }
  if (areKeptBytesFree) files.dropKept(sha256, path);
  return true;
}
