import { closeSync, fdatasync, open } from 'node:fs';
import { promisify } from 'node:util';
import type { CommitJournal } from './rows-store.ts';

const [openFile, syncData] = [promisify(open), promisify(fdatasync)];

/**
 * Syncs the journal (`-wal`) of a database whose commits do not, without holding up the thread: on a disk that is busy with
 * large files a sync takes seconds. What was committed before {@link sync} is on the disk when it resolves, in the journal or,
 * checkpointed since, in the database.
 */
export class Journal implements CommitJournal {
  readonly #path: string;
  #file: number | undefined;
  #running: Promise<void> | undefined;
  /** Begins when the running one, which may have missed the newest commits, has ended. */
  #next: Promise<void> | undefined;

  constructor(databasePath: string) {
    this.#path = `${databasePath}-wal`;
  }

  sync(): Promise<void> {
    const ended = this.#running?.catch(() => undefined) ?? Promise.resolve();
    this.#next ??= ended.then(() => {
      this.#next = undefined;
      this.#running = this.#syncFile().finally(() => (this.#running = undefined));
      return this.#running;
    });
    return this.#next;
  }

  /** Resolves when every sync that was asked for has ended: what can be read now is on the disk then. */
  async settled(): Promise<void> {
    await (this.#next ?? this.#running);
  }

  async close(): Promise<void> {
    await this.settled().catch(() => undefined);
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  async #syncFile(): Promise<void> {
    // Only locks on the database itself would be lost with another handle of its file.
    this.#file ??= await openFile(this.#path, 'r+');
    await syncData(this.#file);
  }
}
