import { isDamage } from '../storage/database.ts';
import { markLibraryDamaged } from '../storage/library/prepare.ts';
import { errorCode } from './import/file-refused.ts';
import {
  importDirectory as runImport,
  type ImportOutcome,
  type ImportTask,
  type LibraryTask,
} from './import/import-directory.ts';
import { reconcileLibrary as runReconcile, type ReconcileOutcome } from './import/reconcile.ts';

/** The tasks of the import worker, one export each; input and output are plain data or shared memory. */
export function importDirectory(task: ImportTask): ImportOutcome {
  return guarded(task.libraryPath, () => runImport(task));
}

export function reconcileLibrary(task: LibraryTask): ReconcileOutcome {
  return guarded(task.libraryPath, () => runReconcile(task));
}

function guarded<T>(libraryPath: string, task: () => T): T {
  try {
    return task();
  } catch (error) {
    if (isDamage(error)) markLibraryDamaged(libraryPath);
    throw withoutPaths(error);
  }
}

/** Errors of the file system quote paths of user data; what crosses to the log keeps only code and stack. */
function withoutPaths(error: unknown): Error {
  const kind = error instanceof Error ? error.name : typeof error;
  const clean = new Error(`The import worker failed: ${errorCode(error) ?? kind}.`);
  const frames = error instanceof Error ? error.stack?.match(/^ {4}at .*$/gmu) : undefined;
  if (frames) clean.stack = [`Error: ${clean.message}`, ...frames].join('\n');
  return clean;
}
