import { accessSync, constants, existsSync, readdirSync, statSync, type Stats } from 'node:fs';
import { basename, join } from 'node:path';
import { attempt } from '../model/attempt.ts';
import { errorCode, isOutOfReach } from '../model/error-code.ts';
import { ExitError, type ExitCode } from '../model/exit-error.ts';
import { isDiskFull } from '../model/failure.ts';
import { firstBytes } from '../storage/open-file.ts';
import type { StoreRefusal } from '../storage/waypoints/open.ts';
import type { Paths } from './paths.ts';
import type { PortOwner } from './port-owner.ts';

/** A reason that the data cannot be opened: the refusal of a start, and a finding of `doctor`, in the same words. */
export interface Fault {
  readonly exitCode: ExitCode;
  /** A sentence without its full stop. */
  readonly text: string;
  /** The state that a refused start leaves, as the end of that sentence. */
  readonly left?: string;
  /** The way out, in sentences. */
  readonly remedy?: string;
  /** The way out, as a command to type. */
  readonly command?: string;
}

const isWindows = process.platform === 'win32';
const [move, copy] = isWindows ? ['move', 'copy'] : ['mv', 'cp'];

export function refusal(fault: Fault, cause?: unknown): ExitError {
  return new ExitError(faultSentence(fault), fault.exitCode, cause);
}

/** A fault and the way out, on one line. */
function faultSentence({ text, left, remedy, command }: Fault): string {
  const whole = left === undefined ? text : `${text}; ${left}`;
  if (command !== undefined) return `${whole}; to mend that: ${command}`;
  return remedy === undefined ? `${whole}.` : `${whole}. ${remedy}`;
}

const untouched = 'nothing was changed';
const ownFiles =
  'Its files must belong to the user who runs waypointd, on a disk that can be written, and no other program may hold them.';

/**
 * The fault of a `waypoints.sqlite` that cannot be used.
 * @param named its name in the sentence. @param detail the code of an error, or a version.
 */
export function storeFault(
  refused: StoreRefusal,
  paths: Paths,
  named = paths.waypointsDatabase,
  detail = '',
): Fault {
  const install = 'Install that version again, or use another --data-dir.';
  const faults: Readonly<Record<StoreRefusal, readonly [ExitCode, ...texts: string[]]>> = {
    newer: [65, `was written by a newer waypointd${detail}`, 'it is untouched', install],
    unreadable: [74, 'is damaged or not a waypointd store', untouched, storeRemedy(paths)],
    unavailable: [74, `cannot be opened${detail}`, untouched, ownFiles],
    missing: [
      74,
      'is missing or empty although its companions are there',
      'no empty one was made',
      storeRemedy(paths),
    ],
  };
  const [exitCode, what = '', left = '', remedy = ''] = faults[refused];
  return { exitCode, text: `${named} ${what}`, left, remedy };
}

/** The holder of a port: `listener` is a waypointd or another program. */
export type PortHolder = 'waypointd' | 'program' | 'listener' | 'connection';

const portHolders: Readonly<Record<PortHolder, string>> = {
  waypointd: 'the waypointd of another data directory or user, which listens there',
  program: 'another program, which listens there',
  listener: "another program or another user's waypointd, which listens there",
  connection: 'an open connection of another program, which does not listen there',
};

export function portFault(
  port: number,
  holder: PortHolder,
  { pid, program }: Partial<PortOwner> = {},
): Fault {
  const who = pid === undefined ? '' : `: ${program} (process ${pid})`;
  const text = `Port ${port} of 127.0.0.1 is taken by ${portHolders[holder]}${who}`;
  const other = 'choose another with --port (for good: waypointd config set port NUMBER).';
  const first = holder === 'connection' ? 'Try again later' : 'Stop that';
  return { exitCode: 75, text, remedy: `${first}, or ${other}` };
}

/**
 * The refusal of a start by the file system or by SQLite, for anything else in a directory.
 * @param flag the option that names another directory.
 * @returns other errors as they are; a full disk may have room again at the next try.
 */
export function unusable(error: unknown, directory: string, flag: string): unknown {
  const code = errorCode(error);
  if (code === undefined || !isOutOfReach(error) || isDiskFull(error)) return error;
  const remedy = `${ownFiles} Or use another ${flag}.`;
  const text = `${directory} cannot be used (${code})`;
  return refusal({ exitCode: 74, text, remedy }, error);
}

/** The fault of a lock file that this user may not write, or that is neither empty nor a database. */
export function lockFileFault({ lockDatabase: path }: Paths): Fault | undefined {
  const forbidden = accessFault(path);
  if (forbidden !== undefined || !existsSync(path)) return forbidden;
  if (statSync(path).isFile() && isEmptyOrDatabase(path)) return undefined;
  return inTheWay(path, 'the lock file of waypointd');
}

/** The fault of an `imports/` that is no folder. */
export function importsFault({ imports: path }: Paths): Fault | undefined {
  const stats = attempt(() => statSync(path, { throwIfNoEntry: false }));
  if (stats === undefined || stats.isDirectory()) return undefined;
  return inTheWay(path, 'the folder of imported files (below data_dir)');
}

function inTheWay(path: string, wanted: string): Fault {
  const text = `${path} is not ${wanted}, but something else`;
  return { exitCode: 74, text, left: untouched, command: `${move} "${path}" "${path}.aside"` };
}

const databaseStart = 'SQLite format 3\0';

function isEmptyOrDatabase(path: string): boolean {
  const start = firstBytes(path, databaseStart.length).toString('latin1');
  return start === '' || start === databaseStart;
}

/**
 * The fault of a data directory, or a database in it, that this user may not use. Checked before SQLite opens anything: it
 * would make companions with the mode of a read-only database, which stay read-only when the database is mended.
 */
export function dataAccessFault(paths: Paths): Fault | undefined {
  const { data, waypointsDatabase, libraryDatabase } = paths;
  const databases = [waypointsDatabase, libraryDatabase].flatMap((path) => [
    path,
    `${path}-wal`,
    `${path}-shm`,
  ]);
  for (const path of [data, ...databases]) {
    const found = accessFault(path);
    if (found === undefined) continue;
    return { ...found, text: `The data cannot be opened; ${untouched}. ${found.text}` };
  }
  return undefined;
}

/** The fault of a file or directory that this user may not use; undefined also for one that is not there. */
export function accessFault(path: string): Fault | undefined {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    if (statSync(path).isDirectory()) accessSync(path, constants.X_OK);
    return undefined;
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EROFS') {
      const text = `${path} is on a file system that is mounted for reading only`;
      return { exitCode: 74, text, remedy: 'Mount it for writing, or choose another place.' };
    }
    if (code !== 'EACCES' && code !== 'EPERM') return undefined;
    // Its directory may not be entered.
    const stats = attempt(() => statSync(path, { throwIfNoEntry: false }));
    const fault = stats && ownerFault(path, stats, stats.isDirectory() ? 0o700 : 0o600);
    return fault ?? { exitCode: 74, text: `${path} may not be opened by this user` };
  }
}

/** The fault of an owner or a mode; `named` and `verb` are words of the sentence. */
export function ownerFault(
  path: string,
  { uid, mode }: Stats,
  wanted: number,
  { named = path, verb = 'read and written' } = {},
): Fault | undefined {
  if (process.getuid === undefined) return undefined;
  if (uid !== process.getuid()) {
    // It may belong to a service: chown alone would be bad advice.
    const remedy = `Run this as that user; if it is yours, as after a run with sudo, have it back: sudo chown "$(id -un)" "${path}"`;
    return { exitCode: 74, text: `${named} belongs to another user`, remedy };
  }
  if ((mode & wanted) === wanted) return undefined;
  const shown = (mode & 0o7777).toString(8).padStart(4, '0');
  return {
    exitCode: 74,
    text: `${named} may not be ${verb} by its own user (its mode is ${shown})`,
    command: `chmod ${(wanted | 0o200).toString(8)} "${path}"`,
  };
}

/** Lists the paths in a directory; none when it is missing, as at a first start. */
export function entriesOf(directory: string): string[] {
  const names = attempt(() => readdirSync(directory)) ?? [];
  return names.map((name) => join(directory, name));
}

/** Lists files that exist only if `waypoints.sqlite` did once. An empty imports directory proves nothing. */
export function companionsOf(paths: Paths): string[] {
  const files = [paths.libraryDatabase, join(paths.data, 'bookmarks.gpx')];
  return [...files.filter(existsSync), ...entriesOf(paths.imports), ...entriesOf(paths.backups)];
}

/**
 * The commands for a lost `waypoints.sqlite`: back to the newest copy, or on from the bookmarks file and the imports. Its
 * remains are moved aside first: SQLite would apply the write-ahead log of the lost store to its successor.
 */
function storeRemedy({ data, waypointsDatabase, backups }: Paths): string {
  const aside = join(data, 'damaged');
  const name = basename(waypointsDatabase);
  const remains = entriesOf(data).some((path) => basename(path).startsWith(name));
  const make = existsSync(aside) ? '' : `mkdir "${aside}" && `;
  const files = isWindows ? `"${waypointsDatabase}*"` : `"${waypointsDatabase}"*`;
  const before = remains ? `${make}${move} ${files} "${aside}" && ` : '';
  const anew = `To rebuild it from bookmarks.gpx and the imports: ${before}waypointd serve --new-store --data-dir "${data}"`;
  const copies = entriesOf(backups).filter((path) => path.endsWith('.sqlite'));
  const newest = copies.toSorted().at(-1);
  if (newest === undefined) return anew;
  // PowerShell knows no `&&` before its version 7, and does nothing of such a line.
  const shell = isWindows ? ' (in cmd)' : '';
  return `To go back to the newest copy${shell}: ${before}${copy} "${newest}" "${waypointsDatabase}". ${anew}`;
}
