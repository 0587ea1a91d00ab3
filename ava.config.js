import { statfsSync } from 'node:fs';
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

/** The test suite. A process a file: where all are threads of one, each start of a program copies the memory map of all. */
export default {
  extensions: ['ts'],
  files: ['test/**/*.test.ts', '!test/clients/**'],
  environmentVariables: temporaryDirectory(),
  workerThreads: false,
  // Without any test ending: far more than the longest takes, so that a busy machine fails none. A test's own `t.timeout`
  // would have ava stop looking for ever where another test hangs then.
  timeout: '300s',
  concurrency: 3,
};
