import { fstatSync, readSync } from 'node:fs';
import { join } from 'node:path';
import type { FileCounts, LibraryFile } from '../../storage/library/writer.ts';
import { openFile } from '../../storage/open-file.ts';
import { isContainer } from '../../formats/containers/container.ts';
import { headBytes, type Format } from '../../formats/format.ts';
import type { ReadOptions } from '../../formats/read-blocks.ts';
import { findFormat } from '../../formats/registry.ts';
import { FileRefused, ReadingCancelled } from '../../formats/refused.ts';
import { nullSink } from '../../model/recording.ts';
import { copySource } from './copy-source.ts';
import {
  findPlace,
  oldHash,
  takeDuplicate,
  type Found,
  type ImportPlaces,
  type Passed,
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

/** A copy in its place, whose rows are not committed yet. */
interface PlacedCopy {
  /** Takes it out of its place. */
  readonly undo: () => void;
  /** SHA-256 of what was there before. */
  readonly old: string | undefined;
  /** Whether a watched file was that before it grew: once the rows are committed, these bytes need not be kept. */
  readonly hasGrown: boolean;
}

/** Outcome of a file that was not refused. */
export type Verdict =
  | {
      readonly kind: 'added' | 'replaced';
      readonly counts: FileCounts;
      /** Absent in a preview. */
      readonly placed?: PlacedCopy;
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

/** `isCancelled` may throw FileRefused too_slow. */
type Control = Required<ReadOptions>;

/**
 * Imports one file: all of it or, when anything throws, nothing.
 * @throws FileRefused, ReadingCancelled, and errors of our own disk or of SQLite
 */
export function importFile(job: FileImport, places: ImportPlaces, control: Control): Verdict {
  try {
    return importWhole(job, places, control);
  } catch (error) {
    throw places.files.refusal(error);
  }
}

function importWhole(job: FileImport, places: ImportPlaces, control: Control): Verdict {
  const file = job.packed?.container ?? job.file;
  const remembered = places.stamps.hashOf(join(job.root, file), job.packed?.entry);
  if (remembered !== undefined) {
    const found = findPlace(job.target, remembered, places);
    const known = takeDuplicate(found, remembered, places);
    if (known?.kind === 'duplicate') return { ...known, isRemembered: true };
    if (known !== undefined) return known;
  }
  using source = openSource(job.root, file, job.packed?.entry);
  return importSource(source, job, places, control);
}

function importSource(
  source: SourceFile,
  { file, target }: FileImport,
  places: ImportPlaces,
  control: Control,
): Verdict {
  const { stamps, taken } = places;
  const head = readHead(source, headBytes);
  if (isContainer(head)) {
    if (source.packed !== undefined) throw new FileRefused('nested');
    return { kind: 'container' };
  }
  const format = findFormat(head, file);
  if (format === undefined) return { kind: 'unsupported' };
  const content = readContent(source, control.isCancelled);
  const { sha256 } = content;
  const found = findPlace(target, sha256, places);
  const passed = takeDuplicate(found, sha256, places);
  if (passed !== undefined) {
    stamps.note(source, sha256);
    return passed;
  }
  // Two sources whose names differ in form only would overwrite each other, for ever.
  if (taken.has(found.pathKey)) throw new FileRefused('unreadable');
  return takeIn({ source, content, format, name: file, control }, found, places);
}

/** Stores a source that is new, or tells what that would do. */
function takeIn(reading: Reading, found: Found, places: ImportPlaces): Verdict {
  const { stamps, taken, planned } = places;
  const { known, isPresent, pathKey, storedAs } = found;
  const { sha256 } = reading.content;
  const beside = storedAs === undefined ? {} : { storedAs };
  if (planned !== undefined) {
    const counts = plan(reading);
    if (!isPresent && planned.has(sha256)) return { kind: 'duplicate' };
    planned.add(sha256);
    taken.add(pathKey);
    return { kind: isPresent ? 'replaced' : 'added', counts, ...beside };
  }
  const stored = store(reading, found, places);
  taken.add(pathKey);
  stamps.note(reading.source, sha256);
  const isReplaced = isPresent || (known !== undefined && known.sha256 !== sha256);
  return { kind: isReplaced ? 'replaced' : 'added', ...stored, ...beside };
}

interface Reading {
  readonly source: SourceFile;
  readonly content: SourceContent;
  readonly format: Format;
  readonly name: string;
  readonly control: Control;
}

/** Counts what storing a source would bring. */
function plan({ content, format, control }: Reading): FileCounts {
  return { ...format.read(content.blocks(), nullSink, control), format: format.name };
}

/**
 * Copies a source, reads the copy into rows, gives it its name, and commits, perhaps with a group. So rows are never committed
 * before their file is whole and in its place. After a crash the next start follows what is there: a temporary file is deleted,
 * a file without rows is read, rows without a file go. None of it was answered yet: names are synced before the answer.
 */
function store(
  { source, content, name, control }: Reading,
  found: Found,
  places: ImportPlaces,
): { readonly counts: FileCounts; readonly placed: PlacedCopy } {
  const { library, files, imports } = places;
  const { path, pathKey } = found;
  const { sha256 } = content;
  const old = oldHash(found, places);
  const grown = grownOf(content, old, found, places);
  const id = grown === undefined ? imports.idOf(pathKey, sha256) : grown.id;
  const temporary = files.temporary(path);
  const made = files.makeDirectories(path);
  let takeOut: (() => void) | undefined;
  const undo = () =>
    tryAll([
      () => takeOut?.(),
      () => files.discard(temporary),
      () => files.removeDirectories(made),
    ]);
  try {
    copySource(source, content, temporary);
    if (!looksUnchanged(source)) throw new FileRefused('changed');
    const counts = library.replaceFile(
      { id, path, pathKey, sha256 },
      {
        load: (rows) => loadCopy(temporary, rows, { sha256, name, ...control }),
        place: () => {
          if (control.isCancelled()) throw new ReadingCancelled();
          takeOut = files.place(temporary, path, old);
          const stamp = files.find(path);
          if (stamp === undefined) throw new FileRefused('changed');
          return stamp;
        },
      },
    );
    return { counts, placed: { undo, old, hasGrown: grown !== undefined } };
  } catch (error) {
    undo();
    throw error;
  }
}

/** The file that a watched source was before it grew; undefined where it is another file, or was that content before. */
function grownOf(
  { sha256, blocks }: SourceContent,
  old: string | undefined,
  { known, path, pathKey }: Found,
  { files, imports }: ImportPlaces,
): LibraryFile | undefined {
  if (!imports.isWatched || known === undefined || known.sha256 !== old) return undefined;
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
  using file = openFile(older);
  const { size } = fstatSync(file.fd);
  const end = readAt(file.fd, Math.max(0, size - closingBytes), closingBytes);
  const [closed = ''] = closing.exec(end.toString('latin1')) ?? [];
  const length = size - closed.length;
  let at = 0;
  for (const block of blocks) {
    const bytes = Math.min(block.length, length - at);
    if (!readAt(file.fd, at, bytes).equals(block.subarray(0, bytes))) return false;
    at += bytes;
    if (at === length) return true;
  }
  return at === length;
}

function readAt(fd: number, at: number, length: number): Buffer {
  const into = Buffer.allocUnsafe(length);
  return into.subarray(0, readSync(fd, into, 0, length, at));
}
