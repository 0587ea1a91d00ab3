import { realpath as followLinks, realpathSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { promisify } from 'node:util';

const isWindows = process.platform === 'win32';

/**
 * Where a path leads. Of some drives (encrypted volumes, RAM disks) Windows cannot tell it: there the links on the way are
 * followed one by one, and names keep the case that they were given in.
 */
export async function realPath(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (!isWindows) throw error;
    return promisify(followLinks)(path);
  }
}

/** As {@link realPath}, for workers. */
export function realPathSync(path: string): string {
  try {
    return realpathSync.native(path);
  } catch (error) {
    if (!isWindows) throw error;
    return realpathSync(path);
  }
}
