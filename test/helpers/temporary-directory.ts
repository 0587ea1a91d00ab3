import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';

/** Makes a temporary directory that goes with the test. */
export function temporaryDirectory(t: ExecutionContext<unknown>): string {
  const directory = mkdtempSync(join(tmpdir(), 'waypointd-test-'));
  t.teardown(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
