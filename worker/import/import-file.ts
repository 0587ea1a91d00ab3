import { closeSync } from 'node:fs';
import { join } from 'node:path';
import type { FileCounts, FileRows } from '../../storage/library/writer.ts';
import { isContainer } from '../../formats/containers/container.ts';
import { headBytes, type Format } from '../../formats/format.ts';
import { findFormat } from '../../formats/registry.ts';
import { FileRefused, ReadingCancelled } from '../../formats/refused.ts';
import {
  findPlace,
  oldHash,
  takeDuplicate,
  type Found,
  type Passed,
  type Places,
} from './find-place.ts';
import { hasGrownFrom } from './grown-file.ts';
import type { KnownSizes } from './known-sizes.ts';
import { NewCopy } from './new-copy.ts';
import { planFile, type PlannedContents } from './plan-file.ts';
import type { SourceEntry } from './source-list.ts';
import type { SourceStamps } from './source-stamps.ts';
import { beginTimeBudget, type BeginClock } from './time-budget.ts';
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
  | {
      readonly kind: 'added' | 'replaced';
      readonly counts: FileCounts;
      /** Its path below `imports/`, where a file of another directory has its own. */
      readonly storedAs?: string;
    }
  /** Its content is of no format that is read, or it holds other files. */
  | { readonly kind: 'unsupported' }
  | { readonly kind: 'container' }
  | Passed;

export interface FileImport {
  /** Real path of the directory of the import. */
  readonly root: string;
  /** The source, relative to it. */
  readonly file: string;
  readonly packed?: SourceEntry['packed'];
  /** Where it goes below `imports/`, with `/`. */
  readonly target: string;
}

/** A path, by its key, and the SHA-256 of what was there, all of which is in what is there now. */
export interface Grown {
  readonly pathKey: string;
  readonly sha256: string;
}

export interface ImportPlaces extends Places {
  readonly stamps: SourceStamps;
  readonly sizes: KnownSizes;
  /** Set for a preview, which writes nothing: the contents that it would have taken in. */
  readonly planned: PlannedContents | undefined;
  readonly beginClock: BeginClock;
  /** Called with the bytes of each piece parsed. */
  readonly onBytes: (bytes: number) => void;
  /** Of its transaction, which is undone when it fails; only then may it replace a file that is there. */
  readonly isFirst: boolean;
  /** Called with how to take the file out of its place, in case its rows are undone, and with what to do once they are not. */
  readonly onPlaced: (undo: () => void, settle: () => void) => void;
  /** Set where a file that has grown is still the same one; nothing need be kept of what it was. */
  readonly onGrown: ((grown: Grown) => void) | undefined;
}

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
    const found = findPlace(job.target, remembered, places);
    const known = takeDuplicate(found, remembered, places);
    if (known !== undefined) return known;
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
  const found = findPlace(target, reading.sha256, places);
  if (reading.sha256 !== undefined) {
    const known = takeDuplicate(found, reading.sha256, places);
    if (known !== undefined) {
      stamps.note(source, reading.sha256);
      return known;
    }
  }
  // Two sources whose names differ in form only would overwrite each other, for ever.
  if (taken.has(found.pathKey)) throw new FileRefused('unreadable');
  const { known, isPresent, storedAs } = found;
  if (places.planned !== undefined) return plan(reading, found, places);
  if (isPresent && !isFirst) return undefined;
  const { sha256, counts } = store(reading, found, places);
  taken.add(found.pathKey);
  stamps.note(source, sha256);
  const isReplaced = isPresent || (known !== undefined && known.sha256 !== sha256);
  const kind = isReplaced ? 'replaced' : 'added';
  return { kind, counts, ...(storedAs === undefined ? {} : { storedAs }) };
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

/** What storing a source would do. */
function plan(reading: Reading, found: Found, places: ImportPlaces): Verdict {
  const { progress, onBytes, planned, taken } = places;
  const checkTime = beginTimeBudget(reading.source.size, places.beginClock);
  const isCancelled = () => {
    checkTime();
    return progress.isCancelled;
  };
  const { sha256, counts } = planFile(reading, { onBytes, isCancelled });
  const { isPresent, storedAs } = found;
  if (!isPresent && planned?.has(sha256) === true) return { kind: 'duplicate' };
  planned?.add(sha256);
  taken.add(found.pathKey);
  const kind = isPresent ? 'replaced' : 'added';
  return { kind, counts, ...(storedAs === undefined ? {} : { storedAs }) };
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
  const checkTime = beginTimeBudget(source.size, places.beginClock);
  const old = oldHash(found, places);
  const copy = new NewCopy(source, held, files.temporary(path));
  const made = files.makeDirectories(path);
  let undo: (() => void) | undefined;
  let tellGrown: (() => void) | undefined;
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
          copy.seal(files.nextSeconds());
          // The sync may have taken long; the file is still in progress.
          if (progress.isCancelled) throw new ReadingCancelled();
          if (places.onGrown !== undefined && old !== undefined && old === found.known?.sha256)
            tellGrown = tellsGrown(copy, old, found, places);
          undo = files.place(copy.path, path, old);
          const stamp = files.find(path);
          if (stamp === undefined) throw new FileRefused('changed');
          return sha256 === undefined ? { ...stamp, sha256: copy.sha256 } : stamp;
        },
      },
      places.isFirst,
    );
    onPlaced(tidyUp, () => tellGrown?.());
    sizes.add(copy.length);
    return { sha256: copy.sha256, counts };
  } catch (error) {
    tidyUp();
    throw error;
  }
}

/** What tells of a file that has only grown; undefined for any other. */
function tellsGrown(
  copy: NewCopy,
  old: string,
  { path, pathKey }: Found,
  { files, onGrown }: ImportPlaces,
): (() => void) | undefined {
  // Kept already: another file had that very content. Or the new one was there before: that is a change back to it.
  const isKnown = files.isKept(old) || files.isKept(copy.sha256);
  if (isKnown || !hasGrownFrom(files.absolute(path), copy.path)) return undefined;
  return () => onGrown?.({ pathKey, sha256: old });
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
