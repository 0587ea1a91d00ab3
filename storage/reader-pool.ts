import { WaypointError } from '../model/failure.ts';
import { openJoinedReader, type Database } from './database.ts';
import { prepareJoinedRevision } from './revision.ts';

/** Streams read from front to end: with SQLite's own 16 MB, those that nobody reads would hold what they never need again. */
const cacheKb = 256;

/** A joined reader held inside one read transaction, so that all it reads is of one moment. */
export interface ReadSnapshot {
  readonly db: Database;
  /** As WaypointStore.revision, of this moment. */
  revision(): string;
  /** Ends the transaction; to be called exactly once, soon: a forgotten reader lets the write-ahead log grow. */
  release(): void;
}

/**
 * A few connections for streamed answers: an open iterator makes every other statement on its connection fail, so each
 * stream has one of its own.
 */
export class ReaderPool {
  readonly #options: { waypointsPath: string; libraryPath: string; size: number };
  readonly #idle: Database[] = [];
  readonly #open = new Set<Database>();
  readonly #closed = Promise.withResolvers<void>();
  #isClosed = false;

  constructor(options: { waypointsPath: string; libraryPath: string; size: number }) {
    this.#options = options;
  }

  /**
   * @param more beyond the size of the pool, for what slow streams shall not keep waiting.
   * @throws WaypointError busy, unavailable
   */
  acquire(more = 0): ReadSnapshot {
    if (this.#isClosed) throw new WaypointError('unavailable');
    const held = this.#open.size - this.#idle.length;
    if (held >= this.#options.size + more) throw new WaypointError('busy');
    const db = this.#idle.pop() ?? this.#connect();
    db.exec('BEGIN');
    return { db, revision: prepareJoinedRevision(db), release: () => this.#release(db) };
  }

  /** Resolves when the last stream has let go, whose connection is to be gone by then. */
  close(): Promise<void> {
    this.#isClosed = true;
    for (const db of this.#idle.splice(0)) this.#disconnect(db);
    if (this.#open.size === 0) this.#closed.resolve();
    return this.#closed.promise;
  }

  #disconnect(db: Database): void {
    db.close();
    this.#open.delete(db);
    if (this.#open.size === 0) this.#closed.resolve();
  }

  #connect(): Database {
    const { waypointsPath, libraryPath } = this.#options;
    const db = openJoinedReader(waypointsPath, libraryPath);
    for (const schema of ['main', 'library']) db.pragma(`${schema}.cache_size = -${cacheKb}`);
    this.#open.add(db);
    return db;
  }

  #release(db: Database): void {
    if (db.inTransaction) db.exec('COMMIT');
    if (this.#isClosed) this.#disconnect(db);
    else this.#idle.push(db);
  }
}
