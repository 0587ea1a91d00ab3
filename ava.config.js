/** The test suite. Each file is a thread of its own, so few files at a time beat many on a small machine. */
export default {
  extensions: ['ts'],
  files: ['test/**/*.test.ts', '!test/clients/**'],
  timeout: '60s',
  concurrency: 3,
};
