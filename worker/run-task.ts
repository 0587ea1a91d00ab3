import { errorCode } from '../model/error-code.ts';

/**
 * Runs a task of a worker. An error of it may cross to the main thread and its log: errors of the file system quote paths
 * of user data, so it keeps only code (or name) and stack.
 * @param onFailure is told the error as it was.
 */
export function runTask<T>(worker: string, task: () => T, onFailure?: (error: unknown) => void): T {
  try {
    return task();
  } catch (error) {
    onFailure?.(error);
    throw withoutPaths(worker, error);
  }
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
