import { isDamage } from '../storage/database.ts';
import { markLibraryDamaged } from '../storage/library/prepare.ts';
import { followList as runFollow, type FollowOutcome, type FollowTask } from './import/follow.ts';
import {
  importDirectory as runImport,
  type ImportOutcome,
  type ImportTask,
} from './import/import-directory.ts';
import { runTask } from './run-task.ts';

/** The tasks of the import worker, one export each; input and output are plain data or shared memory. */
export function importDirectory(task: ImportTask): ImportOutcome {
  return guarded(task.libraryPath, () => runImport(task));
}

export function followList(task: FollowTask): FollowOutcome {
  return guarded(task.libraryPath, () => runFollow(task));
}

function guarded<T>(libraryPath: string, task: () => T): T {
  return runTask('import', task, (error) => {
    if (isDamage(error)) markLibraryDamaged(libraryPath);
  });
}
