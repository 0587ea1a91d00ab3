import { closeSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { FileCounts, LibraryFile, LibraryWriter } from '../../storage/library/writer.ts';
import { FileRefused } from './file-refused.ts';
import { loadGpx } from './load-gpx.ts';
import type { PrivateFiles } from './private-files.ts';
import type { PrivatePath } from './private-path.ts';
import type { ImportProgress } from './progress.ts';
import type { SourceStamps } from './source-stamps.ts';
import { copySource, hashSource, openSource, type SourceFile } from './source-file.ts';

/** What became of a file that was not refused. */
export type Verdict =
  | { readonly kind: 'added' | 'replaced'; readonly counts: FileCounts }
  | { readonly kind: 'duplicate' };

export interface FileImport {
  /** Real path of the directory of the import. */
  readonly root: string;
  /** The source, relative to it. */
  readonly file: string;
  readonly target: PrivatePath;
}

export interface ImportPlaces {
  readonly library: LibraryWriter;
  readonly files: PrivateFiles;
  readonly stamps: SourceStamps;
  readonly progress: ImportProgress;
  /** Called with the bytes of each piece parsed. */
  readonly onBytes: (bytes: number) => void;
  /** Keys of the paths that files of this import have taken. */
  readonly taken: Set<string>;
}

/**
 * Imports one file: all of it or, when anything throws, nothing.
 * @throws FileRefused, GpxCancelled, and errors of our own disk or of SQLite
 */
export function importFile(job: FileImport, places: ImportPlaces): Verdict {
  const remembered = places.stamps.hashOf(join(job.root, job.file));
  if (remembered !== undefined) {
    const found = findPlace(job.target, remembered, places);
    if (takeDuplicate(found, job.target, places)) return { kind: 'duplicate' };
  }
  const source = openSource(job.root, job.file);
  try {
    return importSource(source, job.target, places);
  } finally {
    closeSync(source.fd);
  }
}

function importSource(source: SourceFile, target: PrivatePath, places: ImportPlaces): Verdict {
  const { progress, stamps, taken } = places;
  const sha256 = hashSource(source, () => progress.isCancelled);
  const found = findPlace(target, sha256, places);
  if (takeDuplicate(found, target, places)) {
    stamps.note(source.stats, sha256);
    return { kind: 'duplicate' };
  }
  // Two sources whose names differ in form only would overwrite each other, for ever.
  if (taken.has(target.pathKey)) throw new FileRefused('unreadable');
  const { known, path, isPresent } = found;
  const isReplaced = isPresent || (known !== undefined && known.sha256 !== sha256);
  const old = isPresent ? oldHash(known, path, places) : undefined;
  const counts = store(source, { path, pathKey: target.pathKey, sha256 }, old, places);
  taken.add(target.pathKey);
  stamps.note(source.stats, sha256);
  return { kind: isReplaced ? 'replaced' : 'added', counts };
}

/** What is at the private path of a source. */
function findPlace(target: PrivatePath, sha256: string, { library, files }: ImportPlaces): Found {
  const known = library.findByKey(target.pathKey);
  // On a file system that folds case, a known file keeps the path it has.
  const path = known?.path ?? target.path;
  return { known, path, isPresent: files.find(path) !== undefined, sha256 };
}

/** Notes a duplicate of a known path as that path's source, so that no other source of this import takes it. */
function takeDuplicate(found: Found, target: PrivatePath, places: ImportPlaces): boolean {
  if (!isDuplicate(found, places)) return false;
  if (found.known !== undefined) places.taken.add(target.pathKey);
  return true;
}

interface Found {
  readonly known: LibraryFile | undefined;
  readonly path: string;
  readonly isPresent: boolean;
  readonly sha256: string;
}

/**
 * A known path is compared with its own content only. What the library says counts only while the file is there: a copy
 * that was deleted or edited by hand comes back by importing its source again.
 */
function isDuplicate(
  { known, isPresent, sha256 }: Found,
  { library, files }: ImportPlaces,
): boolean {
  if (known !== undefined) return known.sha256 === sha256 && files.isIntact(known.path, known);
  if (isPresent) return false;
  return library.findByContent(sha256).some((file) => files.isIntact(file.path, file));
}

/** The hash of the bytes that are about to be replaced, whatever the library says of them. */
function oldHash(known: LibraryFile | undefined, path: string, places: ImportPlaces): string {
  const { files, progress } = places;
  if (known !== undefined && files.isIntact(path, known)) return known.sha256;
  return files.hash(path, () => progress.isCancelled);
}

/** File first, rows second: a crash between the two leaves a file that start-up reads again. */
function store(
  source: SourceFile,
  file: Pick<LibraryFile, 'path' | 'pathKey' | 'sha256'>,
  old: string | undefined,
  { library, files, progress, onBytes }: ImportPlaces,
): FileCounts {
  const temporary = files.temporary(file.path);
  const made = files.makeDirectories(file.path);
  let undo: (() => void) | undefined;
  const isCancelled = () => progress.isCancelled;
  try {
    copySource(source, temporary, isCancelled);
    return library.replaceFile(file, {
      load: (rows) => loadGpx(temporary, rows, { sha256: file.sha256, onBytes, isCancelled }),
      place: () => {
        undo = files.place(temporary, file.path, old);
        const stamp = files.find(file.path);
        if (stamp === undefined) throw new FileRefused('changed');
        return stamp;
      },
    });
  } catch (error) {
    tidyUp([
      () => undo?.(),
      () => rmSync(temporary, { force: true }),
      () => files.removeDirectories(made),
    ]);
    throw error;
  }
}

/** Takes back what a failed file has left. What cannot be taken back now is mended at the next start: the files win. */
function tidyUp(steps: readonly (() => void)[]): void {
  for (const step of steps) {
    try {
      step();
    } catch {
      // The reason of the failure is what must be told, not this.
    }
  }
}
