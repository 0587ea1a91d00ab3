import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { stampOf } from '../model/time.ts';
import { renameOver, syncDirectory, syncFile } from './atomic-file.ts';
import { applicationId, createPrivateFile, type Database } from './database.ts';
import { textOf, type Query } from './prepared.ts';
import { createPrivateDirectory } from './private-directory.ts';

/** One step of a schema, built only where it is needed; its position + 1 is the version it leads to. */
export type Migration = () => readonly Query[];

export function schemaVersion(db: Database): number {
  return db.pragma('user_version', { simple: true }) as number;
}

/** Where the copy of a store goes before a step changes it. */
export interface BackupPlace {
  readonly directory: string;
  /** Prefix of the names of copies. */
  readonly name: string;
  /** Milliseconds since 1970, for the name of the copy. */
  readonly now: number;
  /** Takes out of a copy what it is not to keep. */
  readonly prune?: (copy: string) => void;
}

/**
 * Brings a database to the newest schema, each step in a transaction of its own; a copy of an existing store is made
 * before the first step that changes it. One of a newer version is refused, untouched.
 */
export function migrate(
  db: Database,
  migrations: readonly Migration[],
  backups: BackupPlace,
): void {
  const version = schemaVersion(db);
  if (version > migrations.length) throw new Error('This store is of a newer version.');
  if (version > 0 && version < migrations.length) backUp(db, version, backups);
  for (const [index, step] of migrations.entries()) {
    if (index < version) continue;
    db.transaction(() => {
      // Another process has done it since.
      if (schemaVersion(db) > index) return;
      applySchema(db, step, index + 1);
    }).immediate();
  }
}

/** Makes the tables of a step within a transaction, and notes which version this is. */
export function applySchema(db: Database, step: Migration, version: number): void {
  const marks = `PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${version}`;
  db.exec([...step().map(textOf), marks].join(';\n'));
}

/** Copies the store into the backups directory, whole and synced before it gets its name. */
function backUp(db: Database, version: number, place: BackupPlace): void {
  const { directory, name, now, prune = () => {} } = place;
  createPrivateDirectory(directory);
  const target = join(directory, `${name}-v${version}-${stampOf(now)}.sqlite`);
  const temporary = `${target}.tmp`;
  // Left by a copy that was cut off; VACUUM INTO wants no file there.
  rmSync(temporary, { force: true });
  createPrivateFile(temporary);
  db.prepare('VACUUM INTO ?').run(temporary);
  prune(temporary);
  syncFile(temporary);
  renameOver(temporary, target);
  syncDirectory(directory);
}
