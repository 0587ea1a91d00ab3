import { statSync } from 'node:fs';
import { dirname, posix, sep, win32 } from 'node:path';
import { ExitError } from '../model/exit-error.ts';
import type { ServiceHost } from './service-platform.ts';

/** The two files that a service runs, by absolute path. */
export interface ProgramFiles {
  readonly node: string;
  readonly launcher: string;
}

/** The oldest Node.js that bin/launcher.js stays in: a service manager must watch the daemon itself. */
const oldestNode = [22, 22] as const;

/**
 * Finds the files of a service.
 * @param chosen absolute path of the Node.js that the user wants.
 * @throws ExitError when it, or no Node.js on this machine, can run a service.
 */
export async function findProgramFiles(host: ServiceHost, chosen?: string): Promise<ProgramFiles> {
  for (const node of chosen === undefined ? host.nodes : [chosen]) {
    const { code, stdout } = await host.run({ program: node, words: ['--version'] });
    if (code === 0 && isNewEnough(stdout)) return { node, launcher: host.launcher };
  }
  const which = chosen === undefined ? 'No Node.js here can' : `${chosen} cannot`;
  throw new ExitError(`${which} run a service: install Node.js 22.22 or newer.`);
}

/** Folders of programs that keep many versions of Node.js, and remove old ones. */
const versionManagers =
  /[\\/](?:\.?nvm|\.?fnm|fnm_multishells|\.?volta|\.?asdf|\.?nodenv|\.?nodebrew|mise)[\\/]/iu;

/** Tells that a Node.js goes with its version; undefined for one that stays. */
export function whyNodeMayGo(node: string): string | undefined {
  return versionManagers.test(node)
    ? `The service runs ${node}, which is gone when its version manager removes that version.`
    : undefined;
}

function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.replace(/^v/u, '').split('.').map(Number);
  return major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1]);
}

/** The name is in no registry yet: a stranger's package of that name would be installed. */
const whereToInstall =
  'Keep waypointd where it stays first: a clone with "npm ci", or "npm install -g" of the file of a release.';

/**
 * Says why a service that runs these files would not last, or not start at all.
 * @returns undefined when nothing speaks against them.
 */
export function whyNotLasting(
  files: ProgramFiles,
  host: ServiceHost,
  isSystem: boolean,
): string | undefined {
  for (const file of [files.launcher, files.node]) {
    const parts = file.split(/[/\\]/u);
    if (parts.includes('_npx') || parts.some((part) => /^dlx(?:-|$)/u.test(part))) {
      return `${file} is a copy that npx keeps for a while only. ${whereToInstall}`;
    }
    const place = host.temporary.find((directory) => isWithin(file, directory, host));
    if (place !== undefined) {
      return `${file} is in a temporary directory, and the service would be gone with it. ${whereToInstall}`;
    }
    if (isSystem && host.platform === 'linux' && !isForEverybody(file)) {
      return `${file} cannot be reached by a service of the machine, which has a user of its own and sees no home directories. Unpack or clone waypointd where all users can read it, such as below /opt.`;
    }
  }
  return undefined;
}

function isWithin(file: string, directory: string, { platform }: ServiceHost): boolean {
  const paths = platform === 'win32' ? win32 : posix;
  const path = paths.relative(directory, file);
  return path !== '' && !path.startsWith('..') && !paths.isAbsolute(path);
}

/** Paths that ProtectHome= hides, and those that another user may not read. */
const hidden = ['/home/', '/root/', '/run/user/'];

function isForEverybody(file: string): boolean {
  if (hidden.some((directory) => file.startsWith(directory))) return false;
  try {
    if ((statSync(file).mode & 0o004) === 0) return false;
    for (let at = dirname(file); at !== sep; at = dirname(at)) {
      if ((statSync(at).mode & 0o001) === 0) return false;
    }
    return true;
  } catch {
    return false; // Not there.
  }
}
