import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../version-info.ts';

/** What to do where no generation can be used: a clone makes the builtin one, a package has it. */
export function geodataRemedy(): string {
  const isClone = existsSync(join(packageRoot(), 'geodata', 'build', 'ensure.ts'));
  return isClone
    ? 'Make it with "npm run geodata" in the clone, then restart the daemon.'
    : 'It comes with waypointd: install that again, then restart the daemon.';
}
