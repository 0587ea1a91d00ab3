import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir, tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { createRunner, type Runner } from './command-line.ts';

/** The machine and user that a service is installed for, and this program on it. */
export interface ServiceHost {
  readonly platform: NodeJS.Platform;
  readonly env: NodeJS.ProcessEnv;
  readonly home: string;
  /** Undefined on Windows. */
  readonly uid: number | undefined;
  /** The account's name; on Windows `DOMAIN\name`. */
  readonly user: string;
  /** Directories whose content goes by itself. */
  readonly temporary: readonly string[];
  /** Node.js binaries that can run this program, the best for a service first. */
  readonly nodes: readonly string[];
  /** `bin/waypointd.js` of this program. */
  readonly launcher: string;
  readonly run: Runner;
  /** Makes a directory for its owner only, with its parents; one that is there stays as it is. */
  readonly makeDirectory: (path: string) => void;
  /** Writes a file whole or not at all. */
  readonly writeFile: (
    path: string,
    data: string | Uint8Array,
    options: { readonly mode: number },
  ) => Promise<void>;
}

/** What the rooms above know of this machine and how they write to it. */
export interface HostTools extends Pick<ServiceHost, 'makeDirectory' | 'writeFile'> {
  /** The directory of this package. */
  readonly root: string;
}

/** The machine this process runs on. */
export function thisHost({ root, makeDirectory, writeFile }: HostTools): ServiceHost {
  const env = sessionEnvironment();
  const { platform } = process;
  return {
    platform,
    env,
    home: homedir(),
    uid: process.getuid?.(),
    user: userName(env),
    temporary: platform === 'win32' ? [tmpdir()] : [tmpdir(), '/tmp', '/var/tmp', '/dev/shm'],
    nodes: [bundledNode(root), stableNode(process.execPath)].filter((path) => path !== undefined),
    launcher: join(root, 'bin', 'waypointd.js'),
    run: createRunner(env),
    makeDirectory,
    writeFile,
  };
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
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? ''); // A user without an account entry.
  }
}

/**
 * The Node.js that npm has installed beside this program (see `bin/launcher.js`): it stays when a version manager removes
 * the one that runs now.
 */
function bundledNode(root: string): string | undefined {
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
  try {
    const require = createRequire(join(root, 'package.json'));
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
