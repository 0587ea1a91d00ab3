import { readdirSync, readFileSync } from 'node:fs';
import process from 'node:process';
import tests from './ava.config.js';

/** Tests that get surer with repetition, or take a part of many cases: a plain `npm test` does a tenth of what these do here. */
export default {
  ...tests,
  files: readdirSync('test')
    .map((name) => `test/${name}`)
    .filter((file) => file.endsWith('.test.ts'))
    .filter((file) => readFileSync(file, 'utf8').includes("'./helpers/effort.ts'")),
  environmentVariables: {
    ...tests.environmentVariables,
    TEST_EFFORT: process.env.TEST_EFFORT ?? '1',
  },
};
