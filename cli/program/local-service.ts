import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir, tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { packageRoot } from '../../daemon/version-info.ts';
import { findService, type FoundService } from '../../service-files/choose-platform.ts';
import { createRunner } from '../../service-files/command-line.ts';
import type { ServiceHost } from '../../service-files/service-platform.ts';
import { writeFileAtomic } from '../../storage/atomic-file.ts';
import { createPrivateDirectory } from '../../storage/private-directory.ts';
import { attempt } from '../../model/attempt.ts';

/** The machine and user of this process, and this program on it. */
export function localHost(): ServiceHost {
  const env = sessionEnvironment();
  const { platform } = process;
  return {
    platform,
    env,
    home: homedir(),
    uid: process.getuid?.(),
    user: userName(env),
    temporary: platform === 'win32' ? [tmpdir()] : [tmpdir(), '/tmp', '/var/tmp', '/dev/shm'],
    nodes: [bundledNode(), stableNode(process.execPath)].filter((path) => path !== undefined),
    launcher: join(packageRoot(), 'bin', 'waypointd.js'),
    run: createRunner(env),
    makeDirectory: createPrivateDirectory,
    writeFile: writeFileAtomic,
  };
}

export function findLocalService(): Promise<FoundService | undefined> {
  return findService(localHost());
}

/** A login through su or sudo has no XDG_RUNTIME_DIR, though the user's service manager may run. */
function sessionEnvironment(): NodeJS.ProcessEnv {
  const directory = `/run/user/${process.getuid?.()}`;
  if (process.env['XDG_RUNTIME_DIR'] !== undefined || !existsSync(directory)) return process.env;
  return { ...process.env, XDG_RUNTIME_DIR: directory };
}

function userName(env: NodeJS.ProcessEnv): string {
  const { USERDOMAIN: domain, USERNAME: name } = env;
  if (process.platform === 'win32' && domain !== undefined && name !== undefined) {
    return `${domain}\\${name}`;
  }
  // There are users without an account entry.
  return attempt(() => userInfo().username) ?? String(process.getuid?.() ?? '');
}

/**
 * The Node.js that npm has installed beside this program (see `bin/launcher.js`): it stays when a version manager removes
 * the one that runs now.
 */
function bundledNode(): string | undefined {
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
  try {
    const require = createRequire(join(packageRoot(), 'package.json'));
    const manifest: unknown = require.resolve(`${name}/package.json`);
    const node = process.platform === 'win32' ? 'node.exe' : 'node';
    return join(dirname(String(manifest)), 'bin', node);
  } catch {
    return undefined; // Optional: not for this platform, or left out.
  }
}

/** Homebrew removes the directory of a version at its next upgrade; the link to it in `opt` stays. */
function stableNode(path: string): string {
  const linked = path.replace(/\/Cellar\/([^/]+)\/[^/]+\//u, '/opt/$1/');
  return existsSync(linked) ? linked : path;
}
