import type { LibraryFile, LibraryWriter } from '../../storage/library/writer.ts';
import type { ImportLookup, WantedFile } from '../../storage/waypoints/import-lookup.ts';
import type { ManagedCopies, ManagedFile } from './managed-copies.ts';

/** Rooms that are compared. */
export interface Rooms {
  readonly library: LibraryWriter;
  readonly files: ManagedCopies;
  readonly lookup: ImportLookup;
}

/** A path with the file that the list, the library and the folder have there. */
export interface Place {
  readonly path: string;
  readonly pathKey: string;
  readonly wanted: WantedFile | undefined;
  readonly known: LibraryFile | undefined;
  readonly present: ManagedFile | undefined;
}

/** Removals first, the last path first; then files that came while nothing was listed, by their age, so that their ids are in order. */
export function allPlaces({ library, files, lookup }: Rooms): {
  places: Place[];
  isWhole: boolean;
} {
  const { files: listed, unlisted } = files.list();
  const present = new Map(listed.map((file) => [library.keyOf(file.path), file]));
  const known = new Map(knownFiles(library, lookup).map((file) => [file.pathKey, file]));
  const wanted = new Map(lookup.active().map((file) => [file.pathKey, file]));
  const keys = new Set([...known.keys(), ...wanted.keys(), ...present.keys()]);
  const places = [...keys].map((pathKey): Place => {
    const [want, know, there] = [wanted.get(pathKey), known.get(pathKey), present.get(pathKey)];
    const { path } = (know ?? there ?? want)!;
    return { path, pathKey, wanted: want, known: know, present: there };
  });
  const isSeen = ({ path, present: there }: Place): boolean =>
    there !== undefined || !isBelow(path, unlisted);
  return { places: places.filter(isSeen).toSorted(inOrder), isWhole: unlisted.length === 0 };
}

/** The files of the library, without those whose ids are other files in the list: that was restored. */
function knownFiles(library: LibraryWriter, lookup: ImportLookup): LibraryFile[] {
  return library.files().filter(({ id, pathKey }) => {
    const listed = lookup.byId(id);
    // With other content it has grown, which was not listed.
    if (listed === undefined || listed.pathKey === pathKey) return true;
    library.removeFile(id);
    return false;
  });
}

function inOrder(a: Place, b: Place): number {
  const isGone = (place: Place): boolean => place.present === undefined;
  if (isGone(a) !== isGone(b)) return isGone(a) ? -1 : 1;
  const byPath = a.path < b.path ? -1 : 1;
  if (isGone(a)) return -byPath;
  const isNew = (place: Place): boolean => (place.known ?? place.wanted) === undefined;
  if (isNew(a) !== isNew(b)) return isNew(a) ? 1 : -1;
  if (!isNew(a)) return byPath;
  return Number(BigInt(a.present!.mtimeNs) - BigInt(b.present!.mtimeNs)) || byPath;
}

/** Files in a directory that cannot be read just now are not gone. */
function isBelow(path: string, directories: readonly string[]): boolean {
  return directories.some((directory) => directory === '' || path.startsWith(`${directory}/`));
}

/** The places of some files of the list. */
export function placesOf({ library, files, lookup }: Rooms, ids: readonly number[]): Place[] {
  const keys = new Set<string>();
  const listed = ids.flatMap((id) => lookup.byId(id) ?? []);
  return listed.flatMap((file): Place[] => {
    const { pathKey } = file;
    if (keys.has(pathKey)) return [];
    keys.add(pathKey);
    const known = library.findByKey(pathKey);
    const path = known?.path ?? file.path;
    const stamp = files.find(path);
    const present = stamp && { path, ...stamp };
    return [{ path, pathKey, wanted: lookup.activeAt(pathKey), known, present }];
  });
}
