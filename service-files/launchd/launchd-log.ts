import { fstatSync, ftruncateSync } from 'node:fs';
import { launchdLabel } from './agent-plist.ts';

/** The same as one file of our own rotated logs. */
const maxBytes = 5_242_880;

/** Whether launchd has started this process as the daemon's service. */
export function isStartedByLaunchd(env: NodeJS.ProcessEnv): boolean {
  return env['XPC_SERVICE_NAME'] === launchdLabel('waypointd');
}

/** Empties the file that standard error goes to when it is too long: launchd appends to it for ever. */
export function shortenLaunchdLog(): void {
  try {
    const stats = fstatSync(2);
    if (stats.isFile() && stats.size > maxBytes) ftruncateSync(2);
  } catch {
    // Not ours to change: it stays long.
  }
}
