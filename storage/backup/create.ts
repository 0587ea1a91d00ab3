import { isUtf8 } from 'node:buffer';
import { accessSync, constants, existsSync, readdirSync, statSync, type Dirent } from 'node:fs';
import { rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { backupNames, type BackupContent } from '../../model/backup.ts';
import { closing } from '../../model/closing.ts';
import { errorCode } from '../../model/error-code.ts';
import { ExitError } from '../../model/exit-error.ts';
import { renameDurably, temporaryBeside } from '../atomic-file.ts';
import { createPrivateFile, openReader } from '../database.ts';
import { removeHistory } from '../waypoints/history.ts';
import { removeLeftovers } from './leftovers.ts';
import { readArchive } from './read-archive.ts';
import { writeArchive, type ArchiveSource } from './write-archive.ts';

export interface BackupPlaces {
  readonly waypointsDatabase: string;
  readonly bookmarksFile: string;
  readonly configFile: string;
  readonly imports: string;
}

export interface CreateBackupOptions {
  readonly places: BackupPlaces;
  /** The file to make, which must not exist. */
  readonly target: string;
  readonly withImports: boolean;
  /** Whether the search history is in it. */
  readonly withHistory: boolean;
  /** Version of this program. */
  readonly version: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Called with the bytes written so far. */
  readonly onBytes?: (bytes: number) => void;
}

export interface CreatedBackup extends BackupContent {
  /** Files and folders below `imports/` that are not in it: they cannot be read, or a backup cannot hold their names. */
  readonly leftOut: readonly string[];
}

/** A temporary file of this module: `.NAME.tar.PID@MACHINE.RANDOM.tmp`, perhaps with an ending (`.files` of older versions). */
const ownTemporary = /^\..+\.(\d+)@(.+)\.[0-9a-f]{12}\.tmp(?:\.files|\.sqlite(?:-\w+)?)?$/u;

/**
 * Makes a backup beside a running daemon or without one: one tar file of mode 0600, read back and checked before it gets
 * its name.
 * @throws ExitError when there is nothing to back up
 */
export async function createBackup(options: CreateBackupOptions): Promise<CreatedBackup> {
  const { places, target, withImports, version, now, onBytes = () => {} } = options;
  if (existsSync(target)) throw new ExitError(`${target} exists already.`);
  if (!existsSync(places.waypointsDatabase)) {
    throw new ExitError(`There is nothing to back up: no ${places.waypointsDatabase}.`);
  }
  await removeLeftovers(dirname(target), ownTemporary).catch(() => undefined);
  const temporary = temporaryBeside(`${target}.${process.pid}@${hostname()}`);
  const leftOut: string[] = [];
  const copy = `${temporary}.sqlite`;
  try {
    // The store first: an import that ends after it adds a file that the next start finds by itself.
    copyStore(places.waypointsDatabase, copy, options.withHistory);
    const created = new Date(now).toISOString();
    const head = {
      waypointd_backup: 1,
      version,
      created_at: created,
      imports: withImports,
    } as const;
    await writeArchive(temporary, sourcesOf(copy, places, withImports, leftOut), head, onBytes);
    const content = await readArchive(temporary);
    await renameDurably(temporary, target);
    return { ...content, leftOut };
  } finally {
    await Promise.all([temporary, copy].map((path) => rm(path, { force: true })));
  }
}

function* sourcesOf(
  store: string,
  places: BackupPlaces,
  withImports: boolean,
  leftOut: string[],
): Generator<ArchiveSource> {
  yield { name: backupNames.store, path: store };
  yield* [
    { name: backupNames.bookmarks, path: places.bookmarksFile },
    { name: backupNames.config, path: places.configFile },
    // A pipe would have us wait for its other end.
  ].filter(({ path }) => statSync(path, { throwIfNoEntry: false })?.isFile());
  if (!withImports || !existsSync(places.imports)) return;
  // All names at once: one that goes to the replaced ones meanwhile is missed when it is read, not passed over.
  for (const name of filesBelow(places.imports, leftOut).toSorted())
    yield { name: backupNames.imports + name, path: join(places.imports, name) };
}

/** A consistent copy of the store, which a daemon may be writing. */
function copyStore(path: string, copy: string, withHistory: boolean): void {
  createPrivateFile(copy);
  using store = closing(openReader(path));
  store.prepare('VACUUM INTO ?').run(copy);
  if (!withHistory) removeHistory(copy);
}

/** All that is in a directory, old bytes of replaced files as well, but for what is being written, and `leftOut`. */
function filesBelow(directory: string, leftOut: string[]): string[] {
  const files: string[] = [];
  const waiting = [''];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const place = join(directory, folder);
    const entries = readable(() => readdirSync(place, { withFileTypes: true, encoding: 'buffer' }));
    if (entries === undefined) leftOut.push(folder);
    for (const entry of entries ?? []) {
      const name = (folder === '' ? '' : `${folder}/`) + entry.name.toString();
      if (!entry.isDirectory() && (!entry.isFile() || name.endsWith('.tmp'))) continue;
      if (!canHold(entry)) leftOut.push(name);
      else if (entry.isDirectory()) waiting.push(name);
      else (isReadable(join(directory, name)) ? files : leftOut).push(name);
    }
  }
  return files;
}

/** Whether a name is the same one in a backup: text, and no path of another system. */
function canHold({ name }: Dirent<Buffer>): boolean {
  return isUtf8(name) && !name.includes('\\');
}

function isReadable(path: string): boolean {
  return readable(() => accessSync(path, constants.R_OK) ?? true) === true;
}

/** @returns undefined for what this user may not read, and where no name leads that is short enough. */
function readable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    const code = errorCode(error) ?? '';
    if (!['EACCES', 'EPERM', 'ENAMETOOLONG', 'ENOTDIR'].includes(code)) throw error;
    return undefined;
  }
}
