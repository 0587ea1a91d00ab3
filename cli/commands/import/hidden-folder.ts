import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { isWithin, mayDo } from '../../terminal/access.ts';
import { invocation, shellWord } from '../../terminal/invocation.ts';
import type { ImportSum } from './summary.ts';
import { forTerminal } from '../../terminal/text.ts';

/** Where macOS asks before a program in the background may read (TCC), below the home directory. */
const guardedOnMac = ['Documents', 'Desktop', 'Downloads'];
/** A service under systemd has these for itself (PrivateTmp=). */
const privateOnLinux = ['/tmp', '/var/tmp'];
/** And these are out of its sight (InaccessiblePaths=). */
const closedOnLinux = ['.ssh', '.gnupg', '.aws', '.mozilla'];

interface Machine {
  readonly platform: NodeJS.Platform;
  readonly home: string;
}

const thisMachine: Machine = { platform: process.platform, home: homedir() };

/**
 * Says on one line why a daemon that runs as a service does not see a folder that this command sees, and how to import
 * it all the same; or that it is not for this command to see either.
 */
export function hiddenFolderLine(folder: string, machine = thisMachine): string {
  if (!mayDo('read', folder)) return `You may not read ${forTerminal(folder)}.`;
  const path = shellWord(forTerminal(folder));
  const program = invocation();
  return `The daemon cannot open ${forTerminal(folder)}, but this command can: ${reason(folder, machine)}. Move the files to another folder, or import them without the service: ${program} service stop; ${program} import ${path}; ${program} service start`;
}

function reason(folder: string, { platform, home }: Machine): string {
  if (platform === 'darwin' && guardedOnMac.some((name) => isWithin(folder, join(home, name)))) {
    return 'macOS guards this folder until you allow Node.js in System Settings, Privacy & Security, Full Disk Access';
  }
  if (platform === 'linux') {
    if (privateOnLinux.some((directory) => isWithin(folder, directory))) {
      return 'as a service it has temporary directories of its own';
    }
    if (closedOnLinux.some((name) => isWithin(folder, join(home, name)))) {
      return 'as a service it is kept away from keys and browser data';
    }
  }
  return 'as a service it may see less than you do';
}

/**
 * The folder of an import of which the daemon could read no file at all though this command can.
 * @returns undefined when that is not what went wrong.
 */
export function unseenFolder({ files, duplicates, failures }: ImportSum): string | undefined {
  const [first] = failures;
  if (first === undefined || files + duplicates > 0) return undefined;
  if (failures.some(({ reason: why }) => why !== 'unreadable')) return undefined;
  return mayDo('read', first.file) ? dirname(first.file) : undefined;
}
