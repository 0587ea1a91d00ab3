import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { librarySchemaVersion } from '../../storage/library/schema.ts';
import { inspectDatabase, type DatabaseReport } from '../../storage/inspect-database.ts';
import { waypointMigrations } from '../../storage/waypoints/schema.ts';
import type { Paths } from '../../daemon/paths.ts';
import { companionsOf, entriesOf, storeRemedy } from '../../daemon/store-remedy.ts';
import { findingsOf, type Finding } from './finding.ts';

export interface StoreCheckOptions {
  /** Whether a daemon or a command has the data directory open. */
  readonly isHeld: boolean;
  readonly isThorough: boolean;
}

const unreachable =
  'Its file must belong to this user, and no other program may hold it; the other findings may say more.';
const unchecked =
  'It was not closed in order and is too large for a copy: start the daemon, which mends that, and try again.';

/** Looks into both databases and at what lies beside them. */
export function checkStores(paths: Paths, options: StoreCheckOptions): Finding[] {
  if (!existsSync(paths.data)) return [];
  const store = look(paths.waypointsDatabase, { ...options, keys: ['mirror'] });
  const library = look(paths.libraryDatabase, { ...options, keys: [] });
  return [
    ...checkStore(paths, store),
    ...checkLibrary(paths, library),
    ...checkBookmarksFile(paths, store),
    ...checkBackups(paths),
  ];
}

type Look = DatabaseReport | 'missing';

function look(path: string, options: StoreCheckOptions & { keys: readonly string[] }): Look {
  try {
    return existsSync(path) ? inspectDatabase(path, options) : 'missing';
  } catch {
    // What is wrong with the file is told by its own check.
    return { condition: 'unreachable', version: 0, meta: new Map() };
  }
}

function checkStore(paths: Paths, report: Look): Finding[] {
  const { ok, note, problem } = findingsOf('bookmarks');
  const file = 'waypoints.sqlite';
  const isLost = companionsOf(paths).length > 0;
  if (report === 'missing' || report.condition === 'blank') {
    if (isLost) {
      return [
        problem(
          `${file} is missing or empty although its companions are there`,
          storeRemedy(paths),
        ),
      ];
    }
    return [note(`${file} is not there yet: the first bookmark or import makes it`)];
  }
  switch (report.condition) {
    case 'damaged':
    case 'foreign':
      return [problem(`${file} is damaged or not a waypointd store`, storeRemedy(paths))];
    case 'unreachable':
      return [problem(`${file} cannot be opened`, unreachable)];
    case 'unchecked':
      return [note(`${file} was not checked`, unchecked)];
    case 'good':
      break;
  }
  const newest = waypointMigrations.length;
  if (report.version > newest) {
    const remedy = 'Install that version again, or use another --data-dir.';
    return [problem(`${file} was written by a newer waypointd (schema ${report.version})`, remedy)];
  }
  if (report.version < newest) {
    return [
      note(
        `${file} is whole, and of an older schema (${report.version}); the next start brings it to ${newest}, after a copy`,
      ),
    ];
  }
  return [ok(`${file} is whole (schema ${report.version})`)];
}

function checkLibrary(paths: Paths, report: Look): Finding[] {
  const { ok, note, warning, problem } = findingsOf('library');
  const file = 'library.sqlite';
  const hasImports = entriesOf(paths.imports).some((path) => !basename(path).startsWith('.'));
  const rebuilt = 'The next start of the daemon sets it aside and makes a new one from imports/.';
  if (report === 'missing' || report.condition === 'blank') {
    return hasImports
      ? [
          warning(
            `${file} is missing or empty`,
            'The next start of the daemon makes it from imports/.',
          ),
        ]
      : [note('Nothing has been imported yet')];
  }
  if (existsSync(`${paths.libraryDatabase}.damaged`)) {
    return [warning(`${file} was found damaged while it was in use`, rebuilt)];
  }
  switch (report.condition) {
    case 'damaged':
    case 'foreign':
      return [warning(`${file} is damaged or not a library of waypointd`, rebuilt)];
    case 'unreachable':
      return [problem(`${file} cannot be opened`, unreachable)];
    case 'unchecked':
      return [note(`${file} was not checked`, unchecked)];
    case 'good':
      break;
  }
  if (report.version !== librarySchemaVersion) {
    return [note(`${file} is of another schema (${report.version})`, rebuilt)];
  }
  return [ok(`${file} is whole (schema ${report.version}, ${megabytes(paths.libraryDatabase)})`)];
}

/** A file beyond this size is not compared: its hash would take a noticeable time. */
const maxHashedBytes = 67_108_864;

/** The mirror of the bookmarks: ours, or changed by its user since. */
function checkBookmarksFile({ bookmarksFile }: Paths, report: Look): Finding[] {
  const { ok, note, problem } = findingsOf('bookmarks file');
  const state = report === 'missing' ? undefined : knownContents(report.meta.get('mirror'));
  const stats = statSync(bookmarksFile, { throwIfNoEntry: false });
  if (stats === undefined) {
    return state === undefined ? [] : [note('It is missing; the daemon writes it again')];
  }
  if (!stats.isFile())
    return [problem('It is not a regular file', `Look at it: ls -ld "${bookmarksFile}"`)];
  if (state === undefined || stats.size > maxHashedBytes) return [ok('It is there')];
  const hash = hashOf(bookmarksFile);
  if (hash === undefined) return [problem('It cannot be read', `ls -l "${bookmarksFile}"`)];
  if (state.includes(hash)) return [ok('It mirrors the bookmarks')];
  return [
    note(
      'It was changed by another program; the daemon merges that before it writes the file again',
    ),
  ];
}

function hashOf(file: string): string | undefined {
  try {
    return createHash('sha256').update(readFileSync(file)).digest('hex');
  } catch {
    return undefined;
  }
}

/** The hashes of the contents that the mirror knows as its own; see daemon/mirror/mirror-state.ts. */
function knownContents(text: string | undefined): string[] | undefined {
  const hashes = text?.match(/"sha256":"[0-9a-f]{64}"/gu);
  return hashes?.map((hash) => hash.slice(10, -1));
}

function checkBackups({ backups }: Paths): Finding[] {
  const copies = entriesOf(backups).filter((path) => path.endsWith('.sqlite'));
  const newest = copies.map((path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  if (copies.length === 0) return [];
  const date = new Date(Math.max(...newest)).toISOString().slice(0, 10);
  const count = copies.length === 1 ? '1 copy' : `${copies.length} copies`;
  return [findingsOf('backups').ok(`${count} of earlier versions, the newest of ${date}`)];
}

function megabytes(path: string): string {
  const { size } = statSync(path);
  return `${(size / 1e6).toFixed(1)} MB`;
}
