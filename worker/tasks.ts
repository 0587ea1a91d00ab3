import { followList as runFollow, type FollowOutcome, type FollowTask } from './import/follow.ts';
import {
  importDirectory as runImport,
  type ImportOutcome,
  type ImportTask,
} from './import/import-directory.ts';
import { runLibraryTask } from './run-task.ts';

/** The tasks of the import worker, one export each; input and output are plain data or shared memory. */
export function importDirectory(task: ImportTask): ImportOutcome {
  return runLibraryTask('import', task.libraryPath, () => runImport(task));
}

export function followList(task: FollowTask): FollowOutcome {
  return runLibraryTask('import', task.libraryPath, () => runFollow(task));
}
