/** What a daemon makes of a directory that a power cut has left, compared with what it had acknowledged. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readGpx } from '../../formats/gpx/read-gpx.ts';
import { nullSink } from '../../model/recording.ts';
import { answerWhen } from '../helpers/until.ts';
import {
  contentOf,
  objectOf,
  oidOf,
  waypointName,
  waypointsIn,
  type Bookmark,
  type State,
} from './script.ts';
import { download, tryCommand, tryStart, type Running, type Site } from './site.ts';

/** What was answered, and what a request that was on its way may have made of it. */
export interface Expected {
  readonly answered: State;
  readonly perhaps: State;
  /** Contents that the bookmarks file may have: those of every moment until now. */
  readonly before: readonly State[];
}

interface ListedWaypoint {
  readonly name: string;
  readonly lat: number;
  readonly desc?: string;
  readonly tags?: readonly string[];
  readonly bookmark: boolean;
}

export const toBookmark = ({
  name,
  lat,
  desc = '',
  tags = [],
}: Omit<ListedWaypoint, 'bookmark'>): Bookmark => ({
  name,
  lat,
  desc,
  tags,
});

/** Whether a value is what one of two states has. */
function isOneOf(found: unknown, wanted: readonly unknown[]): boolean {
  return wanted.some((one) => JSON.stringify(one) === JSON.stringify(found));
}

/** Starts on an image and looks at everything. @returns what is wrong; nothing, as a rule. */
export async function examineImage(site: Site, expected: Expected): Promise<string[]> {
  const faults = mirrorFaults(site, expected);
  const doctor = await tryCommand(site, ['doctor', '--json']);
  const started = await tryStart(site);
  if (!('ask' in started)) {
    return [...faults, `it does not start: ${started.code ?? started.signal} ${started.stderr}`];
  }
  try {
    faults.push(...doctorFaults(doctor.stdout));
    faults.push(...(await contentFaults(started, site, expected)));
  } catch (error) {
    faults.push(String(error));
  }
  const code = await started.end();
  if (code !== 0) faults.push(`it ended with ${code}`);
  if (/"level":"error"/u.test(started.log())) faults.push(`an error was logged: ${started.log()}`);
  return faults;
}

/** A store that starts must not be called a problem before. */
function doctorFaults(printed: string): string[] {
  const { findings } = JSON.parse(printed) as {
    findings: readonly { area: string; level: string; text: string }[];
  };
  return findings
    .filter(({ area, level }) => level === 'problem' && /store|data|bookmarks|objects/u.test(area))
    .map(({ area, text }) => `doctor about ${area}: ${text}`);
}

/** The file is whole at every moment, and shows a state that was. */
function mirrorFaults({ data }: Site, { before }: Expected): string[] {
  const path = join(data, 'bookmarks.gpx');
  if (!existsSync(path)) return [];
  try {
    const bookmarks = readBookmarks(path);
    const known = before.map((state) => state.bookmarks);
    return isOneOf(bookmarks, known) ? [] : ['the bookmarks file shows a state that never was'];
  } catch {
    return ['the bookmarks file is not whole'];
  }
}

/** What a bookmarks file holds; throws where it is not whole. */
export function readBookmarks(path: string): Bookmark[] {
  const bookmarks: Bookmark[] = [];
  readGpx([readFileSync(path)], {
    ...nullSink,
    waypoint: (waypoint) => bookmarks.push(toBookmark(waypoint)),
  });
  return bookmarks;
}

async function contentFaults(daemon: Running, site: Site, expected: Expected): Promise<string[]> {
  const { answered, perhaps } = expected;
  await answerWhen(
    async () => JSON.parse(await daemon.done('GET', '/api/status')).library.state,
    (state) => state !== 'reading',
  );
  const all: ListedWaypoint[] = JSON.parse(await daemon.done('GET', '/api/waypoints'));
  const bookmarks = all.filter(({ bookmark }) => bookmark).map(toBookmark);
  const faults: string[] = [];
  if (!isOneOf(bookmarks, [answered.bookmarks, perhaps.bookmarks]))
    faults.push(
      `bookmarks: ${bookmarks.map(({ name, tags }) => `${name} (${tags.join()})`).join()}`,
    );
  const { queries } = JSON.parse(await daemon.done('GET', '/api/recent_suggest?limit=200'));
  if (!isOneOf(queries, [answered.queries, perhaps.queries])) faults.push('recent searches differ');
  const imported = all.filter(({ bookmark }) => !bookmark).map(({ name }) => name);
  faults.push(...importFaults(site, imported, expected));
  faults.push(...(await objectFaults(daemon, expected)));
  return faults;
}

/** Each file is there whole, in one version, in the list and on the disk; what a replacement displaced is kept. */
function importFaults({ data }: Site, listed: readonly string[], expected: Expected): string[] {
  const { answered, perhaps } = expected;
  const faults: string[] = [];
  const found = new Set(listed);
  let wanted = 0;
  for (const file of perhaps.files.keys()) {
    const versions = [answered.files.get(file), perhaps.files.get(file)];
    const version = versions.find(
      (one) => one !== undefined && found.has(waypointName(file, one, 0)),
    );
    if (version === undefined) {
      if (versions[0] !== undefined) faults.push(`${file} is not in the list`);
      continue;
    }
    wanted += waypointsIn(file);
    const names = Array.from({ length: waypointsIn(file) }, (_, at) =>
      waypointName(file, version, at),
    );
    if (!names.every((name) => found.has(name))) faults.push(`${file} is half there`);
    const path = join(data, 'imports', file);
    if (!existsSync(path)) faults.push(`${file} has no copy`);
    else if (readFileSync(path, 'utf8') !== contentOf(file, version))
      faults.push(`the copy of ${file} is another one`);
  }
  if (wanted !== listed.length) faults.push(`${listed.length} waypoints instead of ${wanted}`);
  for (const [file, version] of answered.replaced) {
    const content = contentOf(file, version);
    const kept = join(data, 'imports', '.replaced', `${oidOf(content)}.gpx`);
    if (!existsSync(kept) || readFileSync(kept, 'utf8') !== content)
      faults.push(`the replaced bytes of ${file} are gone`);
  }
  return faults;
}

async function objectFaults(daemon: Running, { answered, perhaps }: Expected): Promise<string[]> {
  const faults: string[] = [];
  for (const number of perhaps.objects) {
    const content = objectOf(number);
    const found = await download(daemon, oidOf(content));
    if (found === undefined && answered.objects.includes(number)) faults.push('an object is gone');
    else if (found?.equals(content) === false) faults.push('an object is not whole');
  }
  return faults;
}
