/**
 * A program that imports one version of a source directory after the other until it is killed, and writes a line with
 * the number of each version whose import has answered. Arguments: the root, the first version.
 */
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { prepareLibrary } from '../../storage/library/prepare.ts';
import { importDirectory } from '../../worker/import/import-directory.ts';
import { ImportProgress } from '../../worker/import/progress.ts';
import { followList } from '../../worker/import/follow.ts';
import { versionTree } from '../helpers/import-versions.ts';
import { emptyList, writeTree } from '../helpers/imports.ts';

const [root = '', first = ''] = process.argv.slice(2);
const source = join(root, 'source');
const task = {
  libraryPath: join(root, 'library.sqlite'),
  waypointsPath: emptyList(root),
  importsDirectory: join(root, 'imports'),
  progress: new ImportProgress().shared,
  now: Date.now(),
};

prepareLibrary(task.libraryPath, Date.now());
followList(task);
for (let version = Number(first); ; version += 1) {
  writeTree(source, versionTree(version));
  importDirectory({
    ...task,
    ownFiles: [],
    hasIndex: true,
    request: { dir: source, recursive: true },
  });
  // At once, not when the event loop turns: the parent must know of every answer.
  writeSync(1, `${version}\n`);
}
