import { existsSync, lstatSync, realpathSync, statSync, type Stats } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { realDirectory } from '../../client/waypoints/node/hand-over-file.ts';
import { accessFault, importsFault, lockFileFault, ownerFault } from '../../daemon/faults.ts';
import {
  fileSystemWithoutModes,
  isOpenForGood,
  ownFiles,
  replaceableFault,
} from '../../daemon/permissions.ts';
import type { Paths } from '../../daemon/paths.ts';
import { errorCode } from '../../model/error-code.ts';
import { localHost } from '../program/local-service.ts';
import { isWithin } from '../terminal/access.ts';
import { remotePlace, syncProgram } from './file-system.ts';
import { findingsOf, type Finding } from './finding.ts';

const isWindows = process.platform === 'win32';

export function checkDirectories(paths: Paths, isDataChosen: boolean): Finding[] {
  const { data, cache, runtime } = paths;
  const isOne = runtime === data;
  const imports = importsFault(paths);
  return [
    ...checkOwners(paths),
    ...checkDirectory('data', data, { holdsToken: isOne, isMissed: isDataChosen }),
    ...checkDataPlace(data),
    ...(imports === undefined ? [] : [findingsOf('data directory').fault(imports)]),
    ...checkDirectory('cache', cache),
    ...(isOne ? [] : checkDirectory('runtime', runtime, { holdsToken: true })),
  ];
}

/** @param isMissed a user named it, so that it should be there. */
function checkDirectory(
  name: 'data' | 'cache' | 'runtime',
  path: string,
  { holdsToken = false, isMissed = false } = {},
): Finding[] {
  const area = `${name} directory`;
  const { ok, note, warning, problem } = findingsOf(area);
  const stats = lookAt(path);
  if (stats === undefined) {
    const text = `${path} is not there yet`;
    return [isMissed ? warning(text, 'Is it spelled right?') : note(text)];
  }
  if (stats === 'hidden') {
    const remedy = 'Run this as the user of waypointd.';
    return [problem(`${path} cannot be reached by this user`, remedy)];
  }
  const target = statSync(path, { throwIfNoEntry: false });
  if (target?.isDirectory() !== true) {
    const remedy = `Move it away, or choose another with --${name}-dir`;
    return [problem(`${path} is not a directory`, remedy)];
  }
  const findings = checkPermissions(area, path, target);
  if (stats.isSymbolicLink()) {
    const remedy = `Name the directory it leads to: waypointd config set ${name}-dir "${realpathSync(path)}"`;
    // Programs that look for the token refuse a link: its owner may lead them elsewhere.
    const link = holdsToken
      ? problem(`${path} is a link, and cannot hold the token`, remedy)
      : note(`${path} is a link`, remedy);
    findings.unshift(link);
  }
  return findings.some(({ level }) => level !== 'note') ? findings : [...findings, ok(path)];
}

/** Where permissions do not stick, owner and mode are made up. */
function checkPermissions(area: string, path: string, stats: Stats): Finding[] {
  const isModeless = fileSystemWithoutModes(path) !== undefined;
  const owned = isModeless ? undefined : ownerFault(path, stats, 0o700);
  const forbidden = owned ?? accessFault(path);
  if (forbidden !== undefined) return [findingsOf(area).fault(forbidden)];
  return isModeless ? [] : checkOthers(area, path, stats);
}

/** Where the data directory is: others must not be able to replace it, and permissions should stick. */
function checkOwners(paths: Paths): Finding[] {
  const { warning, fault } = findingsOf('data directory');
  const { data } = paths;
  // The next check reports a directory that cannot be entered, or belongs to another user.
  if (!existsSync(data)) return [];
  const found = replaceableFault(data);
  if (found !== undefined) return [fault(found)];
  if (!isOpenForGood(data)) return [];
  const text = `${data} is on a file system without permissions (${fileSystemWithoutModes(data)}): other users of this machine may use the data`;
  const remedy =
    'Keep it on another disk, with --data-dir, or mount that one for yourself alone (umask=077).';
  return [warning(text, remedy)];
}

/** Access lists protect the user's profile on Windows; modes say nothing there. */
function checkOthers(area: string, path: string, { mode }: Stats): Finding[] {
  const { note, warning, problem } = findingsOf(area);
  if (isWindows) {
    const { home, user } = localHost();
    if (isWithin(path, home)) return [];
    const text = `${path} is outside of your profile, where Windows lets other users look into a directory unless its access list says otherwise`;
    return [note(text, `icacls "${path}" /inheritance:r /grant:r "${user}:(OI)(CI)F"`)];
  }
  const remedy = `chmod 700 "${path}"`;
  if ((mode & 0o077) === 0) return [];
  if ((mode & 0o022) !== 0) return [problem(`Other users can change ${path}`, remedy)];
  return [warning(`Other users can look into ${path}`, remedy)];
}

/** Warns of file systems and folders that break live databases. */
function checkDataPlace(data: string): Finding[] {
  const { warning } = findingsOf('data directory');
  const findings: Finding[] = [];
  const remote = remotePlace(data);
  if (remote !== undefined) {
    findings.push(
      warning(
        `${data} is not on a disk of this machine (${remote}): locks and power cuts may do damage there`,
        'Keep it on a local disk: waypointd config set data_dir DIRECTORY, after moving it while no daemon runs.',
      ),
    );
  }
  const program = syncProgram(realDirectory(data));
  if (program !== undefined) {
    findings.push(
      warning(
        `${data} lies in a folder that ${program} copies: a database that is copied while it is written breaks`,
        'Keep the data elsewhere, and only the bookmarks file there: waypointd config set bookmarks_file FILE',
      ),
    );
  }
  return findings;
}

function lookAt(path: string): Stats | 'hidden' | undefined {
  try {
    return lstatSync(path);
  } catch (error) {
    const code = errorCode(error);
    return code === 'ENOENT' || code === 'ENOTDIR' ? undefined : 'hidden';
  }
}

/** Checks the kind, owner and permissions of the files in the data directory; does not read them. */
export function checkFiles(paths: Paths): Finding[] {
  const { ok, fault } = findingsOf('files');
  const { data, handOver, imports, backups } = paths;
  const inner = [...ownFiles(paths), join(data, basename(handOver))].filter(
    (path) => dirname(path) === data && lstatSync(path, { throwIfNoEntry: false }) !== undefined,
  );
  if (inner.length === 0) return [];
  // Modes say nothing on Windows, nor where they do not stick.
  const isModeless = isWindows || fileSystemWithoutModes(data) !== undefined;
  const findings: Finding[] = isModeless
    ? []
    : [
        ...inner.flatMap((path) =>
          checkEntry(path, 'file', replacedFile.test(path) ? 0o400 : 0o600),
        ),
        ...[imports, backups].flatMap((path) => checkEntry(path, 'directory', 0o700)),
      ];
  if (findings.some(({ level }) => level === 'problem')) return findings;
  const found = lockFileFault(paths);
  if (found !== undefined) findings.push(fault(found));
  if (findings.length > 0 || isModeless) return findings;
  return [ok(`All ${inner.length} files are yours alone`)];
}

/**
 * Files that are replaced whole and never written in place: reading them is enough. SQLite gives its companions the mode of
 * the database: one that cannot be written stays so when the database is mended.
 */
const replacedFile = /[\\/](?:bookmarks\.gpx|daemon\.json)$/u;

function checkEntry(path: string, kind: 'file' | 'directory', wanted: number): Finding[] {
  const { warning, problem, fault } = findingsOf('files');
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return []; // SQLite may have removed it since.
  const isFile = kind === 'file';
  const named = isFile ? basename(path) : `${basename(path)}/`;
  if (isFile ? !stats.isFile() : !stats.isDirectory()) {
    const what = isFile ? 'is not a regular file' : 'is a link or not a directory';
    return [problem(`${named} ${what}`, `Look at it: ls -ld "${path}"`)];
  }
  const words = !isFile ? {} : { verb: (stats.mode & 0o400) === 0 ? 'read' : 'written' };
  const found = ownerFault(path, stats, wanted, { named, ...words });
  if (found !== undefined) return [fault(found)];
  if (!isFile || (stats.mode & 0o077) === 0) return [];
  return [warning(`Other users may open ${named}`, `chmod 600 "${path}"`)];
}
