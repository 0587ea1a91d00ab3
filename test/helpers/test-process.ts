/** Prepares and ends each process of tests, whatever the user's own environment is. */
import process from 'node:process';
import test, { registerCompletionHandler } from 'ava';

/** Variables by which the user's directories, daemons and accounts would come into a test. */
const foreign =
  /^(?:WAYPOINTD_|XDG_|AWS_|LISTEN_|NOTIFY_SOCKET$|JOURNAL_STREAM$|(?:STATE|CACHE|RUNTIME|CONFIGURATION|LOGS)_DIRECTORY$)/u;

for (const name of Object.keys(process.env)) if (foreign.test(name)) delete process.env[name];

/** ava waits for a process to end by itself once its tests have ended, and fails the whole run after its time-out. */
const patienceMs = 30_000;

registerCompletionHandler(() => {
  setTimeout(() => {
    console.error(`[left open] ${test.meta.file}: ${process.getActiveResourcesInfo().join(', ')}`);
    process.exit(1);
  }, patienceMs).unref();
});
