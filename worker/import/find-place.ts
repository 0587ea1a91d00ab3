import type { LibraryFile, LibraryWriter } from '../../storage/library/writer.ts';
import { besidePath } from './copy-path.ts';
import type { KnownImports } from './known-imports.ts';
import type { ManagedCopies } from './managed-copies.ts';
import type { ImportProgress } from './progress.ts';
import type { SourceStamps } from './source-stamps.ts';

/** Rooms that an import reads and writes. */
export interface ImportPlaces {
  readonly library: LibraryWriter;
  readonly files: ManagedCopies;
  readonly imports: KnownImports;
  readonly stamps: SourceStamps;
  readonly progress: ImportProgress;
  /** Keys of the paths that files of this import have taken. */
  readonly taken: Set<string>;
  /** Set for a preview, which writes nothing: the contents that it would have taken in. */
  readonly planned: Set<string> | undefined;
}

/** A path below `imports/`, and what is there. */
export interface Found {
  readonly known: LibraryFile | undefined;
  readonly path: string;
  /** The path as paths are compared. */
  readonly pathKey: string;
  readonly isPresent: boolean;
  /** Whether the file there came from another directory. */
  readonly isOthers: boolean;
  /** The path, where it is not the source's own. */
  readonly storedAs?: string;
}

/**
 * Where the copy of a source goes: its own path, or one beside it while a file of another directory has that with other
 * content.
 */
export function findPlace(target: string, sha256: string, places: ImportPlaces): Found {
  const { imports, taken } = places;
  for (let number = 1; ; number += 1) {
    const isBeside = number > 1;
    const found = lookAt(isBeside ? besidePath(target, number) : target, places);
    const { known, pathKey, path } = found;
    const isOthers = known !== undefined && imports.isFromElsewhere(pathKey);
    if (isOthers && known.sha256 !== sha256) continue;
    // Another source of this import has that very name.
    if (isBeside && taken.has(pathKey) && known?.sha256 !== sha256) continue;
    return { ...found, isOthers, ...(isBeside ? { storedAs: path } : {}) };
  }
}

/** What is at a path below `imports/`. */
function lookAt(target: string, { library, files }: ImportPlaces) {
  const pathKey = library.keyOf(target);
  const known = library.findByKey(pathKey);
  // On a file system that folds case, a known file keeps the path it has.
  const path = known?.path ?? target;
  return { known, path, pathKey, isPresent: files.find(path) !== undefined };
}

/** A file that is passed over. */
export type Passed =
  /** The user removed this content. */
  | { readonly kind: 'removed' }
  | {
      readonly kind: 'duplicate';
      /** Its SHA-256, if only files of other sources have that content: a later file may replace it there. */
      readonly elsewhere?: string;
      /** Known by its stamp, without reading it. */
      readonly isRemembered?: true;
    };

/**
 * Tells a content that does not come in. Notes a duplicate of a known path as that path's source, so that no other source
 * of this import takes it.
 */
export function takeDuplicate(
  found: Found,
  sha256: string,
  places: ImportPlaces,
): Passed | undefined {
  if (!isDuplicate(found, sha256, places))
    return places.imports.isRemoved(sha256) ? { kind: 'removed' } : undefined;
  if (found.known === undefined || found.isOthers) return { kind: 'duplicate', elsewhere: sha256 };
  places.taken.add(found.pathKey);
  return { kind: 'duplicate' };
}

/**
 * A known path is compared with its own content only. What the library says counts only while the file is there: a copy
 * that was deleted or edited by hand comes back by importing its source again.
 */
function isDuplicate({ known, isPresent }: Found, sha256: string, places: ImportPlaces): boolean {
  if (known !== undefined)
    return known.sha256 === sha256 && places.files.isIntact(known.path, known);
  return !isPresent && isHeld(sha256, places);
}

/** Whether a path has a content, as the library knows it. */
export function isHeld(sha256: string, { library, files }: ImportPlaces): boolean {
  return library.findByContent(sha256).some((file) => files.isIntact(file.path, file));
}

/** The hash of the bytes that are about to be replaced, whatever the library says of them. */
export function oldHash(
  { known, path, isPresent }: Found,
  places: ImportPlaces,
): string | undefined {
  if (!isPresent) return undefined;
  const { files, progress } = places;
  if (known !== undefined && files.isIntact(path, known)) return known.sha256;
  return files.hash(path, () => progress.isCancelled);
}
