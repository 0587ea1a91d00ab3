import { accessSync, constants, lstatSync, realpathSync, statSync, type Stats } from 'node:fs';
import type { Paths } from '../../daemon/paths.ts';
import { errorCode } from '../../model/error-code.ts';
import { remoteFileSystem, syncProgram } from './file-system.ts';
import { findingsOf, type Finding } from './finding.ts';

const isWindows = process.platform === 'win32';

/** Looks at the directories: what they are, whose, and where. */
export function checkDirectories(paths: Paths, isDataChosen: boolean): Finding[] {
  return [
    ...checkDirectory('data directory', paths.data, {
      flag: 'data-dir',
      isMissed: isDataChosen,
      holdsToken: paths.runtime === paths.data,
    }),
    ...checkDataPlace(paths),
    ...checkDirectory('cache directory', paths.cache, {
      flag: 'cache-dir',
      isMissed: false,
      holdsToken: false,
    }),
    ...(paths.runtime === paths.data
      ? []
      : checkDirectory('runtime directory', paths.runtime, {
          flag: 'runtime-dir',
          isMissed: false,
          holdsToken: true,
        })),
  ];
}

interface DirectoryUse {
  readonly flag: string;
  /** Somebody named it, so that it should be there. */
  readonly isMissed: boolean;
  readonly holdsToken: boolean;
}

/** Whether this user may not look into a directory that is there: then nothing can be said of what is in it. */
export function isClosed(directory: string): boolean {
  try {
    accessSync(directory, constants.R_OK | constants.X_OK);
    return false;
  } catch (error) {
    const code = errorCode(error);
    return code === 'EACCES' || code === 'EPERM';
  }
}

function checkDirectory(area: string, path: string, use: DirectoryUse): Finding[] {
  const { ok, note, warning, problem } = findingsOf(area);
  const stats = lookAt(path);
  if (stats === undefined) {
    const text = `${path} is not there yet`;
    return [use.isMissed ? warning(text, 'Is it spelled right?') : note(text)];
  }
  if (stats === 'hidden') {
    return [
      problem(`${path} cannot be reached by this user`, 'Run this as the user of waypointd.'),
    ];
  }
  const target = stats.isSymbolicLink() ? statSync(path, { throwIfNoEntry: false }) : stats;
  if (target === undefined || !target.isDirectory()) {
    return [
      problem(`${path} is not a directory`, `Move it away, or choose another with --${use.flag}`),
    ];
  }
  const faults: Finding[] = [];
  if (stats.isSymbolicLink()) {
    const text = `${path} is a link`;
    const remedy = `Name the directory it leads to: waypointd config set ${use.flag} "${realpathSync(path)}"`;
    // Whoever may change the link leads programs that look for the token elsewhere, so they refuse it.
    faults.push(
      use.holdsToken ? problem(`${text}, and cannot hold the token`, remedy) : note(text),
    );
  }
  faults.push(...checkOwner(area, path, target));
  if (isReadOnly(path)) {
    const text = `${path} is on a file system that is mounted for reading only`;
    faults.push(problem(text, `Mount it for writing, or choose another with --${use.flag}`));
  }
  return faults.some(({ level }) => level === 'problem' || level === 'warning')
    ? faults
    : [...faults, ok(path)];
}

function checkOwner(area: string, path: string, { uid, mode }: Stats): Finding[] {
  if (isWindows) return []; // Access lists protect the user's profile there; modes say nothing.
  const { warning, problem } = findingsOf(area);
  if (uid !== process.getuid?.()) {
    return [
      problem(
        `${path} belongs to another user`,
        'Run waypointd as that user, or choose another directory.',
      ),
    ];
  }
  const remedy = `chmod 700 "${path}"`;
  if ((mode & 0o700) !== 0o700) return [problem(`${path} is closed to its own user`, remedy)];
  if ((mode & 0o022) !== 0) return [problem(`Other users can change ${path}`, remedy)];
  return (mode & 0o055) === 0 ? [] : [warning(`Other users can look into ${path}`, remedy)];
}

/** Whether the file system, rather than the owner or the mode, keeps everybody from writing. */
function isReadOnly(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return false;
  } catch (error) {
    return errorCode(error) === 'EROFS';
  }
}

/** Where live databases do not belong. */
function checkDataPlace({ data }: Paths): Finding[] {
  const { warning } = findingsOf('data directory');
  const findings: Finding[] = [];
  const remote = remoteFileSystem(data);
  if (remote !== undefined) {
    findings.push(
      warning(
        `${data} is not on a disk of this machine (${remote}): locks and power cuts may do damage there`,
        'Keep it on a local disk: waypointd config set data_dir DIRECTORY, after moving it while no daemon runs.',
      ),
    );
  }
  const program = syncProgram(realOr(data));
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

function realOr(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function lookAt(path: string): Stats | 'hidden' | undefined {
  try {
    return lstatSync(path);
  } catch (error) {
    const code = errorCode(error);
    return code === 'ENOENT' || code === 'ENOTDIR' ? undefined : 'hidden';
  }
}
