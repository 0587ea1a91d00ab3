import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import type { FileCounts, LibraryFile } from '../../storage/library/writer.ts';
import { isContainer } from '../../formats/containers/container.ts';
import { headBytes, type Format } from '../../formats/format.ts';
import { findFormat } from '../../formats/registry.ts';
import { FileRefused, ReadingCancelled } from '../../formats/refused.ts';
import { nullSink } from '../../model/recording.ts';
import { copySource } from './copy-source.ts';
import {
  findPlace,
  oldHash,
  takeDuplicate,
  type Found,
  type Passed,
  type Places,
} from './find-place.ts';
import { loadCopy } from './load-copy.ts';
import {
  looksUnchanged,
  openSource,
  readContent,
  readHead,
  type SourceContent,
  type SourceFile,
} from './source-file.ts';
import type { SourceEntry } from './source-list.ts';
import type { SourceStamps } from './source-stamps.ts';
import { beginTimeBudget, type BeginClock } from './time-budget.ts';

/** Contents that a preview of an import would have taken in by now. */
export type PlannedContents = Set<string>;

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

export interface ImportPlaces extends Places {
  readonly stamps: SourceStamps;
  /** Set for a preview, which writes nothing: the contents that it would have taken in. */
  readonly planned: PlannedContents | undefined;
  readonly beginClock: BeginClock;
  /** Called with the bytes of each piece parsed. */
  readonly onBytes: (bytes: number) => void;
  /** Of its transaction, which is undone when it fails; only then may it replace a file that is there. */
  readonly isFirst: boolean;
  /** Called with how to take the file out of its place, in case its rows are undone, and with what to do once they are not. */
  readonly onPlaced: (undo: () => void, settle: () => void) => void;
  /**
   * Set where a file that has grown is still the same one. Gets the SHA-256 of its content before, which need not be kept.
   */
  readonly onGrown: ((sha256: string) => void) | undefined;
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
  const { stamps, taken, isFirst, progress } = places;
  const head = readHead(source, headBytes);
  if (isContainer(head)) {
    if (source.packed !== undefined) throw new FileRefused('nested');
    return { kind: 'container' };
  }
  const format = findFormat(head, file);
  if (format === undefined) return { kind: 'unsupported' };
  const content = readContent(source, () => progress.isCancelled);
  const { sha256 } = content;
  const found = findPlace(target, sha256, places);
  const passed = takeDuplicate(found, sha256, places);
  if (passed !== undefined) {
    stamps.note(source, sha256);
    return passed;
  }
  // Two sources whose names differ in form only would overwrite each other, for ever.
  if (taken.has(found.pathKey)) throw new FileRefused('unreadable');
  const reading = { source, content, format, name: file };
  if (places.planned !== undefined) return plan(reading, found, places.planned, places);
  const { known, isPresent } = found;
  if (isPresent && !isFirst) return undefined;
  const counts = store(reading, found, places);
  taken.add(found.pathKey);
  stamps.note(source, sha256);
  const isReplaced = isPresent || (known !== undefined && known.sha256 !== sha256);
  return verdictOf(isReplaced, counts, found);
}

function verdictOf(isReplaced: boolean, counts: FileCounts, { storedAs }: Found): Verdict {
  const kind = isReplaced ? 'replaced' : 'added';
  return { kind, counts, ...(storedAs === undefined ? {} : { storedAs }) };
}

interface Reading {
  readonly source: SourceFile;
  readonly content: SourceContent;
  readonly format: Format;
  readonly name: string;
}

/** What storing a source would do. */
function plan(
  { source, content, format }: Reading,
  found: Found,
  planned: PlannedContents,
  places: ImportPlaces,
): Verdict {
  const { onBytes, taken } = places;
  const isCancelled = withTimeBudget(source, places);
  const summary = format.read(content.blocks(), nullSink, { onBytes, isCancelled });
  if (!found.isPresent && planned.has(content.sha256)) return { kind: 'duplicate' };
  planned.add(content.sha256);
  taken.add(found.pathKey);
  return verdictOf(found.isPresent, { ...summary, format: format.name }, found);
}

/** Tells whether the import is cancelled. @throws FileRefused too_slow */
function withTimeBudget({ size }: SourceFile, { progress, beginClock }: ImportPlaces) {
  const checkTime = beginTimeBudget(size, beginClock);
  return (): boolean => {
    checkTime();
    return progress.isCancelled;
  };
}

/**
 * Copies a source, reads the copy into rows, gives it its name, and commits, perhaps with a group. So rows are never committed
 * before their file is whole and in its place. After a crash the next start follows what is there: a temporary file is deleted,
 * a file without rows is read, rows without a file go. None of it was answered yet: names are synced before the answer.
 */
function store({ source, content, name }: Reading, found: Found, places: ImportPlaces): FileCounts {
  const { library, files, imports, onBytes, onPlaced } = places;
  const { path, pathKey } = found;
  const { sha256 } = content;
  const isCancelled = withTimeBudget(source, places);
  const old = oldHash(found, places);
  const grown = grownOf(content, old, found, places);
  const id = grown === undefined ? imports.idOf(pathKey, sha256) : imports.reuse(grown.id);
  const temporary = files.temporary(path);
  const made = files.makeDirectories(path);
  let undo: (() => void) | undefined;
  const tidyUp = () =>
    tryAll([() => undo?.(), () => files.discard(temporary), () => files.removeDirectories(made)]);
  try {
    copySource(source, content, temporary);
    if (!looksUnchanged(source)) throw new FileRefused('changed');
    const counts = library.replaceFile(
      { id, path, pathKey, sha256 },
      {
        load: (rows) => loadCopy(temporary, rows, { sha256, name, onBytes, isCancelled }),
        place: () => {
          if (isCancelled()) throw new ReadingCancelled();
          undo = files.place(temporary, path, old);
          const stamp = files.find(path);
          if (stamp === undefined) throw new FileRefused('changed');
          return stamp;
        },
      },
      places.isFirst,
    );
    onPlaced(tidyUp, () => grown && places.onGrown?.(grown.sha256));
    return counts;
  } catch (error) {
    tidyUp();
    throw error;
  }
}

/** The file that a watched source was before it grew; undefined where it is another file, or was that content before. */
function grownOf(
  { sha256, blocks }: SourceContent,
  old: string | undefined,
  { known, path, pathKey }: Found,
  { files, imports, onGrown }: ImportPlaces,
): LibraryFile | undefined {
  if (onGrown === undefined || known === undefined || known.sha256 !== old) return undefined;
  // Kept already: another file had that very content.
  if (files.isKept(old) || imports.isListed(pathKey, sha256)) return undefined;
  return hasGrownFrom(files.absolute(path), blocks()) ? known : undefined;
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

/** What closes a document that grows, but not its last value, which may become another one: `</trk></gpx>`, `]}`. */
const closing = /(?<=[>\]}])(?:\s|<\/[\w:.-]{1,64}>|[\]}])*$/u;
const closingBytes = 512;

/** Whether a file begins with all that an older one holds, so that nothing is lost with that one. */
function hasGrownFrom(older: string, blocks: Iterable<Uint8Array>): boolean {
  const fd = openSync(older, 'r');
  try {
    const { size } = fstatSync(fd);
    const end = readAt(fd, Math.max(0, size - closingBytes), closingBytes);
    const [closed = ''] = closing.exec(end.toString('latin1')) ?? [];
    const length = size - closed.length;
    let at = 0;
    for (const block of blocks) {
      const bytes = Math.min(block.length, length - at);
      if (!readAt(fd, at, bytes).equals(block.subarray(0, bytes))) return false;
      at += bytes;
      if (at === length) return true;
    }
    return at === length;
  } finally {
    closeSync(fd);
  }
}

function readAt(fd: number, at: number, length: number): Buffer {
  const into = Buffer.allocUnsafe(length);
  return into.subarray(0, readSync(fd, into, 0, length, at));
}
