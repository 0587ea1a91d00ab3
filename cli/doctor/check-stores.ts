import { existsSync, lstatSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { accessFault, companionsOf, entriesOf, storeFault } from '../../daemon/faults.ts';
import type { Paths } from '../../daemon/paths.ts';
import { headBytes } from '../../formats/format.ts';
import { gpxFormat } from '../../formats/gpx/read-gpx.ts';
import { bookmarksFileProblems, bookmarksFileRemedy } from '../../model/bookmarks-file.ts';
import { errorCode } from '../../model/error-code.ts';
import { inspectDatabase, type DatabaseReport } from '../../storage/inspect-database.ts';
import { resolveTarget } from '../../storage/link-target.ts';
import { librarySchemaVersion } from '../../storage/schema/library.ts';
import { waypointMigrations } from '../../storage/schema/waypoints.ts';
import { firstBytes } from '../../storage/open-file.ts';
import { refusalOf } from '../../storage/waypoints/open.ts';
import { maxEditBytes, readPresentFile, statFile } from '../../worker/mirror/present-file.ts';
import { findingsOf, type Finding } from './finding.ts';

export interface StoreCheckOptions {
  /** Whether a daemon or a command has the data directory open. */
  readonly isHeld: boolean;
  readonly isThorough: boolean;
}

const unchecked =
  'It is read in a copy, for which the directory for temporary files has no room: make room there, or start the daemon.';
const rebuilt = 'The next start of the daemon sets it aside and makes a new one from imports/.';

export function checkStores(paths: Paths, options: StoreCheckOptions): Finding[] {
  const folderFaults = checkBookmarksFolder(paths);
  if (!existsSync(paths.data)) return folderFaults;
  const store = look(paths.waypointsDatabase, { ...options, keys: ['mirror'] });
  const library = look(paths.libraryDatabase, { ...options, keys: [] });
  return [
    checkStore(paths, store),
    checkLibrary(paths, library),
    ...(folderFaults.length > 0 ? folderFaults : checkBookmarksFile(paths, store)),
    ...checkBackups(paths),
  ];
}

/** A file that is not there is as good as one without content. */
function look(path: string, options: StoreCheckOptions & { keys: readonly string[] }) {
  const nothing = { version: 0, meta: new Map<string, string>() };
  try {
    if (!existsSync(path)) return { ...nothing, condition: 'blank' } as const;
    return inspectDatabase(path, options);
  } catch {
    // The file has a check of its own, which reports the fault.
    return { ...nothing, condition: 'unreachable' } as const;
  }
}

function checkStore(paths: Paths, report: DatabaseReport): Finding {
  const { ok, note, fault } = findingsOf('bookmarks');
  const { condition, version } = report;
  const file = basename(paths.waypointsDatabase);
  const newest = waypointMigrations.length;
  if (condition === 'unchecked') return note(`${file} was not checked`, unchecked);
  if (condition === 'blank') {
    return companionsOf(paths).length > 0
      ? fault(storeFault('missing', paths, file))
      : note(`${file} is not there yet: the first bookmark or import makes it`);
  }
  const refusal = refusalOf(report);
  if (refusal !== undefined) {
    const detail = refusal === 'newer' ? ` (schema ${version})` : '';
    return fault(storeFault(refusal, paths, file, detail));
  }
  if (version === newest) return ok(`${file} is whole (schema ${version})`);
  return note(
    `${file} is whole, and of an older schema (${version}); the next start brings it to ${newest}, after a copy`,
  );
}

function checkLibrary(paths: Paths, { condition, version }: DatabaseReport): Finding {
  const { ok, note, warning, problem } = findingsOf('library');
  const path = paths.libraryDatabase;
  const file = basename(path);
  if (condition !== 'blank' && existsSync(`${path}.damaged`)) {
    return warning(`${file} was found damaged while it was in use`, rebuilt);
  }
  switch (condition) {
    case 'blank':
      return entriesOf(paths.imports).some((entry) => !basename(entry).startsWith('.'))
        ? warning(
            `${file} is missing or empty`,
            'The next start of the daemon makes it from imports/.',
          )
        : note('Nothing has been imported yet');
    case 'damaged':
    case 'foreign':
      return warning(`${file} is damaged or not a library of waypointd`, rebuilt);
    case 'unreachable':
      return problem(
        `${file} cannot be opened`,
        'Its file must belong to this user, and no other program may hold it; the other findings may say more.',
      );
    case 'unchecked':
      return note(`${file} was not checked`, unchecked);
    case 'good': {
      if (version !== librarySchemaVersion) {
        return note(`${file} is of another schema (${version})`, rebuilt);
      }
      const megabytes = (statSync(path).size / 1e6).toFixed(1);
      return ok(`${file} is whole (schema ${version}, ${megabytes} MB)`);
    }
  }
}

/** A folder that the user chose is not made: it may be a disk that is not mounted. */
function checkBookmarksFolder({ bookmarksFile, data }: Paths): Finding[] {
  const { problem, fault } = findingsOf('bookmarks file');
  const folder = dirname(bookmarksFile);
  if (folder === data) return [];
  const remedy = 'Make it, or mount its disk, or: waypointd config set bookmarks_file FILE';
  if (!existsSync(folder)) {
    return [problem(`${folder}, the folder of bookmarks_file, is not there`, remedy)];
  }
  const forbidden = accessFault(folder);
  return forbidden === undefined ? [] : [fault(forbidden)];
}

function checkBookmarksFile({ bookmarksFile: path }: Paths, { meta }: DatabaseReport): Finding[] {
  const { problem } = findingsOf('bookmarks file');
  try {
    return lookAtMirror(path, knownContents(meta.get('mirror')));
  } catch (error) {
    const text = bookmarksFileProblems[errorCode(error) ?? ''];
    if (text !== undefined) return [problem(text, bookmarksFileRemedy)];
    return [problem('It cannot be read', `ls -l "${path}"`)];
  }
}

/** The mirror of the bookmarks: ours, changed by its user since, or something that the daemon would not write over. */
function lookAtMirror(path: string, known: readonly string[] | undefined): Finding[] {
  const { ok, note, problem } = findingsOf('bookmarks file');
  const target = resolveTarget(path);
  const size = statFile(target)?.size;
  if (size === undefined) return known ? [note('It is missing; the daemon writes it again')] : [];
  const odd = oddityOf(path, target, size, known !== undefined);
  if (odd !== undefined) return [problem(bookmarksFileProblems[odd] ?? odd, bookmarksFileRemedy)];
  if (known === undefined || size > maxEditBytes) return [ok('It is there')];
  const { sha256 = '' } = readPresentFile(target)?.content ?? {};
  if (known.includes(sha256)) return [ok('It mirrors the bookmarks')];
  return [note('It was changed by another program; the daemon merges that before it writes again')];
}

function oddityOf(path: string, target: string, size: bigint, wasOurs: boolean) {
  if (size > maxEditBytes && !wasOurs) return 'too_large';
  const isForeign = !wasOurs || lstatSync(path).isSymbolicLink();
  const isOdd = isForeign && size > 0 && !gpxFormat.recognises(firstBytes(target, headBytes));
  return isOdd ? 'not_gpx' : undefined;
}

/** The hashes of the contents that the mirror knows as its own; see daemon/mirror/mirror-state.ts. */
function knownContents(text: string | undefined): string[] | undefined {
  const hashes = text?.match(/"sha256":"[0-9a-f]{64}"/gu);
  return hashes?.map((hash) => hash.slice(10, -1));
}

function checkBackups({ backups }: Paths): Finding[] {
  const copies = entriesOf(backups).filter((path) => path.endsWith('.sqlite'));
  if (copies.length === 0) return [];
  const newest = copies.map((path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  const date = new Date(Math.max(...newest)).toISOString().slice(0, 10);
  const count = copies.length === 1 ? '1 copy' : `${copies.length} copies`;
  return [findingsOf('backups').ok(`${count} of earlier versions, the newest of ${date}`)];
}
