import { isCovered, isFresh, testBundle } from './bin/launcher.js';

/** The test suite. Each file is a thread of its own, so few files at a time beat many on a small machine. */
export default {
  extensions: ['ts'],
  files: ['test/**/*.test.ts', '!test/clients/**'],
  // Without any test ending: far more than the longest takes, so that a busy machine fails none.
  require: !isCovered() && isFresh(testBundle) ? ['./build/run-bundled-tests.js'] : [],
  timeout: '120s',
  concurrency: 3,
};
