import { readdirSync, readlinkSync } from 'node:fs';

/** How many files this process has open whose path begins so (Linux). */
export function openFiles(path: string): number {
  return readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith(path);
    } catch {
      return false; // Closed meanwhile.
    }
  }).length;
}
