/** Where a test can run: elsewhere it is skipped, and its title says why. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ImplementationFn } from 'ava';

export type DeclareTest = (title: string, body: ImplementationFn<[]>) => void;

/** Declares tests as `declare` does, or, where something is in the way, skipped ones that tell it. */
export function testUnless(
  reason: string | undefined,
  declare: typeof test | typeof test.serial = test,
): DeclareTest {
  return (title, body) => {
    if (reason === undefined) declare(title, body);
    else declare.skip(`${title} (skipped: ${reason})`, body);
  };
}

/** As {@link testUnless}, for tests that need something. */
export function testWith(
  isThere: boolean,
  missing: string,
  declare: typeof test | typeof test.serial = test,
): DeclareTest {
  return testUnless(isThere ? undefined : missing, declare);
}

const isRoot = process.getuid?.() === 0;

export const posix = testWith(process.platform !== 'win32', 'Windows');
export const onLinux = testWith(process.platform === 'linux', 'not Linux');
export const asRoot = testWith(isRoot, 'not root');
/** Root reads and writes everything. */
export const asUser = testUnless(
  process.platform === 'win32' ? 'Windows' : isRoot ? 'root passes by permissions' : undefined,
);

/** Words that run a command without the rights with which root passes by every permission; undefined without such. */
export function withoutRights(): string[] | undefined {
  if (!isRoot) return [];
  const words = ['setpriv', '--inh-caps=-all', '--bounding-set=-all'];
  const [program = '', ...flags] = words;
  return spawnSync(program, [...flags, 'true']).status === 0 ? words : undefined;
}

/** With those words. */
export const withoutAllRights = testUnless(
  process.platform === 'win32'
    ? 'Windows'
    : withoutRights() === undefined
      ? 'no setpriv'
      : undefined,
);

/**
 * Where writing to a file leaves its birth alone. Elsewhere the store takes itself for a copy at each start, whose bookmarks
 * file deletes and changes nothing of what it had before.
 */
export const withBirths = testUnless(whyNoBirths());

function whyNoBirths(): string | undefined {
  // Wine.
  if (process.platform !== 'win32') return undefined;
  const directory = mkdtempSync(join(tmpdir(), 'waypointd-birth-'));
  try {
    const file = join(directory, 'file');
    writeFileSync(file, '');
    const { birthtimeMs } = statSync(file);
    const later = birthtimeMs / 1_000 + 3_600;
    utimesSync(file, later, later);
    return statSync(file).birthtimeMs === birthtimeMs ? undefined : 'births are not kept';
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Where a program may mount a file system of its own, in a name space that needs no rights and goes with it. */
export const withMounts = testUnless(whyNoMounts());

function whyNoMounts(): string | undefined {
  if (process.platform !== 'linux' || !existsSync('/proc/self/ns/user')) return 'not Linux';
  const script = ['-rm', 'sh', '-c', 'mount -t tmpfs tmpfs /tmp'];
  return spawnSync('unshare', script).status === 0 ? undefined : 'no file system can be mounted';
}
