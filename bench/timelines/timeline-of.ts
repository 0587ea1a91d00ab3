import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { AdminLookup } from '../../model/admin-place.ts';
import { timelineResultSchema, type TimelineResult } from '../../model/timeline-result.ts';
import { prepareLibrary } from '../../storage/library/prepare.ts';
import { emptyList } from '../../test/helpers/imports.ts';
import { importDirectory } from '../../worker/import/import-directory.ts';
import { ImportProgress } from '../../worker/import/progress.ts';
import { buildTimeline, type TimelineTask } from '../../worker/timeline-tasks.ts';
import { buildTimeline as buildWith } from '../../worker/timeline/build.ts';
import { TimelineControl } from '../../worker/timeline/control.ts';
import { timelineOptions } from '../../worker/timeline/options.ts';
import type { GpxFile } from './gpx-files.ts';

/** A library of imported files in a temporary directory. */
export interface FilledLibrary {
  readonly path: string;
  remove(): void;
}

/** A geodata generation, null for none. `lookup` is open: opening one takes longer than most timelines. */
export interface Geodata extends Pick<TimelineTask, 'geodataPath' | 'dataset'> {
  readonly lookup?: AdminLookup;
}

export const noGeodata: Geodata = { geodataPath: null, dataset: null };

/** Imports files the way the daemon's worker does, in this thread. */
export function importFiles(files: readonly GpxFile[]): FilledLibrary {
  const root = mkdtempSync(join(tmpdir(), 'waypointd-timelines-'));
  const [source, imports] = [join(root, 'source'), join(root, 'imports')];
  for (const directory of [source, imports]) mkdirSync(directory);
  for (const { name, text } of files) writeFileSync(join(source, name), text);
  const libraryPath = join(root, 'library.sqlite');
  prepareLibrary(libraryPath, 0);
  const { result } = importDirectory({
    libraryPath,
    waypointsPath: emptyList(root),
    importsDirectory: imports,
    progress: new ImportProgress().shared,
    now: 0,
    request: { dir: source },
    ownFiles: [],
    hasIndex: true,
  });
  if (result.failed > 0) throw new Error('a generated file was refused');
  return { path: libraryPath, remove: () => rmSync(root, { recursive: true, force: true }) };
}

/** Days since 1970, both inclusive, UTC or of a zone. */
export type DaysOf = Pick<TimelineTask, 'startDay' | 'endDay' | 'timeZone'>;

/** Makes the timeline of some days in this thread. @returns its text. */
export function timelineText(
  libraryPath: string,
  { startDay, endDay, timeZone = 'UTC' }: DaysOf,
  { geodataPath, dataset, lookup }: Geodata,
): string {
  const control = new TimelineControl().shared;
  const task = { libraryPath, startDay, endDay, timeZone, control, geodataPath, dataset };
  const outcome =
    lookup === undefined || dataset === null
      ? buildTimeline(task)
      : buildWith({ ...task, ...noGeodata }, { ...timelineOptions, geodata: { lookup, dataset } });
  if (outcome.state !== 'completed') throw new Error('nobody cancelled it');
  return gunzipSync(outcome.json).toString();
}

export function parseTimeline(text: string): TimelineResult {
  return timelineResultSchema.parse(JSON.parse(text));
}
