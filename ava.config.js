import { randomInt } from 'node:crypto';
import { readdirSync, readFileSync, statfsSync, statSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';

/** Where temporary directories are in memory, on Linux; the tests fill less than a tenth of this. */
const memory = '/dev/shm';
const enough = 4 * 2 ** 30;

/**
 * Tests in memory do not wait for the disk: a quarter of their time. That acknowledged data is synced is proven from
 * system calls, by `test/clients/sync-order.test.ts`.
 */
function temporaryDirectory() {
  if (process.env.TMPDIR !== undefined) return {};
  try {
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize >= enough ? { TMPDIR: memory } : {};
  } catch {
    return {}; // Not Linux.
  }
}

/**
 * Test files that run in one process, by the file that imports them: alone each would load the daemon and compile its API
 * anew, a second of CPU time. Those that change what all share, or are about real time, are not among them.
 */
const groups = new Map(
  readdirSync('test/together').map((name) => {
    const file = `test/together/${name}`;
    const members = readFileSync(file, 'utf8').matchAll(/'\.\.\/(.+)'/g);
    return [path.resolve(file), [...members].map(([, member]) => `test/${member}`)];
  }),
);
/** A file that is named runs alone. */
const isNamed = process.argv.slice(2).some((word) => /test[\\/]/.test(word));

/** Longest first, so that no core waits for the last: about as long as its text. */
function sizeOf(file) {
  return [file, ...(groups.get(file) ?? [])].reduce((sum, name) => sum + statSync(name).size, 0);
}

/** Properties are tried on other values in each run. */
const seed = process.env.TEST_SEED ?? String(randomInt(2 ** 31));
process.stdout.write(`TEST_SEED=${seed}\n`);

/** The test suite. A process a file: where all are threads of one, each start of a program copies the memory map of all. */
export default {
  extensions: ['ts'],
  require: ['./test/helpers/test-process.ts'],
  files: [
    'test/**/*.test.ts',
    'test/together/*.ts',
    '!test/clients/**',
    ...(isNamed ? [] : [...groups.values()].flat().map((file) => `!${file}`)),
  ],
  sortTestFiles: (one, other) => sizeOf(other) - sizeOf(one),
  environmentVariables: { ...temporaryDirectory(), TEST_SEED: seed },
  workerThreads: false,
  // Without any test ending: far more than the longest takes, so that a busy machine fails none. A test's own `t.timeout`
  // would have ava stop looking for ever where another test hangs then.
  timeout: '300s',
  concurrency: 3,
};
