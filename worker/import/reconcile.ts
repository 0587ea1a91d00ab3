import { closing } from '../../model/closing.ts';
import { isDiskFull } from '../../model/failure.ts';
import { createPrivateDirectory } from '../../storage/private-directory.ts';
import { LibraryWriter, type LibraryFile } from '../../storage/library/writer.ts';
import type { SearchIndexData } from '../../search/index/data.ts';
import { FileRefused, ReadingCancelled } from '../../formats/refused.ts';
import { indexOf, settle, type LibraryTask } from './import-directory.ts';
import { groupFiles, groupMs } from './import-groups.ts';
import { loadCopy } from './load-copy.ts';
import { ManagedCopies, type ManagedFile } from './managed-copies.ts';
import { ImportProgress } from './progress.ts';
import { heldBytes } from './source-file.ts';

export interface ReconcileOutcome {
  /** Files read again, because they are new or differ from what the library knows. */
  readonly loaded: number;
  /** Files whose rows were dropped, because they are gone. */
  readonly dropped: number;
  /** Files that are there and cannot be imported. */
  readonly refused: number;
  /** The library is what `imports/` says; false if that was cut off by a cancel, a full disk or an unreadable place. */
  readonly isWhole: boolean;
  readonly index: SearchIndexData;
}

/**
 * Brings the library in line with the files below `imports/`, comparing size and modification time: the files win.
 * Unfinished copies and old bytes kept long enough are deleted. Runs at start-up, before any import.
 */
export function reconcileLibrary(task: LibraryTask): ReconcileOutcome {
  const progress = new ImportProgress(task.progress);
  createPrivateDirectory(task.importsDirectory);
  const files = new ManagedCopies(task.importsDirectory, task.retentionTime ?? task.now);
  using library = closing(new LibraryWriter(task.libraryPath));
  files.purgeReplaced();
  const counts = { loaded: 0, dropped: 0, refused: 0, isWhole: true };
  const isSettled = reconcileFiles({ library, files, progress }, counts);
  const isDurable = settle(library, files, counts.loaded + counts.dropped > 0);
  const isWhole = counts.isWhole && isSettled && isDurable;
  if (isWhole) library.markWhole();
  return { ...counts, isWhole, index: indexOf(library) };
}

interface Places {
  readonly library: LibraryWriter;
  readonly files: ManagedCopies;
  readonly progress: ImportProgress;
}

interface Counts {
  loaded: number;
  dropped: number;
  refused: number;
  isWhole: boolean;
}

/** @returns false if it was cut off. */
function reconcileFiles(places: Places, counts: Counts): boolean {
  const { library, files, progress } = places;
  try {
    const { files: present, unlisted } = files.list();
    const known = new Map(library.files().map((file) => [file.pathKey, file]));
    if (unlisted.length > 0) counts.isWhole = false;
    progress.set('filesTotal', present.length);
    const there = new Set(present.map(({ path }) => library.keyOf(path)));
    // The last path first: a waypoint that shows is the first of its twins, and each of these in turn would have to be found.
    const gone = [...known.values()]
      .toReversed()
      .filter(({ path, pathKey }) => !there.has(pathKey) && !isBelow(path, unlisted));
    inGroups(gone, library, ({ id }) => {
      library.removeFile(id);
      counts.dropped += 1;
    });
    let done = 0;
    inGroups(present, library, (file) => {
      reconcileFile(file, known.get(library.keyOf(file.path)), places, counts);
      done += 1;
      progress.set('filesDone', done);
    });
    return true;
  } catch (error) {
    if (error instanceof ReadingCancelled || isDiskFull(error)) return false;
    throw error;
  }
}

/** Does something with each of many files, small ones many in a commit. */
function inGroups<File extends { readonly size: number }>(
  files: readonly File[],
  library: LibraryWriter,
  take: (file: File) => void,
): void {
  let at = 0;
  const next = (): void => {
    take(files[at]!);
    at += 1;
  };
  const isSmall = (): boolean => at < files.length && files[at]!.size <= heldBytes;
  while (at < files.length) {
    const [end, until] = [at + groupFiles, performance.now() + groupMs];
    if (!isSmall()) next();
    else
      library.transaction(() => {
        while (isSmall() && at < end && performance.now() < until) next();
      });
  }
}

/** Files in a directory that cannot be read just now are not gone. */
function isBelow(path: string, directories: readonly string[]): boolean {
  return directories.some((directory) => directory === '' || path.startsWith(`${directory}/`));
}

function reconcileFile(
  file: ManagedFile,
  known: LibraryFile | undefined,
  { library, files, progress }: Places,
  counts: Counts,
): void {
  if (progress.isCancelled) throw new ReadingCancelled();
  if (known?.size === file.size && known.mtimeNs === file.mtimeNs) return;
  const isCancelled = () => progress.isCancelled;
  try {
    const sha256 = files.hash(file.path, isCancelled);
    if (known?.sha256 === sha256) {
      library.restamp(known.id, files.restoreTime(file, known));
      return;
    }
    library.replaceFile(
      { path: file.path, pathKey: library.keyOf(file.path), sha256, mtimeNs: file.mtimeNs },
      {
        load: (rows) =>
          loadCopy(files.absolute(file.path), rows, { sha256, isCancelled, onBytes: () => {} }),
        place: () => file,
      },
    );
    counts.loaded += 1;
  } catch (error) {
    if (error instanceof FileRefused) {
      counts.refused += 1;
      // The file wins, even one that says nothing.
      if (known !== undefined) library.removeFile(known.id);
    } else if (isUnreadable(error)) {
      // What cannot be read now may be readable later; until then its rows stay.
      counts.isWhole = false;
    } else throw error;
  }
}

function isUnreadable(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && !isDiskFull(error);
}
