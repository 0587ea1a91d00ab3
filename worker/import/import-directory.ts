import { closing } from '../../model/closing.ts';
import { isDiskFull } from '../../model/failure.ts';
import type { ImportRequest } from '../../model/import.ts';
import { createPrivateDirectory } from '../../storage/private-directory.ts';
import { realPathSync } from '../../storage/real-path.ts';
import { LibraryWriter } from '../../storage/library/writer.ts';
import { openImportLookup, type ImportLookup } from '../../storage/waypoints/import-lookup.ts';
import { buildSearchIndex, type SearchIndexData } from '../../search/library-data.ts';
import { FileRefused, ReadingCancelled } from '../../formats/refused.ts';
import { importInGroups, type Run } from './import-groups.ts';
import { KnownImports } from './known-imports.ts';
import { ManagedCopies } from './managed-copies.ts';
import { copyPath, requestPaths } from './copy-path.ts';
import { ImportProgress } from './progress.ts';
import { SourceStamps } from './source-stamps.ts';
import { listDirectory, listNamed, type SourceList } from './source-list.ts';
import { beginThreadClock } from './time-budget.ts';
import { Tally, type DirectoryResult } from './tally.ts';

/** Task of the import worker; plain data. */
export interface LibraryTask {
  readonly libraryPath: string;
  /** The database that holds the list of imports. */
  readonly waypointsPath: string;
  readonly importsDirectory: string;
  /** ImportProgress.shared */
  readonly progress: SharedArrayBuffer;
  /** ms since 1970. */
  readonly now: number;
  /** By which kept bytes grow old, ms since 1970, `now` by default; see storage/waypoints/retention-time.ts. */
  readonly retentionTime?: number;
}

/**
 * Who has files imported: a person a folder, an upload from a directory that was made for it, or the daemon itself one of
 * the folders that it watches. Then what only grew is still the same file, and what was undone stays so.
 */
export type ImportOrigin = 'person' | 'upload' | 'watch';

export interface ImportTask extends LibraryTask {
  readonly request: ImportRequest;
  /** What of ours is no source wherever it lies: the bookmarks file, and all copies of it and of what was removed. */
  readonly ownFiles: readonly string[];
  /** `person` by default. */
  readonly origin?: ImportOrigin;
  /** Whether the library has all of `imports/` before this import, and is to be so afterwards. */
  readonly isWhole?: boolean;
  /** Whether an index is in use that is the library's as it is before this import. */
  readonly hasIndex: boolean;
}

export interface ImportOutcome {
  readonly result: DirectoryResult;
  /** The index of the library as it is now; undefined when the one in use still is: most imports bring tracks only. */
  readonly index?: SearchIndexData;
  /** The disk was full: the result tells what was finished before. */
  readonly isDiskFull: boolean;
  /** What was not come to, or not finished, when the import was ended. */
  readonly left?: readonly string[] | undefined;
  /** As {@link Tally} has them. */
  readonly copies: ReadonlyMap<string, string>;
  readonly displaced: ReadonlySet<string>;
}

/** Imports a directory file by file; what is finished stays, whatever happens to the rest. */
export function importDirectory(task: ImportTask): ImportOutcome {
  const tally = new Tally(task.request.dry_run);
  const { copies, displaced } = tally;
  try {
    createPrivateDirectory(task.importsDirectory);
    using lookup = closing(openImportLookup(task.waypointsPath));
    using library = closing(new LibraryWriter(task.libraryPath));
    return importInto({ library, lookup }, task, tally);
  } catch (error) {
    // Not even the library could be opened.
    if (isDiskFull(error) && !tally.isChanged) {
      const result = tally.result(task.request.dir, undefined, false);
      return { result, isDiskFull: true, copies, displaced };
    }
    throw error;
  }
}

function importInto(
  { library, lookup }: { readonly library: LibraryWriter; readonly lookup: ImportLookup },
  task: ImportTask,
  tally: Tally,
): ImportOutcome {
  const { dry_run: isPlan = false } = task.request;
  const progress = new ImportProgress(task.progress);
  const { importsDirectory, retentionTime = task.now } = task;
  const files = new ManagedCopies(importsDirectory, retentionTime);
  const stamps = new SourceStamps(library, task.now);
  if (!isPlan) files.purgeReplaced();
  const imports = knownImports(task, lookup, library.lastId());
  const end = importAll(task, {
    library,
    files,
    stamps,
    progress,
    imports,
    taken: new Set(),
    planned: isPlan ? new Set() : undefined,
    tally,
    beginClock: beginThreadClock,
    salvages: task.request.salvage ?? false,
  });
  if (!isPlan) saveStamps(stamps);
  // An upload lies in a directory that was made for it.
  const dir = task.origin === 'upload' ? '' : task.request.dir;
  const result = tally.result(dir, end.list, end.reason === 'cancelled');
  const isDurable = settle(library, files, tally.isChanged, task.isWhole);
  const isFull = !isDurable || end.reason === 'disk_full';
  const { copies, displaced } = tally;
  const outcome = { result, isDiskFull: isFull, left: end.left, copies, displaced };
  if (task.hasIndex && !library.areWaypointsChanged) return outcome;
  return { ...outcome, index: indexOf(library) };
}

function knownImports({ request, origin }: ImportTask, lookup: ImportLookup, lastId: number) {
  const { dir, into, again = false } = request;
  const [root] = into === undefined && origin !== 'upload' ? realPath(dir) : [];
  return new KnownImports({ lookup, lastId, root, again, isWatched: origin === 'watch' });
}

/** A disk too full for them costs nothing but time at the next import. */
function saveStamps(stamps: SourceStamps): void {
  try {
    stamps.save();
  } catch (error) {
    if (!isDiskFull(error)) throw error;
  }
}

interface End {
  readonly list?: SourceList;
  readonly reason: 'done' | 'cancelled' | 'disk_full';
  readonly left?: readonly string[];
}

function importAll(task: ImportTask, run: Run): End {
  let list: SourceList | undefined;
  const end = (reason: End['reason']): End => (list === undefined ? { reason } : { list, reason });
  try {
    const [root] = realPath(task.request.dir);
    list = root === undefined ? vanished : listSources(root, task, run.progress);
    for (const file of list.unreadable) run.tally.refuse(file, new FileRefused('unreadable'));
    const left = root === undefined ? [] : importEntries(root, task.request, list, run);
    if (left.length === 0) return end('done');
    const files = left.map(({ file, packed }) => packed?.container ?? file);
    return { ...end('cancelled'), left: [...new Set(files)] };
  } catch (error) {
    if (error instanceof ReadingCancelled) return end('cancelled');
    if (isDiskFull(error)) return end('disk_full');
    throw error;
  }
}

/** What is found in a directory that was there when the request came. */
const vanished: SourceList = {
  entries: [],
  unsupported: [],
  unreadable: ['.'],
  hidden: 0,
  gpxInSubfolders: 0,
};

function listSources(
  root: string,
  { request, importsDirectory, ownFiles }: ImportTask,
  progress: ImportProgress,
): SourceList {
  const own = [importsDirectory, ...ownFiles].flatMap(realPath);
  const options = { own, isCancelled: () => progress.isCancelled };
  const { files } = requestPaths(request);
  return files === undefined
    ? listDirectory(root, request.recursive ?? false, options)
    : listNamed(root, files, options);
}

function realPath(path: string): string[] {
  try {
    return [realPathSync(path)];
  } catch {
    // What is not there cannot be met.
    return [];
  }
}

function importEntries(root: string, request: ImportRequest, list: SourceList, run: Run) {
  const { into } = requestPaths(request);
  run.progress.set('filesTotal', list.entries.length);
  run.progress.set('bytesTotal', sum(list));
  return importInGroups(list.entries, run, ({ file, packed }) => ({
    root,
    file,
    packed,
    target: copyPath([...into, ...file.split('/')]),
  }));
}

function sum({ entries }: SourceList): number {
  return entries.reduce((bytes, { size }) => bytes + size, 0);
}

/**
 * Makes everything durable before the answer.
 * @returns false if the disk was too full for it.
 */
export function settle(
  library: LibraryWriter,
  files: ManagedCopies,
  isChanged: boolean,
  isWhole = false,
): boolean {
  try {
    files.syncDirectories();
    // At the next start nothing has to wait until it is compared with `imports/`.
    if (isChanged && isWhole) library.markWhole();
    if (isChanged) library.checkpoint();
    return true;
  } catch (error) {
    if (isDiskFull(error)) return false;
    throw error;
  }
}

/** Builds the search index of the waypoints that show. */
export function indexOf(library: LibraryWriter): SearchIndexData {
  return buildSearchIndex(library.shownWaypoints(), library.shownCount(), library.revision());
}
