import { applicationId, type Database } from './database.ts';
import { textOf, type Query } from './prepared.ts';

/** One step of a schema, built only where it is needed; its position + 1 is the version it leads to. */
export type Migration = () => readonly Query[];

/** Thrown when a store is of a newer version than this program knows; the store is untouched. */
class NewerSchema extends Error {
  override readonly name = 'NewerSchema';
}

export function schemaVersion(db: Database): number {
  return db.pragma('user_version', { simple: true }) as number;
}

/**
 * Brings a database to the newest schema, each step in a transaction of its own; `backUp` is called before the first
 * step that changes an existing store.
 * @throws NewerSchema
 */
export function migrate(
  db: Database,
  migrations: readonly Migration[],
  backUp: (version: number) => void,
): void {
  const version = schemaVersion(db);
  if (version > migrations.length) throw new NewerSchema();
  if (version > 0 && version < migrations.length) backUp(version);
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
  for (const query of step()) db.exec(textOf(query));
  db.pragma(`application_id = ${applicationId}`);
  db.pragma(`user_version = ${version}`);
}
