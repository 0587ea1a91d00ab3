import { lstatSync, readdirSync, type Dirent } from 'node:fs';
import { join } from 'node:path';
import type { PackedEntry } from '../../formats/containers/packed-entry.ts';
import { ReadingCancelled } from '../../formats/refused.ts';
import { attempt } from '../../model/attempt.ts';
import { isLookedInto } from '../../model/recorder-formats.ts';
import { realPathSync } from '../../storage/real-path.ts';
import { isOutOfDescriptors } from './source-file.ts';
import type { TimeBudget } from './time-budget.ts';

/** A file that may be imported. */
export interface SourceEntry {
  /** Relative to the directory of the import, with `/`. */
  readonly file: string;
  readonly size: number;
  /** Where it is in a container: which one, what of it, and the time that is left for all that is in there. */
  readonly packed?:
    | {
        readonly container: string;
        readonly entry: PackedEntry;
        readonly budget: TimeBudget;
      }
    | undefined;
}

/** What an import finds, each list in the order of its paths. */
export interface SourceList {
  readonly entries: SourceEntry[];
  readonly unsupported: string[];
  /** Directories that cannot be listed and named files that are not there. */
  readonly unreadable: string[];
  readonly hidden: number;
  /** Importable files in sub-directories that were not looked at; counting ends at {@link countedEntries} entries. */
  readonly gpxInSubfolders: number;
}

export interface ListOptions {
  /** Real paths of our own directories and files, never to be read. */
  readonly own: readonly string[];
  readonly isCancelled: () => boolean;
}

/** A whole home directory below the one imported must not delay the answer for long. */
const countedEntries = 250_000;

type Kind = 'hidden' | 'own' | 'directory' | 'importable' | 'unsupported';

/**
 * Lists a directory: regular files that are looked into, the rest sorted by kind. Symbolic links are never followed.
 * @param root its real path.
 * @throws ReadingCancelled
 */
export function listDirectory(
  root: string,
  isRecursive: boolean,
  options: ListOptions,
): SourceList {
  const found = { entries: [], unsupported: [], unreadable: [], hidden: 0, gpxInSubfolders: 0 };
  const list: Mutable<SourceList> = found;
  const waiting = [''];
  for (let directory = waiting.pop(); directory !== undefined; directory = waiting.pop()) {
    for (const entry of readEntries(root, directory, list.unreadable, options)) {
      const file = directory === '' ? entry.name : `${directory}/${entry.name}`;
      const kind = kindOf(entry, join(root, file), options.own);
      if (kind === 'importable') addEntry(list, root, file);
      else if (kind === 'unsupported') list.unsupported.push(file);
      else if (kind === 'directory' && isRecursive) waiting.push(file);
      else if (kind === 'hidden' && (isRecursive || !entry.isDirectory())) list.hidden += 1;
    }
  }
  if (!isRecursive) list.gpxInSubfolders = countBelow(root, options);
  return sorted(list);
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/**
 * Lists the named files only, by the same rules; a name that is not there is unreadable.
 * @param files the names on the way to each.
 */
export function listNamed(
  root: string,
  files: readonly (readonly string[])[],
  { own }: ListOptions,
): SourceList {
  const list: Mutable<SourceList> = {
    entries: [],
    unsupported: [],
    unreadable: [],
    hidden: 0,
    gpxInSubfolders: 0,
  };
  for (const file of new Set(files.map((parts) => parts.join('/')))) {
    const kind = kindOfNamed(root, file.split('/'), own);
    if (kind === 'importable') addEntry(list, root, file);
    else if (kind === undefined) list.unreadable.push(file);
    else if (kind === 'hidden') list.hidden += 1;
    else list.unsupported.push(file);
  }
  return sorted(list);
}

function sorted(list: SourceList): SourceList {
  list.entries.sort((a, b) => (a.file < b.file ? -1 : 1));
  list.unsupported.sort();
  list.unreadable.sort();
  return list;
}

function readEntries(
  root: string,
  directory: string,
  unreadable: string[],
  { isCancelled }: ListOptions,
): Dirent[] {
  if (isCancelled()) throw new ReadingCancelled();
  try {
    return readdirSync(join(root, directory), { withFileTypes: true });
  } catch (error) {
    if (isOutOfDescriptors(error)) throw error;
    // Gone or forbidden since it was listed: said as one entry, the rest goes on.
    unreadable.push(directory === '' ? '.' : directory);
    return [];
  }
}

function kindOf(
  entry: Pick<Dirent, 'name' | 'isFile' | 'isDirectory'>,
  path: string,
  own: readonly string[],
): Kind {
  if (entry.name.startsWith('.')) return 'hidden';
  if (entry.isDirectory()) return own.includes(path) ? 'own' : 'directory';
  const isImportable = entry.isFile() && isLookedInto(entry.name) && !own.includes(path);
  return isImportable ? 'importable' : 'unsupported';
}

/** @returns undefined where nothing is, or where it cannot be looked at. */
function kindOfNamed(
  root: string,
  parts: readonly string[],
  own: readonly string[],
): Kind | undefined {
  let path = root;
  for (const [index, name] of parts.entries()) {
    path = join(path, name);
    const stats = attempt(() => lstatSync(path));
    if (stats === undefined) return undefined;
    const entry = {
      name,
      isFile: () => stats.isFile(),
      isDirectory: () => stats.isDirectory(),
    };
    // As a file system that folds names has it; where nothing can be told, as it was asked for.
    const kind = kindOf(entry, attempt(() => realPathSync(path)) ?? path, own);
    if (index === parts.length - 1) return kind;
    if (kind === 'importable') return undefined;
    if (kind !== 'directory') return kind;
  }
  return undefined;
}

function addEntry(list: SourceList, root: string, file: string): void {
  try {
    list.entries.push({ file, size: lstatSync(join(root, file)).size });
  } catch {
    // Gone since it was listed; opening it will say so.
    list.entries.push({ file, size: 0 });
  }
}

function countBelow(root: string, options: ListOptions): number {
  const waiting = [''];
  let looked = 0;
  let count = 0;
  for (let directory = waiting.pop(); directory !== undefined; directory = waiting.pop()) {
    for (const entry of readEntries(root, directory, [], options)) {
      looked += 1;
      if (looked > countedEntries) return count;
      const file = join(directory, entry.name);
      const kind = kindOf(entry, join(root, file), options.own);
      if (kind === 'directory') waiting.push(file);
      else if (kind === 'importable' && directory !== '') count += 1;
    }
  }
  return count;
}
