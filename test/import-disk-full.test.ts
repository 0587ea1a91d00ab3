/** Imports into a file system that fills up, at whatever step that happens. */
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { withMounts } from './helpers/where.ts';
import { testProgram } from './helpers/program.ts';
import { temporaryDirectory } from './helpers/temporary-directory.ts';

interface Seen {
  readonly room: number;
  readonly isDiskFull: boolean;
  readonly finished: number;
  readonly failed: unknown[];
  readonly indexed?: number;
  readonly kept: string[];
  readonly broken: string[];
  readonly mended: { loaded: number; dropped: number; refused: number };
  readonly again: number;
  readonly isFullAgain: boolean;
  readonly rows: number;
}

/** Runs a program on a file system of that size. @returns what it printed, a line each. */
function onSmallDisk(t: ExecutionContext, size: string, program: string, ...words: string[]) {
  const mount = temporaryDirectory(t);
  // A mount of its own, in a name space of its own, which needs no rights and goes with the program.
  const inMount = `mount -t tmpfs -o size=${size} tmpfs "$0" && exec "$@"`;
  const command = [process.execPath, testProgram(program), mount, ...words];
  const script = ['-rm', 'sh', '-c', inMount, mount, ...command];
  const { status, stdout, stderr } = spawnSync('unshare', script, { encoding: 'utf8' });
  t.is(status, 0, stderr);
  const lines = stdout.trim().split('\n');
  return lines.map((line) => JSON.parse(line));
}

withMounts(
  'a full disk undoes the file in progress, keeps the finished ones, and blames no file',
  (t) => {
    // The program makes a list of imports beside it.
    const source = join(temporaryDirectory(t), 'source');
    mkdirSync(source);
    const all: Seen[] = onSmallDisk(t, '3m', 'import-on-full-disk', source);
    for (const seen of all) {
      const at = `with ${seen.room} KB left`;
      t.deepEqual(seen.broken, [], at);
      t.deepEqual(seen.failed, [], at);
      t.deepEqual(seen.mended, { loaded: 0, dropped: 0, refused: 0 }, `rows and files agree ${at}`);
      t.is(seen.finished + seen.again, 2, `the rest is imported once there is room again, ${at}`);
      t.false(seen.isFullAgain, at);
      t.is(seen.rows, 2_100, at);
      if (seen.finished > 0)
        t.is(seen.indexed, 700 * seen.kept.length, `the finished ones show ${at}`);
    }
    t.deepEqual(
      [...new Set(all.map(({ isDiskFull, finished }) => `${finished} ${isDiskFull}`))],
      ['0 true', '2 true', '2 false'],
      'every kind of end was met',
    );
  },
);

withMounts('a removal that a full disk refuses leaves the file in its place', (t) => {
  const all = onSmallDisk(t, '8m', 'remove-on-full-disk');
  for (const seen of all) {
    const { room } = seen;
    t.deepEqual(seen, { room, status: seen.status, isThere: seen.status === 507, content: 200 });
  }
  t.deepEqual([...new Set(all.map((seen) => seen.status))], [507, 200]);
});
