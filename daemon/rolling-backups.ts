import { describeError } from '../model/error-description.ts';
import type { Clock, Log } from '../model/process.ts';
import type * as tasks from '../worker/backup-tasks.ts';
import type { Paths } from './paths.ts';
import { WorkerPool } from './pool.ts';
import { scheduleTimeout, type Schedule } from './schedule.ts';
import { programVersion } from './version-info.ts';

/** A start has other work first, and a command that opened the data itself is gone by then. */
const firstMs = 60_000;
/** The clock may be set, and a laptop asleep, for most of a day. */
const nextMs = 6 * 3_600_000;

interface RollingBackupsOptions {
  readonly paths: Paths;
  readonly clock: Clock;
  readonly log: Log;
  readonly schedule?: Schedule | undefined;
}

/** Makes a small backup each day on which the user's data has changed (contract K). */
export class RollingBackups {
  readonly #options: RollingBackupsOptions;
  readonly #pool = new WorkerPool<typeof tasks>({ file: 'backup-tasks', idleMs: 0 });
  #cancel: () => void = () => {};
  #isClosed = false;

  constructor(options: RollingBackupsOptions) {
    this.#options = options;
  }

  start(): void {
    this.#wait(firstMs);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancel();
    await this.#pool.close();
  }

  #wait(delayMs: number): void {
    const { schedule = scheduleTimeout } = this.#options;
    this.#cancel = schedule(() => void this.#roll(), delayMs);
  }

  async #roll(): Promise<void> {
    const { paths, clock, log } = this.#options;
    const { waypointsDatabase, bookmarksFile, configFile, imports, backups } = paths;
    try {
      const result = await this.#pool.run('roll', {
        places: { waypointsDatabase, bookmarksFile, configFile, imports },
        directory: backups,
        version: programVersion(),
        now: clock.now(),
      });
      log.debug(`backup.${result}`);
    } catch (error) {
      if (!this.#isClosed) log.error('backup.failed', describeError(error));
    }
    if (!this.#isClosed) this.#wait(nextMs);
  }
}
