import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { closing } from '../../model/closing.ts';
import { isDiskFull } from '../../model/failure.ts';
import { dropSetAside } from '../../storage/library/prepare.ts';
import { LibraryWriter } from '../../storage/library/writer.ts';
import { ImportLookup, type FileStep } from '../../storage/waypoints/import-lookup.ts';
import { FileRefused } from '../../formats/refused.ts';
import type { SearchIndexData } from '../../search/index/data.ts';
import { indexOf, settle, type LibraryTask } from './import-directory.ts';
import { groupFiles, groupMs } from './import-groups.ts';
import { loadCopy } from './load-copy.ts';
import { syncDirectory } from '../../storage/atomic-file.ts';
import { keptPath, ManagedCopies } from './managed-copies.ts';
import { heldBytes } from './source-file.ts';

export interface ChangeTask extends LibraryTask {
  readonly waypointsPath: string;
  /** The run of the list of imported files that says what is to be changed. */
  readonly run: number;
  readonly hasIndex: boolean;
}

export interface ChangeOutcome {
  /** Whether all is as planned. */
  readonly isWhole: boolean;
  readonly isDiskFull: boolean;
  /** As that of an import. */
  readonly index?: SearchIndexData;
}

/**
 * Takes files out of the library and puts them back. Each step is whole or not at all; one that is not possible, because
 * the file is not there or its bytes are not kept, is passed over. Repeated after a crash it does what is left to do.
 */
export function changeFiles(task: ChangeTask): ChangeOutcome {
  mkdirSync(task.importsDirectory, { recursive: true, mode: 0o700 });
  const files = new ManagedCopies(task.importsDirectory, task.retentionTime ?? task.now);
  using library = closing(new LibraryWriter(task.libraryPath));
  const { steps, isErasing } = planOf(task);
  const concerned = steps.filter(concernsLibrary);
  const { done, isFull } = takeSteps(concerned, library, files);
  const isDurable = settle(library, files, done > 0);
  const isWhole = done === concerned.length;
  for (const { path, sha256, areKeptBytesFree } of isErasing ? steps : [])
    if (areKeptBytesFree && library.findByKey(library.keyOf(path))?.sha256 !== sha256)
      erase(keptPath(task.importsDirectory, sha256));
  if (isErasing) dropSetAside(dirname(task.libraryPath));
  const outcome = { isWhole, isDiskFull: isFull || !isDurable };
  if (task.hasIndex && !library.areWaypointsChanged) return outcome;
  return { ...outcome, index: indexOf(library) };
}

function planOf({ waypointsPath, run }: ChangeTask) {
  using lookup = closing(new ImportLookup(waypointsPath));
  return { steps: lookup.stepsOf(run), isErasing: lookup.kindOf(run) === 'erase' };
}

function concernsLibrary({ before, after }: FileStep): boolean {
  return before === 'active' || after === 'active';
}

/** Small files share a commit, as in an import; where that fails, each has its own. */
function takeSteps(steps: readonly FileStep[], library: LibraryWriter, files: ManagedCopies) {
  let [at, done, aloneUntil] = [0, 0, 0];
  while (at < steps.length) {
    const most = at < aloneUntil ? 1 : groupFiles;
    try {
      const [seen, taken] = takeMany(steps.slice(at, at + most), library, files);
      at += seen;
      done += taken;
    } catch (error) {
      if (most > 1) aloneUntil = at + most;
      else if (isDiskFull(error)) return { done, isFull: true };
      else if (files.refusal(error) instanceof FileRefused) at += 1;
      else throw error;
    }
  }
  return { done, isFull: false };
}

/** What is large, or takes the place of another file: how that is undone must not depend on others. */
function isAlone({ path, bytes, after }: FileStep, library: LibraryWriter, files: ManagedCopies) {
  if (bytes > heldBytes) return true;
  if (after !== 'active') return false;
  return library.findByKey(library.keyOf(path)) !== undefined || files.find(path) !== undefined;
}

function erase(kept: string): void {
  if (!existsSync(kept)) return;
  rmSync(kept);
  syncDirectory(dirname(kept));
}

/** How a group of steps is undone, and what is done once it is committed. */
interface Group {
  readonly undo: (() => void)[];
  readonly settle: (() => void)[];
}

/**
 * Takes steps until one comes that stands alone, or time is up.
 * @returns how many steps were looked at, and how many done. @throws when none is done, and the files are in their places.
 */
function takeMany(
  steps: readonly FileStep[],
  library: LibraryWriter,
  files: ManagedCopies,
): [number, number] {
  const group: Group = { undo: [], settle: [] };
  let [seen, done] = [0, 0];
  const until = performance.now() + groupMs;
  const take = (step: FileStep): void => {
    const takeOne = step.after === 'active' ? restore : remove;
    if (takeOne(step, library, files, group)) done += 1;
    seen += 1;
  };
  try {
    if (isAlone(steps[0]!, library, files)) take(steps[0]!);
    else
      library.transaction(() => {
        for (const step of steps) {
          if (seen > 0 && (performance.now() > until || isAlone(step, library, files))) return;
          take(step);
        }
      });
  } catch (error) {
    for (const one of group.undo.toReversed()) one();
    throw error;
  }
  for (const one of group.settle) one();
  return [seen, done];
}

/** The bytes leave their place before the rows are committed: the file wins, as always. */
function remove(
  { path, sha256 }: FileStep,
  library: LibraryWriter,
  files: ManagedCopies,
  { undo }: Group,
): boolean {
  const known = library.findByKey(library.keyOf(path));
  if (known?.sha256 !== sha256) return false;
  try {
    // What came back has its bytes, and another time than the library says.
    const isOther = files.find(known.path) !== undefined && !files.isIntact(known.path, known);
    if (isOther && files.hash(known.path, () => false) !== sha256) return false;
    library.transaction(() => {
      library.removeFile(known.id);
      undo.push(files.withdraw(known.path, sha256));
    });
    return true;
  } catch (error) {
    if (files.refusal(error) instanceof FileRefused) return false;
    throw error;
  }
}

function restore(
  { path: wanted, sha256, copiedNs, areKeptBytesFree }: FileStep,
  library: LibraryWriter,
  files: ManagedCopies,
  group: Group,
): boolean {
  const pathKey = library.keyOf(wanted);
  const known = library.findByKey(pathKey);
  const freeKept = (path: string): void => {
    if (areKeptBytesFree) group.settle.push(() => files.dropKept(sha256, path));
  };
  if (known?.sha256 === sha256) {
    // A crash may have come before the kept bytes went.
    if (files.isIntact(known.path, known)) freeKept(known.path);
    return false;
  }
  const path = known?.path ?? wanted;
  const isThere = files.find(path) !== undefined;
  const old = isThere ? files.hash(path, () => false) : undefined;
  const made = files.makeDirectories(path);
  const temporary = files.temporary(path);
  let undo: (() => void) | undefined;
  try {
    if (!files.takeKept(sha256, temporary, copiedNs)) return false;
    const onRead = { sha256, name: path, onBytes: () => {}, isCancelled: () => false };
    library.replaceFile(
      // Twins say what the newest import says, and this is none.
      { path, pathKey, sha256, ...(copiedNs !== null && { mtimeNs: copiedNs }) },
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
    group.undo.push(() => files.removeDirectories(made), undo!);
  } catch (error) {
    undo?.();
    if (files.refusal(error) instanceof FileRefused) return false;
    throw error;
  } finally {
    files.discard(temporary);
    files.removeDirectories(made);
  }
  freeKept(path);
  return true;
}
