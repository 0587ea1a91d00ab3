import { closeSync } from 'node:fs';
import { join } from 'node:path';
import type {
  FileCounts,
  FileRows,
  LibraryFile,
  LibraryWriter,
} from '../../storage/library/writer.ts';
import { isContainer } from '../../formats/containers/container.ts';
import { headBytes, type Format } from '../../formats/format.ts';
import { findFormat } from '../../formats/registry.ts';
import { FileRefused, ReadingCancelled } from '../../formats/refused.ts';
import type { KnownSizes } from './known-sizes.ts';
import { NewCopy } from './new-copy.ts';
import type { ManagedCopies } from './managed-copies.ts';
import type { ImportProgress } from './progress.ts';
import type { SourceEntry } from './source-list.ts';
import type { SourceStamps } from './source-stamps.ts';
import { beginTimeBudget } from './time-budget.ts';
import {
  hashSource,
  heldBytes,
  holdSource,
  looksUnchanged,
  openSource,
  readHead,
  type HeldSource,
  type SourceFile,
} from './source-file.ts';

/** What became of a file that was not refused. */
export type Verdict =
  | { readonly kind: 'added' | 'replaced'; readonly counts: FileCounts }
  /** Its content is of no format that is read, or it holds other files. */
  | { readonly kind: 'unsupported' }
  | { readonly kind: 'container' }
  | {
      readonly kind: 'duplicate';
      /** Its SHA-256, if only other paths have that content: a later file of the import may replace it there. */
      readonly elsewhere?: string;
    };

export interface FileImport {
  /** Real path of the directory of the import. */
  readonly root: string;
  /** The source, relative to it. */
  readonly file: string;
  readonly packed?: SourceEntry['packed'];
  /** Where it goes below `imports/`, with `/`. */
  readonly target: string;
}

export interface ImportPlaces {
  readonly library: LibraryWriter;
  readonly files: ManagedCopies;
  readonly stamps: SourceStamps;
  readonly sizes: KnownSizes;
  readonly progress: Pick<ImportProgress, 'isCancelled'>;
  /** CPU time of this thread, ms since some moment. */
  readonly cpuMs: () => number;
  /** Called with the bytes of each piece parsed. */
  readonly onBytes: (bytes: number) => void;
  /** Keys of the paths that files of this import have taken. */
  readonly taken: TakenPaths;
  /** Of its transaction, which is undone when it fails; only then may it replace a file that is there. */
  readonly isFirst: boolean;
  /** Called with how to take the file out of its place, in case its rows are undone. */
  readonly onPlaced: (undo: () => void) => void;
}

type TakenPaths = {
  has(key: string): boolean;
  add(key: string): unknown;
};

/**
 * Imports one file: all of it or, when anything throws, nothing.
 * @returns undefined where a file would be replaced that may not be; nothing has been done then.
 * @throws FileRefused, ReadingCancelled, and errors of our own disk or of SQLite
 */
export function importFile(job: FileImport, places: ImportPlaces): Verdict | undefined {
  try {
    return importWhole(job, places);
  } catch (error) {
    throw places.files.refusal(error);
  }
}

function importWhole(job: FileImport, places: ImportPlaces): Verdict | undefined {
  const file = job.packed?.container ?? job.file;
  const remembered = places.stamps.hashOf(join(job.root, file), job.packed?.entry);
  if (remembered !== undefined) {
    const found = findPlace(job.target, places);
    const duplicate = takeDuplicate(found, remembered, places);
    if (duplicate !== undefined) return duplicate;
  }
  const source = openSource(job.root, file, job.packed?.entry);
  try {
    return importSource(source, job, places);
  } finally {
    closeSync(source.fd);
  }
}

function importSource(
  source: SourceFile,
  { file, target }: FileImport,
  places: ImportPlaces,
): Verdict | undefined {
  const { stamps, taken, isFirst } = places;
  const reading = beginReading(source, file, places);
  if (typeof reading === 'string') return { kind: reading };
  const found = findPlace(target, places);
  if (reading.sha256 !== undefined) {
    const duplicate = takeDuplicate(found, reading.sha256, places);
    if (duplicate !== undefined) {
      stamps.note(source, reading.sha256);
      return duplicate;
    }
  }
  // Two sources whose names differ in form only would overwrite each other, for ever.
  if (taken.has(found.pathKey)) throw new FileRefused('unreadable');
  const { known, isPresent } = found;
  if (isPresent && !isFirst) return undefined;
  const { sha256, counts } = store(reading, found, places);
  taken.add(found.pathKey);
  stamps.note(source, sha256);
  const isReplaced = isPresent || (known !== undefined && known.sha256 !== sha256);
  return { kind: isReplaced ? 'replaced' : 'added', counts };
}

interface Reading {
  readonly source: SourceFile;
  readonly held: HeldSource | undefined;
  readonly format: Format;
  /** Undefined for a source that need not be hashed first: of its size none is known, so it is no duplicate. */
  readonly sha256: string | undefined;
}

/**
 * A small source is read once for all; a large one is hashed first only if it could be a duplicate.
 * @returns what it is, if it is no file of a format.
 * @throws FileRefused nested
 */
function beginReading(
  source: SourceFile,
  file: string,
  { sizes, progress }: ImportPlaces,
): Reading | 'unsupported' | 'container' {
  const isCancelled = () => progress.isCancelled;
  const held = source.size <= heldBytes ? holdSource(source, isCancelled) : undefined;
  const head = held?.bytes.subarray(0, headBytes) ?? readHead(source, headBytes);
  if (isContainer(head)) {
    if (source.packed !== undefined) throw new FileRefused('nested');
    return 'container';
  }
  const format = findFormat(head, file);
  if (format === undefined) return 'unsupported';
  if (held !== undefined) return { source, held, format, sha256: held.sha256 };
  const sha256 = sizes.has(source.size) ? hashSource(source, isCancelled) : undefined;
  return { source, held, format, sha256 };
}

/** What is at the path of the copy of a source. */
function findPlace(target: string, { library, files }: ImportPlaces): Found {
  const pathKey = library.keyOf(target);
  const known = library.findByKey(pathKey);
  // On a file system that folds case, a known file keeps the path it has.
  const path = known?.path ?? target;
  return { known, path, pathKey, isPresent: files.find(path) !== undefined };
}

/** Notes a duplicate of a known path as that path's source, so that no other source of this import takes it. */
function takeDuplicate(found: Found, sha256: string, places: ImportPlaces): Verdict | undefined {
  if (!isDuplicate(found, sha256, places)) return undefined;
  if (found.known === undefined) return { kind: 'duplicate', elsewhere: sha256 };
  places.taken.add(found.pathKey);
  return { kind: 'duplicate' };
}

interface Found {
  readonly known: LibraryFile | undefined;
  readonly path: string;
  /** The path as paths are compared. */
  readonly pathKey: string;
  readonly isPresent: boolean;
}

/**
 * A known path is compared with its own content only. What the library says counts only while the file is there: a copy
 * that was deleted or edited by hand comes back by importing its source again.
 */
function isDuplicate(
  { known, isPresent }: Found,
  sha256: string,
  { library, files }: ImportPlaces,
): boolean {
  if (known !== undefined) return known.sha256 === sha256 && files.isIntact(known.path, known);
  if (isPresent) return false;
  return library.findByContent(sha256).some((file) => files.isIntact(file.path, file));
}

/** The hash of the bytes that are about to be replaced, whatever the library says of them. */
function oldHash({ known, path, isPresent }: Found, places: ImportPlaces): string | undefined {
  if (!isPresent) return undefined;
  const { files, progress } = places;
  if (known !== undefined && files.isIntact(path, known)) return known.sha256;
  return files.hash(path, () => progress.isCancelled);
}

/**
 * Copies and parses in one pass, then: bytes of the copy to the disk, its name, rows, and the commit, which may be that
 * of a group. So rows are never committed before their file is whole and in its place. What a crash leaves at each step
 * is mended at the next start: a temporary file is deleted; a file without rows is read; rows whose file did not keep its
 * name through a power cut are dropped. None of it was answered yet: the names are synced before the answer.
 */
function store(
  { source, held, format, sha256 }: Reading,
  found: Found,
  places: ImportPlaces,
): { sha256: string; counts: FileCounts } {
  const { library, files, sizes, progress, onPlaced } = places;
  const { path, pathKey } = found;
  const checkTime = beginTimeBudget(source.size, places.cpuMs);
  const old = oldHash(found, places);
  const copy = new NewCopy(source, held, files.temporary(path));
  const made = files.makeDirectories(path);
  let undo: (() => void) | undefined;
  const tidyUp = () =>
    tryAll([() => undo?.(), () => copy.discard(), () => files.removeDirectories(made)]);
  try {
    const counts = library.replaceFile(
      { path, pathKey, sha256 },
      {
        load: (rows) => load({ copy, source, format }, rows, { ...places, checkTime }),
        place: () => {
          if (sha256 !== undefined && copy.sha256 !== sha256) throw new FileRefused('changed');
          checkTime();
          copy.seal();
          // The sync may have taken long; the file is still in progress.
          if (progress.isCancelled) throw new ReadingCancelled();
          undo = files.place(copy.path, path, old);
          const stamp = files.find(path);
          if (stamp === undefined) throw new FileRefused('changed');
          return sha256 === undefined ? { ...stamp, sha256: copy.sha256 } : stamp;
        },
      },
      places.isFirst,
    );
    onPlaced(tidyUp);
    sizes.add(copy.length);
    return { sha256: copy.sha256, counts };
  } catch (error) {
    tidyUp();
    throw error;
  }
}

interface Copying {
  readonly copy: NewCopy;
  readonly source: SourceFile;
  readonly format: Format;
}

function load(
  { copy, source, format }: Copying,
  rows: FileRows,
  places: ImportPlaces & { readonly checkTime: () => void },
): FileCounts {
  const { progress, onBytes, checkTime } = places;
  const isCancelled = () => {
    checkTime();
    return progress.isCancelled;
  };
  let counts: FileCounts;
  try {
    const summary = format.read(copy.blocks(isCancelled), rows, { onBytes, isCancelled });
    counts = { ...summary, format: format.name };
  } catch (error) {
    // A file that was being written while it was copied reads like a broken one.
    const isBroken = error instanceof FileRefused && error.reason !== 'unreadable';
    throw isBroken && hasChanged(copy, source, places) ? new FileRefused('changed') : error;
  }
  if (hasChanged(copy, source, places)) throw new FileRefused('changed');
  return counts;
}

/** A source whose times cannot prove that nobody wrote to it meanwhile is read again. */
function hasChanged(
  copy: NewCopy,
  source: SourceFile,
  { stamps, progress }: ImportPlaces,
): boolean {
  if (stamps.isSettled(source.stats) && looksUnchanged(source)) return false;
  return hashSource(source, () => progress.isCancelled, copy.length) !== copy.sha256;
}

/** Takes back what a failed file has left. What cannot be taken back now is mended at the next start: the files win. */
function tryAll(steps: readonly (() => void)[]): void {
  for (const step of steps) {
    try {
      step();
    } catch {
      // The reason of the failure is what must be told, not this.
    }
  }
}
