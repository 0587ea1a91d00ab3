import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../daemon/version-info.ts';

/** What to do where the builtin generation is missing or damaged: a clone makes it, a package brings it. */
export function geodataRemedy(): string {
  const isClone = existsSync(join(packageRoot(), 'geodata', 'build', 'ensure.ts'));
  return isClone
    ? 'Make it with "npm run geodata" in the clone, then restart the daemon.'
    : 'It comes with waypointd: install that again, then restart the daemon.';
}
