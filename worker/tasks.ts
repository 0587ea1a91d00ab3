import { isDamage } from '../storage/database.ts';
import { markLibraryDamaged } from '../storage/library/prepare.ts';
import {
  changeFiles as runChange,
  type ChangeOutcome,
  type ChangeTask,
} from './import/change-files.ts';
import {
  importDirectory as runImport,
  type ImportTask,
  type LibraryTask,
} from './import/import-directory.ts';
import { reconcileLibrary as runReconcile, type ReconcileOutcome } from './import/reconcile.ts';
import { toldOutcome, type ToldOutcome } from './import/told-result.ts';
import { runTask } from './run-task.ts';

/** The tasks of the import worker, one export each; input and output are plain data or shared memory. */
export function importDirectory(task: ImportTask): ToldOutcome {
  return guarded(task.libraryPath, () => toldOutcome(runImport(task), task.origin));
}

export function changeFiles(task: ChangeTask): ChangeOutcome {
  return guarded(task.libraryPath, () => runChange(task));
}

export function reconcileLibrary(task: LibraryTask): ReconcileOutcome {
  return guarded(task.libraryPath, () => runReconcile(task));
}

function guarded<T>(libraryPath: string, task: () => T): T {
  return runTask('import', task, (error) => {
    if (isDamage(error)) markLibraryDamaged(libraryPath);
  });
}
