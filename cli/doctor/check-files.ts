import { lstatSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Paths } from '../../daemon/paths.ts';
import { findingsOf, type Finding } from './finding.ts';

const { ok, warning, problem } = findingsOf('files');
/** The databases, what SQLite keeps beside them, and the files that hold their state. */
const ownFile =
  /^(?:(?:waypoints|library|lock)\.sqlite(?:-wal|-shm|-journal)?|bookmarks\.gpx|daemon\.json)$/u;
/** Of these a new one takes the place of the old one: nobody writes into them. */
const replacedFile = /^(?:bookmarks\.gpx|daemon\.json)$/u;

/** Looks at the kind, owner and permissions of the files in the data directory; what is in them is not read. */
export function checkFiles({ data, imports, backups }: Paths): Finding[] {
  if (process.platform === 'win32') return [];
  const names = namesIn(data).filter((name) => ownFile.test(name));
  if (names.length === 0) return [];
  const files = names.map((name) => join(data, name));
  const directories = [imports, backups].filter((path) => lstatOf(path) !== undefined);
  const findings = [...files.flatMap(checkFile), ...directories.flatMap(checkInner)];
  return findings.length > 0 ? findings : [ok(`All ${names.length} files are yours alone`)];
}

function checkFile(path: string): Finding[] {
  const stats = lstatOf(path);
  if (stats === undefined) return []; // Gone since: SQLite removes what it keeps beside a database.
  const name = basename(path);
  if (!stats.isFile()) {
    return [problem(`${name} is not a regular file`, `Look at it: ls -l "${path}"`)];
  }
  if (stats.uid !== process.getuid?.()) {
    return [
      problem(
        `${name} belongs to another user, as after a run with sudo`,
        `sudo chown "$(id -un)" "${path}"`,
      ),
    ];
  }
  // SQLite gives its companions the mode of the database: one that cannot be written stays so when the database is mended.
  const needed = replacedFile.test(name) ? 0o400 : 0o600;
  if ((stats.mode & needed) !== needed) {
    const verb = (stats.mode & 0o400) === 0 ? 'read' : 'written';
    return [problem(`${name} may not be ${verb} by its own user`, `chmod 600 "${path}"`)];
  }
  if ((stats.mode & 0o077) !== 0) {
    return [warning(`Other users may open ${name}`, `chmod 600 "${path}"`)];
  }
  return [];
}

function checkInner(path: string): Finding[] {
  const stats = lstatOf(path);
  const name = `${basename(path)}/`;
  if (stats === undefined) return [];
  if (!stats.isDirectory()) {
    return [problem(`${name} is a link or not a directory`, `Look at it: ls -ld "${path}"`)];
  }
  if (stats.uid !== process.getuid?.()) {
    return [problem(`${name} belongs to another user`, `sudo chown -R "$(id -un)" "${path}"`)];
  }
  if ((stats.mode & 0o700) === 0o700) return [];
  return [problem(`${name} is closed to its own user`, `chmod 700 "${path}"`)];
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return []; // What is wrong with the directory is told by its own check.
  }
}

function lstatOf(path: string) {
  return lstatSync(path, { throwIfNoEntry: false });
}
