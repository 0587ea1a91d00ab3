import { closing } from '../../model/closing.ts';
import { isDiskFull } from '../../model/failure.ts';
import { createPrivateDirectory } from '../../storage/private-directory.ts';
import {
  LibraryWriter,
  type FileCounts,
  type FileRows,
  type FileStamp,
  type LibraryFile,
} from '../../storage/library/writer.ts';
import {
  openImportLookup,
  type ImportLookup,
  type WantedFile,
} from '../../storage/waypoints/import-lookup.ts';
import type { SearchIndexData } from '../../search/library-data.ts';
import { FileRefused, ReadingCancelled } from '../../formats/refused.ts';
import { indexOf, settle, type LibraryTask } from './import-directory.ts';
import { allPlaces, placesOf, type Place, type Rooms } from './follow-places.ts';
import { inGroups } from './import-groups.ts';
import { loadCopy } from './load-copy.ts';
import { ManagedCopies, type ManagedFile } from './managed-copies.ts';
import { ImportProgress } from './progress.ts';

export interface FollowTask extends LibraryTask {
  /** The files whose states have changed; all of `imports/` by default. */
  readonly ids?: readonly number[];
  /** As that of an import. */
  readonly hasIndex?: boolean;
}

interface FollowCounts {
  /** Files that were read. */
  loaded: number;
  /** Files whose rows were removed. */
  dropped: number;
  /** Files that are there and cannot be imported. */
  refused: number;
  /** Whether all was looked at: not after a cancel, with a full disk, or with a place that cannot be read. */
  isWhole: boolean;
  isDiskFull: boolean;
}

export interface FollowOutcome extends Readonly<FollowCounts> {
  /** As that of an import. */
  readonly index?: SearchIndexData;
}

/**
 * Makes the library and `imports/` equal to the list of imports. Files that the list does not know are taken in, never removed;
 * the content of an active file that lies elsewhere in the way wins over the listed one. Repeated after a crash it does what is
 * left to do.
 */
export function followList(task: FollowTask): FollowOutcome {
  createPrivateDirectory(task.importsDirectory);
  using lookup = closing(openImportLookup(task.waypointsPath));
  using library = closing(new LibraryWriter(task.libraryPath));
  const { ids, hasIndex = false } = task;
  const files = new ManagedCopies(task.importsDirectory, task.retentionTime ?? task.now);
  if (ids === undefined) files.purgeReplaced();
  const progress = new ImportProgress(task.progress);
  const lastId = Math.max(library.lastId(), lookup.lastId());
  const counts = { loaded: 0, dropped: 0, refused: 0, isWhole: true, isDiskFull: false };
  const follow = { library, files, lookup, progress, counts, withdrawals: [], lastId };
  followFiles(follow, ids);
  if (!settle(library, files, counts.loaded + counts.dropped > 0))
    Object.assign(counts, { isWhole: false, isDiskFull: true });
  else dropKeptBytes(follow, ids);
  if (ids === undefined && counts.isWhole) library.markWhole();
  if (hasIndex && !library.areWaypointsChanged) return counts;
  return { ...counts, index: indexOf(library) };
}

type Listed = ReturnType<ImportLookup['find']>;

interface Follow extends Rooms {
  readonly progress: ImportProgress;
  /** Files to be withdrawn once their rows are gone. */
  readonly withdrawals: (() => void)[];
  readonly counts: FollowCounts;
  /** The highest id so far. */
  lastId: number;
}

function followFiles(follow: Follow, ids: readonly number[] | undefined): void {
  const { library, progress, counts, withdrawals } = follow;
  try {
    const { places, isWhole = true } =
      ids === undefined ? allPlaces(follow) : { places: placesOf(follow, ids) };
    counts.isWhole = isWhole;
    progress.set('filesTotal', places.length);
    let done = 0;
    const nextSize = (): number | undefined => {
      const place = places[done];
      return place && ((place.present ?? place.wanted ?? place.known)?.size ?? 0);
    };
    const followNext = (): void => {
      followPlace(follow, places[done]!);
      done += 1;
      progress.set('filesDone', done);
    };
    inGroups(library, nextSize, followNext, () => {
      for (const withdraw of withdrawals.splice(0)) withdraw();
    });
  } catch (error) {
    if (!(error instanceof ReadingCancelled) && !isDiskFull(error)) throw error;
    counts.isWhole = false;
    counts.isDiskFull = !(error instanceof ReadingCancelled);
  }
}

function followPlace(follow: Follow, place: Place): void {
  const { library, progress, counts } = follow;
  if (progress.isCancelled) throw new ReadingCancelled();
  const { known } = place;
  try {
    if (place.present === undefined) {
      if (!bringBack(follow, place) && known !== undefined) drop(follow, known);
    } else followFile(follow, place, place.present);
  } catch (error) {
    if (error instanceof FileRefused) {
      counts.refused += 1;
      // The file wins, even one that says nothing.
      if (known !== undefined && library.findByKey(place.pathKey) !== undefined)
        library.removeFile(known.id);
    } else if (isUnreadable(error)) {
      // What cannot be read now may be readable later; until then its rows stay.
      counts.isWhole = false;
    } else throw error;
  }
}

function followFile(follow: Follow, place: Place, present: ManagedFile): void {
  const { files, lookup, progress } = follow;
  const { pathKey, wanted, known } = place;
  const isKnown = known?.size === present.size && known.mtimeNs === present.mtimeNs;
  if (isKnown && isListed(known, wanted)) return;
  const sha256 = isKnown ? known.sha256 : files.hash(present.path, () => progress.isCancelled);
  const listed = lookup.find(pathKey, sha256);
  if (sha256 === wanted?.sha256) load(follow, place, present, wanted);
  else if (!takeOut(follow, place, sha256, listed)) adopt(follow, place, present, sha256, listed);
}

function isListed(known: LibraryFile, wanted: WantedFile | undefined): boolean {
  return known.id === wanted?.id && known.sha256 === wanted.sha256;
}

/** Takes a content out of its place that is listed as replaced or removed. @returns false where it stays. */
function takeOut(follow: Follow, place: Place, sha256: string, listed?: Listed): boolean {
  const { files, counts } = follow;
  const { path, wanted, known } = place;
  if (listed?.state !== 'replaced' && listed?.state !== 'removed') return false;
  if (bringBack(follow, place, sha256)) return true;
  // The bytes of the wanted file are lost: what was before it is all there is.
  if (listed.state === 'replaced' && wanted !== undefined) return false;
  if (known !== undefined) drop(follow, known);
  follow.withdrawals.push(() => {
    try {
      files.withdraw(path, sha256);
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      counts.isWhole = false;
    }
  });
  return true;
}

/** Takes in a file that the list does not know, or that was missing. */
function adopt(
  follow: Follow,
  place: Place,
  present: ManagedFile,
  sha256: string,
  listed?: Listed,
): void {
  const { known } = place;
  const id = listed?.id ?? (known?.sha256 === sha256 ? known.id : undefined);
  if (id === undefined) follow.lastId += 1;
  try {
    const salvaged = listed?.salvaged ?? 0;
    load(follow, place, present, { id: id ?? follow.lastId, sha256, salvaged });
  } catch (error) {
    // What cannot be read does not stand in the way of a listed file whose bytes are kept.
    if (!(error instanceof FileRefused) || !bringBack(follow, place, sha256)) throw error;
  }
}

/** Reads the file at a place into the library. */
function load(
  { library, files, progress, counts }: Follow,
  { path, pathKey, known }: Place,
  present: ManagedFile,
  { id, sha256, salvaged }: Pick<WantedFile, 'id' | 'sha256' | 'salvaged'>,
): void {
  if (known?.id === id && known.sha256 === sha256) {
    library.restamp(id, present);
    return;
  }
  const read = {
    sha256,
    onBytes: () => {},
    isCancelled: () => progress.isCancelled,
    salvages: salvaged !== 0,
  };
  library.replaceFile(
    { id, path, pathKey, sha256 },
    { load: (rows) => loadCopy(files.absolute(path), rows, read), place: () => present },
  );
  counts.loaded += 1;
}

/**
 * Puts the kept bytes of a wanted file in its place.
 * @param old the SHA-256 of the bytes there, which are kept instead.
 * @returns false where its bytes are not kept, or are others.
 */
function bringBack(follow: Follow, place: Place, old?: string): boolean {
  const { library, files, progress, counts } = follow;
  const { path, pathKey, wanted, known } = place;
  if (wanted === undefined || !files.isKept(wanted.sha256)) return false;
  const { id, sha256 } = wanted;
  const made = files.makeDirectories(path);
  const temporary = files.temporary(path);
  const isCancelled = () => progress.isCancelled;
  const putInPlace = (): FileStamp => {
    files.place(temporary, path, old);
    const stamp = files.find(path);
    if (stamp === undefined) throw new FileRefused('changed');
    return stamp;
  };
  try {
    if (!files.takeKept(sha256, temporary)) return false;
    if (known?.id === id && known.sha256 === sha256) library.restamp(id, putInPlace());
    else {
      const salvages = wanted.salvaged !== 0;
      const read = { sha256, name: path, onBytes: () => {}, isCancelled, salvages };
      const load = (rows: FileRows): FileCounts => loadCopy(temporary, rows, read);
      library.replaceFile({ id, path, pathKey, sha256 }, { load, place: putInPlace });
    }
    counts.loaded += 1;
    return true;
  } catch (error) {
    if (files.refusal(error) instanceof FileRefused) return false;
    throw error;
  } finally {
    files.discard(temporary);
    files.removeDirectories(made);
  }
}

function drop({ library, counts }: Follow, { id }: LibraryFile): void {
  library.removeFile(id);
  counts.dropped += 1;
}

function isUnreadable(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && !isDiskFull(error);
}

/**
 * Removes kept bytes of contents that the list knows and that no file which is out needs: they are in their place again, or were
 * removed for good.
 */
function dropKeptBytes(
  { library, files, lookup }: Rooms,
  ids: readonly number[] | undefined,
): void {
  const contents = ids?.flatMap((id) => lookup.byId(id)?.sha256 ?? []) ?? files.kept();
  for (const sha256 of contents) {
    const uses = lookup.uses(sha256);
    if (uses.length === 0 || uses.some(({ isActive, isKept }) => !isActive && isKept)) continue;
    const isInPlace = (): boolean =>
      library.findByContent(sha256).some((file) => files.isIntact(file.path, file));
    if (files.isKept(sha256) && (!uses.some(({ isActive }) => isActive) || isInPlace()))
      files.dropKept(sha256);
  }
}
