import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Who listens at a port of this machine, as far as this user may see. */
export type PortOwner =
  | { readonly state: 'free' }
  | { readonly state: 'taken'; readonly pid?: number; readonly program?: string }
  /** The system does not tell. */
  | { readonly state: 'unknown' };

/** What the kernel calls a socket that listens. */
const listening = '0A';

/** Asks the kernel, not the port: a connection could start a service. */
export function portOwner(port: number): PortOwner {
  if (process.platform !== 'linux') return { state: 'unknown' };
  let inodes: string[];
  try {
    inodes = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((table) => listeners(table, port));
  } catch {
    return { state: 'unknown' };
  }
  if (inodes.length === 0) return { state: 'free' };
  for (const pid of processes()) {
    if (holds(pid, inodes)) return { state: 'taken', pid, program: programOf(pid) };
  }
  return { state: 'taken' };
}

/** The inodes of the sockets that listen at a port, where 127.0.0.1 would reach them. */
function listeners(table: string, port: number): string[] {
  const wanted = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return readFileSync(table, 'latin1')
    .split('\n')
    .map((line) => line.trim().split(/\s+/u))
    .filter(([, local = '', , state]) => local.endsWith(wanted) && state === listening)
    .map((fields) => fields[9] ?? '');
}

function processes(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/u.test(name))
    .map(Number);
}

function holds(pid: number, inodes: readonly string[]): boolean {
  try {
    const directory = `/proc/${pid}/fd`;
    return readdirSync(directory).some((fd) => {
      const [, inode] = /^socket:\[(\d+)\]$/u.exec(linkOf(`${directory}/${fd}`)) ?? [];
      return inode !== undefined && inodes.includes(inode);
    });
  } catch {
    return false; // Gone meanwhile, or another user's.
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return ''; // Closed meanwhile.
  }
}

function programOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  } catch {
    return 'unknown';
  }
}
