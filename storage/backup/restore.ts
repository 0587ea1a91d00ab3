import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, rm, rmdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { tmpdir } from 'node:os';
import { attempt } from '../../model/attempt.ts';
import { backupNames, type BackupContent } from '../../model/backup.ts';
import { closing } from '../../model/closing.ts';
import { errorCode } from '../../model/error-code.ts';
import { ExitError } from '../../model/exit-error.ts';
import { isDiskFull } from '../../model/failure.ts';
import { renameDurably, syncDirectory, syncFile, temporaryBeside } from '../atomic-file.ts';
import { resolveTarget } from '../link-target.ts';
import { openReader, openWriter } from '../database.ts';
import { prepareMeta } from '../waypoints/meta.ts';
import { prepareStamps, restoredKey, type RestoredMark } from '../waypoints/stamps.ts';
import { inspectDatabase } from '../inspect-database.ts';
import { stampOf } from '../../model/time.ts';
import { createPrivateDirectory } from '../private-directory.ts';
import { waypointMigrations } from '../schema/waypoints.ts';
import type { BackupPlaces } from './create.ts';
import { removeLeftovers } from './leftovers.ts';
import { readArchive } from './read-archive.ts';

export interface RestorePlaces extends BackupPlaces {
  readonly data: string;
  readonly libraryDatabase: string;
  readonly backups: string;
}

export interface Restored {
  readonly content: BackupContent;
  /** The directory with what was here before; absent if nothing was. */
  readonly set_aside?: string;
  /** Where the configuration of the backup lies when another one was here; absent when it is in use, or there was none. */
  readonly config_beside?: string;
}

/**
 * Reads a backup whole, and checks its store as a start does.
 * @throws ExitError 65 for what is no backup, a damaged one, or one of a newer program
 */
export async function verifyBackup(
  path: string,
  onBytes?: (bytes: number) => void,
): Promise<BackupContent> {
  await removeLeftovers(tmpdir(), /^waypointd-verify-(\d+)-/u);
  const directory = await mkdtemp(join(tmpdir(), `waypointd-verify-${process.pid}-`));
  try {
    const store = join(directory, backupNames.store);
    const placeOf = (name: string) => (name === backupNames.store ? store : undefined);
    const content = await readArchive(path, placeOf, onBytes);
    checkStore(store);
    return content;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/**
 * Puts a backup in the place of a data directory, whose lock the caller holds. All of it is read, checked and synced
 * before anything is moved; the store comes last, and a start without it is refused, so a restore that was cut off is
 * seen and can be done again. What was here goes to `backups/`.
 * @throws ExitError 65 as {@link verifyBackup}
 */
export async function restoreBackup(
  path: string,
  { bookmarksFile, imports, ...others }: RestorePlaces,
  now: number,
  onBytes: (bytes: number) => void,
): Promise<Restored> {
  // A link stays one: what it leads to is set aside and replaced.
  const linked = { bookmarksFile: resolveTarget(bookmarksFile), imports: resolveTarget(imports) };
  const places = { ...others, ...linked };
  const staging = join(places.data, '.restore');
  await rm(staging, { recursive: true, force: true });
  createPrivateDirectory(staging);
  try {
    const content = await readArchive(path, (name) => join(staging, name), onBytes);
    checkStore(join(staging, backupNames.store));
    markRestored(join(staging, backupNames.store), places.waypointsDatabase, now);
    await syncTree(staging);
    let aside = join(places.backups, `before-restore-${stampOf(now)}`);
    // Of a restore in the same second: what that has set aside is not to be written over.
    while (existsSync(aside)) aside += '-again';
    const beside = await replace(staging, places, content.imports, aside).catch(
      (error: unknown) => {
        throw existsSync(aside) ? cutOff(error, aside) : error;
      },
    );
    return {
      content,
      ...(existsSync(aside) ? { set_aside: aside } : {}),
      ...(beside === undefined ? {} : { config_beside: beside }),
    };
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

function checkStore(path: string): void {
  const options = { isHeld: false, isThorough: true, keys: [] };
  const { condition, version } = inspectDatabase(path, options);
  if (condition !== 'good') {
    throw new ExitError('This is no whole backup of waypointd: its store is damaged.', 65);
  }
  if (version > waypointMigrations.length) {
    throw new ExitError('This backup was made by a newer waypointd, which can restore it.', 65);
  }
}

/**
 * Leaves a note in the restored store that its first start gives all bookmarks, and those that only the store before has,
 * a new stamp: else a shared bookmarks file would undo the restore.
 */
function markRestored(restored: string, present: string, at: number): void {
  const mark: RestoredMark = { at, before: attempt(() => readStamps(present)) ?? [] };
  using db = closing(openWriter(restored, 'full'));
  prepareMeta(db).set(restoredKey, JSON.stringify(mark));
  db.pragma('journal_mode = DELETE');
}

function readStamps(store: string): RestoredMark['before'] {
  using db = closing(openReader(store));
  return prepareStamps(db)
    .all()
    .map(({ uuid, changed }) => [uuid, changed] as const);
}

/** Sets aside what is here, and puts what was read in its place. @returns where the configuration is, if not in use. */
async function replace(
  staging: string,
  places: RestorePlaces,
  withImports: boolean,
  aside: string,
): Promise<string | undefined> {
  await setAside(oldFiles(places, withImports), aside);
  await takePlace(join(staging, 'imports'), places.imports);
  await takePlace(join(staging, backupNames.bookmarks), places.bookmarksFile);
  const beside = await restoreConfig(join(staging, backupNames.config), places);
  await takePlace(join(staging, backupNames.store), places.waypointsDatabase);
  return beside;
}

function cutOff(error: unknown, aside: string): ExitError {
  const why = isDiskFull(error) ? 'no space is left on a disk' : (errorCode(error) ?? 'unknown');
  return new ExitError(
    `The restore was cut off (${why}). What was here before is whole, in ${aside} and in what is still in its place. Restore again once there is room, or move it back.`,
    74,
    error,
  );
}

/** Files that must not stay beside a restored store; the library is rebuilt from the imported files. */
function oldFiles(places: RestorePlaces, withImports: boolean): string[] {
  const databases = [places.waypointsDatabase, places.libraryDatabase];
  return [
    // The store first: cut off from its log, it would be opened without its last changes; without it no start goes on.
    ...databases.flatMap((path) => ['', '-wal', '-shm', '-journal'].map((end) => path + end)),
    places.bookmarksFile,
    ...(withImports ? [places.imports] : []),
  ].filter((path) => existsSync(path));
}

async function setAside(paths: readonly string[], aside: string): Promise<void> {
  if (paths.length === 0) return;
  createPrivateDirectory(aside);
  for (const path of paths) await move(path, join(aside, basename(path)));
}

/** The bookmarks file and imports/ may lie on another file system, or be one: then its contents move. */
async function move(from: string, to: string): Promise<void> {
  try {
    await renameDurably(from, to);
  } catch (error) {
    if (!['EXDEV', 'EBUSY'].includes(errorCode(error) ?? '')) throw error;
    const copy = existsSync(to) ? to : temporaryBeside(to);
    try {
      await cp(from, copy, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
      await syncTree(copy, true);
      if (copy !== to) await renameDurably(copy, to);
    } finally {
      if (copy !== to) await rm(copy, { recursive: true, force: true });
    }
    await removeCopied(from);
  }
}

/** A directory that is a file system stays, empty. */
async function removeCopied(path: string): Promise<void> {
  if (!lstatSync(path).isDirectory()) return rm(path);
  for (const name of await readdir(path)) await rm(join(path, name), { recursive: true });
  await rmdir(path).catch((refusal: unknown) => {
    if (errorCode(refusal) !== 'EBUSY') throw refusal;
  });
}

async function takePlace(staged: string, place: string): Promise<void> {
  if (!existsSync(staged)) return;
  await mkdir(dirname(place), { recursive: true, mode: 0o700 });
  await move(staged, place);
}

/** The configuration of this machine stays, and one that means another data directory would hide what was restored. */
async function restoreConfig(staged: string, places: RestorePlaces): Promise<string | undefined> {
  if (!existsSync(staged)) return undefined;
  const { configFile } = places;
  if (existsSync(configFile) && readFileSync(staged).equals(readFileSync(configFile)))
    return undefined;
  const isFree = !existsSync(configFile) && !/"data_dir"/u.test(readFileSync(staged, 'utf8'));
  const place = isFree ? configFile : join(dirname(configFile), 'config.from-backup.json');
  await takePlace(staged, place);
  return isFree ? undefined : place;
}

/** Directories hold names. @param withFiles false where those were synced as they were written */
async function syncTree(path: string, withFiles = false): Promise<void> {
  const stat = lstatSync(path);
  if (!stat.isDirectory()) {
    if (withFiles && stat.isFile()) syncFile(path);
    return;
  }
  for (const name of await readdir(path)) await syncTree(join(path, name), withFiles);
  syncDirectory(path);
}
