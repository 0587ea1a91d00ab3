import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { closing } from '../../model/closing.ts';
import { stampOf } from '../../model/time.ts';
import { renameOver } from '../atomic-file.ts';
import { isDamage, openWriter, ownerOf, type Database as Connection } from '../database.ts';
import { applySchema, schemaVersion } from '../migrate.ts';
import { prepare, prepareValue } from '../prepared.ts';
import type { NameFolding } from '../name-folding.ts';
import { prepareRevision } from '../revision.ts';
import { librarySchema, librarySchemaVersion, libraryTables } from '../schema/library.ts';

export interface PreparedLibrary {
  /** No file has been imported, or all that was must be read again from `imports/`. */
  readonly empty: boolean;
  /** False for a new one, until all that `imports/` has was read into it once; see LibraryWriter.markWhole. */
  readonly whole: boolean;
  /** As LibraryWriter.revision. */
  readonly revision: string;
  /** An unusable or foreign file was there; it now lies beside under a name with a time stamp. */
  readonly setAside: boolean;
}

/** Up to this size every page is checked at start-up, in some 100 ms; larger ones show damage when they are read. */
const checkedBytes = 33_554_432;
const setAsideName = /^library-set-aside-.*\.sqlite(-wal|-shm)?$/;
const companions = ['-wal', '-shm'];
const foldingKey = 'folding';

/**
 * Makes the library ready before any other connection to it exists: creates it when missing, and sets one of another
 * schema or of another file system's names, or one that cannot be read, aside for a new one. Only the last set aside is
 * kept.
 * @param now ms since 1970, for the name of what is set aside.
 * @param folding of the directory of the files, whose paths the library compares.
 * @throws errors of the disk, which say nothing about the library.
 */
export function prepareLibrary(
  path: string,
  now: number,
  folding: NameFolding = 'none',
): PreparedLibrary {
  const setAside = existsSync(path) && !isUsable(path, folding);
  if (setAside) setLibraryAside(path, now);
  rmSync(damageMark(path), { force: true });
  try {
    return { ...openPrepared(path, folding), setAside };
  } catch (error) {
    // Of a large library not every page was checked.
    if (setAside || !isDamage(error)) throw error;
    setLibraryAside(path, now);
    return { ...openPrepared(path, folding), setAside: true };
  }
}

function openPrepared(path: string, folding: NameFolding): Omit<PreparedLibrary, 'setAside'> {
  using db = closing(openWriter(path, 'normal'));
  if (schemaVersion(db) === 0) create(db, folding);
  const file = prepare(db, () => libraryTables.selectFrom('files').select('id').limit(1)).get();
  const unread = prepare(db, () =>
    libraryTables.selectFrom('meta').select('key').where('key', '=', 'unread'),
  ).get();
  return {
    empty: file === undefined,
    whole: unread === undefined,
    revision: prepareRevision(db)(),
  };
}

/** Has the library set aside at the next start, for damage that shows only while it is in use. */
export function markLibraryDamaged(path: string): void {
  writeFileSync(damageMark(path), '', { mode: 0o600 });
}

function damageMark(path: string): string {
  return `${path}.damaged`;
}

function create(db: Connection, folding: NameFolding): void {
  db.transaction(() => {
    applySchema(db, librarySchema, librarySchemaVersion);
    prepare(db, () =>
      libraryTables.insertInto('meta').values({ key: foldingKey, value: folding }),
    ).run();
  }).immediate();
}

function isUsable(path: string, folding: NameFolding): boolean {
  if (existsSync(damageMark(path))) return false;
  try {
    using db = closing(openWriter(path, 'normal'));
    const version = schemaVersion(db);
    const owner = ownerOf(db);
    // A first start that was cut off.
    if (version === 0) return owner === 'blank';
    if (version !== librarySchemaVersion || owner !== 'us') return false;
    if (readFolding(db) !== folding) return false;
    if (statSync(path).size > checkedBytes) return true;
    return db.pragma('quick_check(1)', { simple: true }) === 'ok';
  } catch (error) {
    if (isDamage(error)) return false;
    throw error;
  }
}

/** Reads how the paths of a library are compared. */
export function readFolding(db: Connection): NameFolding {
  const value = prepareValue(db, () =>
    libraryTables.selectFrom('meta').select('value').where('key', '=', foldingKey),
  ).get();
  // Written by `create` only.
  return value as NameFolding;
}

/** Removes what was set aside, with all that it has of files which are gone since. */
export function dropSetAside(directory: string): void {
  for (const name of readdirSync(directory)) {
    if (setAsideName.test(name)) rmSync(join(directory, name), { force: true });
  }
}

function setLibraryAside(path: string, now: number): void {
  const directory = dirname(path);
  dropSetAside(directory);
  const target = join(directory, `library-set-aside-${stampOf(now)}.sqlite`);
  renameOver(path, target);
  for (const suffix of companions) {
    if (existsSync(path + suffix)) renameOver(path + suffix, target + suffix);
  }
}
