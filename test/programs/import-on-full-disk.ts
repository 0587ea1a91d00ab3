/**
 * A program that imports into a small file system with less and less room on it, and prints what it saw as JSON lines.
 * Arguments: the directory where that file system is mounted, a source directory elsewhere.
 */
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { prepareLibrary } from '../../storage/library/prepare.ts';
import { importDirectory } from '../../worker/import/import-directory.ts';
import { ImportProgress } from '../../worker/import/progress.ts';
import { followList } from '../../worker/import/follow.ts';
import { fillUntil } from '../helpers/ballast.ts';
import { dumpLibrary, emptyList, filesBelow, gpx, writeTree } from '../helpers/imports.ts';

const [mount = '', source = ''] = process.argv.slice(2);
const ballast = join(mount, 'ballast');
const waypointsPath = emptyList(dirname(source));

/** About 60 KB that do not compress in the library: names differ. */
function content(seed: string): string {
  return gpx(
    Array.from(
      { length: 700 },
      (_, i) => [`${seed} ${i} ${'x'.repeat(30)}`, i / 10, i / 7] as const,
    ),
  );
}

// In 20 KB steps around the places where a file is just not, or just, finished.
for (const room of [0, 60, 240, 260, 280, 300, 460, 480, 500, 580, 600, 700]) {
  const data = join(mount, `data-${room}`);
  const libraryPath = join(data, 'library.sqlite');
  const importsDirectory = join(data, 'imports');
  mkdirSync(importsDirectory, { recursive: true });
  prepareLibrary(libraryPath, Date.now());
  const base = { libraryPath, waypointsPath, importsDirectory, now: Date.now() };
  const run = () =>
    importDirectory({
      ...base,
      progress: new ImportProgress().shared,
      ownFiles: [],
      hasIndex: true,
      request: { dir: source, recursive: true },
    });
  const before = { 'a.gpx': content('old'), 'b/c.gpx': content('b') };
  const after = { ...before, 'a.gpx': content('new'), 'd/e.gpx': content('d') };
  writeTree(source, before);
  rmSync(join(source, 'd'), { recursive: true, force: true });
  run();
  writeTree(source, after);
  fillUntil(ballast, room * 1_024);
  const { isDiskFull, result, index } = run();
  const kept = filesBelow(importsDirectory).filter((file) => !file.startsWith('.replaced'));
  const broken = kept.filter((file) => {
    const bytes = readFileSync(join(importsDirectory, file), 'utf8');
    const versions = [before, after].map((tree) => (tree as Record<string, string>)[file]);
    return !versions.includes(bytes);
  });
  rmSync(ballast);
  const { loaded, dropped, refused } = followList({
    ...base,
    progress: new ImportProgress().shared,
  });
  const again = run();
  console.log(
    JSON.stringify({
      room,
      isDiskFull,
      finished: result.files,
      failed: result.failures,
      indexed: index?.count,
      kept,
      broken,
      mended: { loaded, dropped, refused },
      again: again.result.files,
      isFullAgain: again.isDiskFull,
      rows: dumpLibrary(libraryPath)['waypoints']!.length,
    }),
  );
  rmSync(data, { recursive: true });
}
