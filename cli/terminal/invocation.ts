import { existsSync, realpathSync } from 'node:fs';
import { delimiter, join, relative, sep } from 'node:path';
import { packageRoot } from '../../daemon/version-info.ts';
import { attempt } from '../../model/attempt.ts';

let known: string | undefined;

/**
 * How this program is called from the current directory, so that a command printed for a person works as printed:
 * `waypointd` where that is on PATH, `npx waypointd` in a clone, else the launcher's path.
 */
export function invocation(): string {
  known ??= findInvocation();
  return known;
}

function findInvocation(): string {
  const root = packageRoot();
  const launcher = join(root, 'bin', 'waypointd.js');
  if (isOnPath(launcher)) return 'waypointd';
  if (real(process.cwd()) === real(root)) return 'npx waypointd';
  const path = relative(process.cwd(), launcher);
  return `node ${shellWord(path.startsWith('..') ? launcher : path)}`;
}

/** npm puts `node_modules/.bin` directories on the PATH of what it runs; a second terminal has none of them. */
function isOnPath(launcher: string): boolean {
  const target = real(launcher);
  if (target === undefined) return false;
  const directories = (process.env['PATH'] ?? '').split(delimiter);
  return directories.some((directory) => {
    if (directory === '' || directory.includes(`${sep}node_modules${sep}.bin`)) return false;
    if (process.platform === 'win32') return existsSync(join(directory, 'waypointd.cmd'));
    return real(join(directory, 'waypointd')) === target;
  });
}

function real(path: string): string | undefined {
  return attempt(() => realpathSync(path));
}

/** Quotes a word for the user's shell where it needs it. */
export function shellWord(word: string): string {
  if (/^[\w@%+=:,./-]+$/u.test(word)) return word;
  return process.platform === 'win32' ? `"${word}"` : `'${word.replaceAll("'", "'\\''")}'`;
}

/** The remedy for a missing or damaged builtin generation: a clone builds it, a package contains it. */
export function geodataRemedy(): string {
  const isClone = existsSync(join(packageRoot(), 'geodata', 'build', 'ensure.ts'));
  return isClone
    ? 'Make it with "npm run geodata" in the clone, then restart the daemon.'
    : 'It comes with waypointd: install that again, then restart the daemon.';
}
