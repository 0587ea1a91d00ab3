import { errorCode } from '../model/error-code.ts';
import { isDamage } from '../storage/database.ts';
import { DayBlobCorrupt } from '../storage/day-blob.ts';
import { markLibraryDamaged } from '../storage/library/prepare.ts';

/**
 * Runs a task of a worker. An error of it may cross to the main thread and its log: errors of the file system quote paths
 * of user data, so it keeps only code (or name) and stack.
 */
export function runTask<T>(worker: string, task: () => T): T {
  try {
    return task();
  } catch (error) {
    throw withoutPaths(worker, error);
  }
}

/** The same for a task on the library, which is set aside at the next start if it turns out to be damaged. */
export function runLibraryTask<T>(worker: string, libraryPath: string, task: () => T): T {
  return runTask(worker, () => {
    try {
      return task();
    } catch (error) {
      if (isDamage(error) || error instanceof DayBlobCorrupt) markLibraryDamaged(libraryPath);
      throw error;
    }
  });
}

function withoutPaths(worker: string, error: unknown): Error {
  const kind = error instanceof Error ? error.name : typeof error;
  const clean = new Error(`The ${worker} worker failed: ${errorCode(error) ?? kind}.`, {
    cause: errorCode(error),
  });
  const frames = error instanceof Error ? error.stack?.match(/^ {4}at .*$/gmu) : undefined;
  if (frames) clean.stack = [`Error: ${clean.message}`, ...frames].join('\n');
  return clean;
}
