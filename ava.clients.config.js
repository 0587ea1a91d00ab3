import common from './ava.config.js';

/** Tests with other people's programs (curl, gpsbabel, …); each is skipped, and says so, where its program is missing. */
export default {
  extensions: ['ts'],
  require: ['./test/helpers/test-process.ts'],
  files: ['test/clients/**/*.test.ts'],
  environmentVariables: { TEST_SEED: common.environmentVariables.TEST_SEED },
  timeout: '120s',
  concurrency: 2,
};
