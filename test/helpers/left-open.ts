import process from 'node:process';
import test, { registerCompletionHandler } from 'ava';

/**
 * ava waits for a process to end by itself once its tests have ended, and fails the whole run after its time-out without a
 * word of why. Here such a process says what it waits for, and ends: no test of a file that leaves something open has failed.
 */
const patienceMs = 30_000;

registerCompletionHandler(() => {
  setTimeout(() => {
    console.error(`[left open] ${test.meta.file}: ${process.getActiveResourcesInfo().join(', ')}`);
    process.exit();
  }, patienceMs).unref();
});
