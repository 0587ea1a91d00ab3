/**
 * A program that imports while places below `imports/` are closed to it, and prints what it saw as JSON. It must run
 * without the rights with which root passes by every permission. Argument: an empty directory.
 */
import { chmodSync, mkdirSync, readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { limits } from '../../model/limits.ts';
import { prepareLibrary } from '../../storage/library/prepare.ts';
import { importDirectory } from '../../worker/import/import-directory.ts';
import { ImportProgress } from '../../worker/import/progress.ts';
import { followList } from '../../worker/import/follow.ts';
import { dumpLibrary, emptyList, filesBelow, gpx, writeTree } from '../helpers/imports.ts';

const [root = ''] = process.argv.slice(2);
const libraryPath = join(root, 'library.sqlite');
const source = join(root, 'source');
const imports = join(root, 'imports');
const content = (name: string): string => gpx([[name, 1, 2]]);
const base = {
  libraryPath,
  waypointsPath: emptyList(root),
  importsDirectory: imports,
  progress: new ImportProgress().shared,
};

function run(now = Date.now()) {
  const request = { dir: source, recursive: true };
  const { result } = importDirectory({ ...base, now, ownFiles: [], hasIndex: true, request });
  const { added, replaced, duplicates, failures } = result;
  const failed = failures.map(({ file, reason }) => `${file} ${reason}`);
  return { added, replaced, duplicates, failed };
}

function reconcile() {
  const { loaded, dropped, refused, isWhole } = followList({ ...base, now: Date.now() });
  const files = dumpLibrary(libraryPath)['files']!.map((row) => (row as unknown[])[0]);
  return { loaded, dropped, refused, isWhole, files };
}

/** Closes places for the time of some steps. */
function closed<T>(modes: Readonly<Record<string, number>>, steps: () => T): T {
  for (const [path, mode] of Object.entries(modes)) chmodSync(join(imports, path), mode);
  try {
    return steps();
  } finally {
    for (const path of Object.keys(modes))
      chmodSync(join(imports, path), path.endsWith('.gpx') ? 0o600 : 0o700);
  }
}

mkdirSync(source);
mkdirSync(imports);
prepareLibrary(libraryPath, Date.now());
const known = ['blind/a.gpx', 'dark/a.gpx', 'edited.gpx', 'listed/a.gpx', 'locked/a.gpx', 'z.gpx'];
writeTree(source, Object.fromEntries(known.map((file) => [file, content(file)])));
run();
// Not as the library knows it, so it has to be read before it is replaced.
utimesSync(join(imports, 'edited.gpx'), 1, 1);
writeTree(source, Object.fromEntries(known.map((file) => [file, content(`new ${file}`)])));
const more = ['blind/b.gpx', 'dark/b.gpx', 'listed/b.gpx', 'locked/b.gpx', 'locked/c/d.gpx'];
writeTree(source, Object.fromEntries(more.map((file) => [file, content(file)])));
writeTree(source, { 'copy-of-dark.gpx': content('dark/a.gpx') });
const modes = { blind: 0o300, dark: 0, listed: 0o400, locked: 0o500, 'edited.gpx': 0 };
const places = closed(modes, () => ({ import: run(), start: reconcile() }));
const left = filesBelow(imports).filter((file) => file.endsWith('.tmp'));
const opened = { import: run(), start: reconcile() };

writeTree(source, { 'a.gpx': content('a'), 'z.gpx': content('newest') });
const old = closed({ '.replaced': 0o500 }, () => run(Date.now() + 2 * limits.replacedRetentionMs));
const kept = readdirSync(join(imports, '.replaced')).length;
const unlisted = closed({ '.replaced': 0o400 }, () => run());

writeTree(source, { 'b.gpx': content('b') });
const whole = closed({ '.': 0o500 }, () => {
  try {
    return run();
  } catch (error) {
    return error instanceof Error && 'code' in error ? error.code : String(error);
  }
});
console.log(JSON.stringify({ places, left, opened, old, kept, unlisted, whole }));
