import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { attempt } from '../model/attempt.ts';

/**
 * The state of a port of 127.0.0.1: free, or held by a listener, or by one end of a connection (outgoing ones get ports of
 * the ephemeral range); `unknown` where the system does not tell.
 */
export type PortState = 'free' | 'connection' | 'listener' | 'unknown';

/** The holder of a port, as far as this user may see. */
export interface PortOwner {
  readonly state: PortState;
  readonly pid?: number;
  readonly program?: string;
}

/** Asks the kernel, not the port: a connection could start a service. */
export function portOwner(port: number): PortOwner {
  const { state, listeners } = lookAt(port);
  if (listeners.length === 0) return { state };
  const pids = readdirSync('/proc').filter((name) => /^\d+$/u.test(name));
  const pid = pids
    .map(Number)
    .find((one) => openFilesOf(one).some((file) => listeners.includes(file)));
  if (pid === undefined) return { state };
  const program = attempt(() => readFileSync(`/proc/${pid}/comm`, 'utf8').trim());
  return { state, pid, program: program ?? 'unknown' };
}

/** The open files of a process of this user (Linux): paths, and sockets as `socket:[INODE]`. */
function openFilesOf(pid: number): string[] {
  const directory = `/proc/${pid}/fd`;
  // Processes end, files close meanwhile.
  const fds = attempt(() => readdirSync(directory)) ?? [];
  return fds.map((fd) => attempt(() => readlinkSync(`${directory}/${fd}`)) ?? '');
}

/** The states of the kernel's tables that keep a port: connected, about to be, and listening. */
const established = '01';
const connecting = '02';
const listening = '0A';
/** 127.0.0.1 and every address, of both families, as the tables have them: words in the machine's order. */
const reachesLoopback = /^(?:0100007F|0{8}|0{32}|0{16}FFFF00000100007F):/u;

/** @returns the listeners as `/proc/PID/fd` names them. */
function lookAt(port: number): { readonly state: PortState; readonly listeners: string[] } {
  if (process.platform !== 'linux') return { state: 'unknown', listeners: [] };
  try {
    const sockets = ['tcp', 'tcp6'].flatMap((table) => socketsAt(table, port));
    const listeners = sockets
      .filter(({ state }) => state === listening)
      .map(({ inode }) => `socket:[${inode}]`);
    if (listeners.length > 0) return { state: 'listener', listeners };
    const isHeld = sockets.some(({ state }) => state === established || state === connecting);
    return { state: isHeld ? 'connection' : 'free', listeners };
  } catch {
    return { state: 'unknown', listeners: [] };
  }
}

/** The sockets at a port, where 127.0.0.1 would reach them. */
function socketsAt(table: string, port: number): { state: string; inode: string }[] {
  const wanted = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return readFileSync(`/proc/self/net/${table}`, 'latin1')
    .split('\n')
    .map((line) => line.trim().split(/\s+/u))
    .filter(([, local = '']) => local.endsWith(wanted) && reachesLoopback.test(local))
    .map((fields) => ({ state: fields[3] ?? '', inode: fields[9] ?? '' }));
}
