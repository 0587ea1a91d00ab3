import { readdirSync, readFileSync } from 'node:fs';
import { openFilesOf } from '../../daemon/lock-holder.ts';

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
  let sockets: string[];
  try {
    sockets = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((table) => listeners(table, port));
  } catch {
    return { state: 'unknown' };
  }
  if (sockets.length === 0) return { state: 'free' };
  const pids = readdirSync('/proc').filter((name) => /^\d+$/u.test(name));
  const pid = pids
    .map(Number)
    .find((one) => openFilesOf(one).some((file) => sockets.includes(file)));
  return pid === undefined ? { state: 'taken' } : { state: 'taken', pid, program: programOf(pid) };
}

/** The sockets that listen at a port, where 127.0.0.1 would reach them, as `/proc/PID/fd` names them. */
function listeners(table: string, port: number): string[] {
  const wanted = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return readFileSync(table, 'latin1')
    .split('\n')
    .map((line) => line.trim().split(/\s+/u))
    .filter(([, local = '', , state]) => local.endsWith(wanted) && state === listening)
    .map((fields) => `socket:[${fields[9]}]`);
}

function programOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  } catch {
    return 'unknown';
  }
}
