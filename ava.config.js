/** The test suite. Each file is a thread of its own, so few files at a time beat many on a small machine. */
export default {
  extensions: ['ts'],
  files: ['test/**/*.test.ts', '!test/clients/**'],
  // Without any test ending: far more than the longest takes, so that a busy machine fails none.
  timeout: '120s',
  concurrency: 3,
};
