import { rollBackups, type RollOptions } from '../storage/backup/rolling.ts';
import { runTask } from './run-task.ts';

/** The task of the backup worker. */
export async function roll(options: RollOptions): Promise<'made' | 'unchanged'> {
  return rollBackups(options).catch((error: unknown) =>
    runTask('backup', () => {
      throw error;
    }),
  );
}
