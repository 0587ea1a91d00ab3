import { mkdirSync, readdirSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ExecutionContext } from 'ava';
import type { ImportRequest, ImportResult } from '../../model/import.ts';
import { importResultSchema } from '../../model/import.ts';
import { openReader } from '../../storage/database.ts';
import { tryNameFolding } from '../../storage/name-folding.ts';
import { prepareLibrary } from '../../storage/library/prepare.ts';
import { openWaypointStore } from '../../storage/waypoints/open.ts';
import {
  importDirectory,
  type ImportOutcome,
  type ImportTask,
} from '../../worker/import/import-directory.ts';
import { ImportProgress } from '../../worker/import/progress.ts';
import { followList, type FollowOutcome } from '../../worker/import/follow.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/** A waypoint of a generated file: name, lat, lon, and perhaps a time. */
export type Wpt = readonly [name: string, lat: number, lon: number, time?: string];

/** Makes a small GPX document. */
export function gpx(waypoints: readonly Wpt[], trackPoints: readonly string[] = []): string {
  const wpts = waypoints.map(
    ([name, lat, lon, time]) =>
      `<wpt lat="${lat}" lon="${lon}"><name>${name}</name>${time === undefined ? '' : `<time>${time}</time>`}</wpt>`,
  );
  const points = trackPoints.map(
    (time, index) =>
      `<trkpt lat="47.${index}" lon="8.5"><ele>400</ele><time>${time}</time></trkpt>`,
  );
  const track = points.length === 0 ? '' : `<trk><trkseg>${points.join('')}</trkseg></trk>`;
  return `<?xml version="1.0"?><gpx version="1.1">${wpts.join('')}${track}</gpx>`;
}

/** Writes files given by relative path below a directory; makes the directories. */
export function writeTree(directory: string, files: Readonly<Record<string, string>>): void {
  for (const [file, content] of Object.entries(files)) {
    const path = join(directory, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
}

/** Lists the regular files below a directory, sorted, with `/`; those of `.replaced` too. */
export function filesBelow(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1))
    .map((file) => file.replaceAll('\\', '/'))
    .toSorted();
}

/** A data directory and a source directory, imported into by the worker's functions in this thread. */
export interface ImportSite {
  readonly source: string;
  readonly imports: string;
  readonly libraryPath: string;
  readonly waypointsPath: string;
  readonly progress: ImportProgress;
  now: number;
  /** Imports `source`; the result is checked against its schema. */
  run(
    request?: Partial<ImportRequest>,
    task?: Partial<Pick<ImportTask, 'ownFiles' | 'hasIndex'>>,
  ): ImportOutcome;
  /** As `run`, with the answer only. */
  result(request?: Partial<ImportRequest>): Omit<ImportResult, 'dedup_count'>;
  reconcile(): FollowOutcome;
}

/** Makes a list of imports without any. @returns its path. */
export function emptyList(directory: string): string {
  const path = join(directory, 'list', 'waypoints.sqlite');
  mkdirSync(dirname(path), { recursive: true });
  const backupsDirectory = join(directory, 'list', 'backups');
  openWaypointStore({ path, backupsDirectory, companions: [], now: Date.now() }).close();
  return path;
}

/** Makes one with these files to import. */
export function importSite(
  t: ExecutionContext<unknown>,
  files: Readonly<Record<string, string>> = {},
): ImportSite {
  const root = realpathSync(temporaryDirectory(t));
  const libraryPath = join(root, 'data', 'library.sqlite');
  const site: ImportSite = {
    source: join(root, 'source'),
    imports: join(root, 'data', 'imports'),
    libraryPath,
    waypointsPath: emptyList(root),
    progress: new ImportProgress(),
    now: Date.now(),
    run(request = {}, { ownFiles = [], hasIndex = true } = {}) {
      const outcome = importDirectory({
        ...task(),
        request: { dir: site.source, ...request },
        ownFiles,
        hasIndex,
      });
      importResultSchema.omit({ dedup_count: true }).strict().parse(outcome.result);
      return outcome;
    },
    result: (request) => site.run(request).result,
    reconcile: () => followList(task()),
  };
  const task = () => ({
    libraryPath,
    waypointsPath: site.waypointsPath,
    importsDirectory: site.imports,
    progress: site.progress.shared,
    now: site.now,
  });
  mkdirSync(site.source);
  writeTree(site.source, files);
  mkdirSync(site.imports, { recursive: true });
  prepareLibrary(libraryPath, Date.now(), tryNameFolding(site.imports));
  return site;
}

/** The whole content of a library, without what differs between two that were made of the same files. */
export function dumpLibrary(libraryPath: string): Record<string, unknown[]> {
  const db = openReader(libraryPath);
  try {
    const all = (sql: string): unknown[] => db.prepare(sql).raw().all();
    return {
      files: all(`SELECT path, path_key, sha256, size, waypoints, observations, missing_times,
        invalid_times, unusable_points, first_ms, last_ms FROM files ORDER BY path`),
      waypoints:
        all(`SELECT f.path, w.id - f.first_waypoint, w.name, w.lat, w.lon, w.lat_e6, w.lon_e6,
        w.fields, coalesce(d.fields, w.fields), coalesce(d.shown, 1) FROM files f
        JOIN waypoints w ON w.file_id = f.id LEFT JOIN duplicates d ON d.waypoint = w.id
        ORDER BY f.path, w.id`),
      days: all(`SELECT f.path, d.day, d.kind, d.part, d.points, d.first_ms, d.last_ms, d.south_e7,
        d.west_e7, d.north_e7, d.east_e7, hex(d.blob) FROM days d JOIN files f ON f.id = d.file_id
        ORDER BY f.path, d.day, d.kind, d.part`),
    };
  } finally {
    db.close();
  }
}

/** For tests that look at nothing of the list of imports. */
export const noList = {
  settle: () => {},
  begin: () => ({ list: () => {}, end: () => undefined }),
  retentionTime: () => 0,
};
