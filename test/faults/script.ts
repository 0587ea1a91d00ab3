/** A seeded day in the life of a daemon, and what has to be there after each step that was answered. */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Random } from '../../bench/random.ts';
import { until } from '../helpers/until.ts';
import { upload, type Running, type Site } from './site.ts';

export interface Bookmark {
  readonly name: string;
  readonly lat: number;
  readonly desc: string;
  readonly tags: readonly string[];
}

/** What the user has entrusted to the daemon. */
export interface State {
  readonly bookmarks: readonly Bookmark[];
  readonly queries: readonly string[];
  /** Imported path to the version of its content. */
  readonly files: ReadonlyMap<string, number>;
  /** Contents that were replaced: path and version. */
  readonly replaced: readonly (readonly [file: string, version: number])[];
  readonly objects: readonly number[];
}

export const nothing: State = {
  bookmarks: [],
  queries: [],
  files: new Map(),
  replaced: [],
  objects: [],
};

/** One request; those without `answers` only wait. */
export interface Step {
  readonly run: (daemon: Running, site: Site) => Promise<void>;
  readonly after: State;
  readonly isAnswered: boolean;
}

const importFolder = (site: Site): string => join(site.root, 'home', 'tracks');

/** How many waypoints a version of a file holds; the last of the files is larger than what is written in one piece. */
export const waypointsIn = (file: string): number => (file.includes('large') ? 2_000 : 12);

export const waypointName = (file: string, version: number, at: number): string =>
  `${file} v${version} n${at}`;

/** The content of an imported file; no two versions share a waypoint. */
export function contentOf(file: string, version: number): string {
  const lat = (version * 7 + file.length * 11 + file.charCodeAt(file.length - 5)) % 80;
  const wpts = Array.from(
    { length: waypointsIn(file) },
    (_, at) =>
      `<wpt lat="${lat}.${at}" lon="${version}"><name>${waypointName(file, version, at)}</name></wpt>`,
  );
  const day = String((version % 28) + 1).padStart(2, '0');
  const points = Array.from(
    { length: 200 },
    (_, at) =>
      `<trkpt lat="${lat}.${1000 + at}" lon="${version}"><time>2024-05-${day}T00:${String(at % 60).padStart(2, '0')}:00Z</time></trkpt>`,
  );
  return `<?xml version="1.0"?><gpx version="1.1" creator="faults" xmlns="http://www.topografix.com/GPX/1/1">${wpts.join('')}<trk><trkseg>${points.join('')}</trkseg></trk></gpx>\n`;
}

/** The bytes of an object; some of several pieces. */
export const objectOf = (number: number): Buffer =>
  Buffer.alloc(number % 3 === 0 ? 150_000 : 900, `object ${number} `);
export const oidOf = (content: Uint8Array | string): string =>
  createHash('sha256').update(content).digest('hex');

/** Makes the steps: all kinds at first, then a seeded mixture. */
export function makeScript(random: Random, length: number): Step[] {
  const steps: Step[] = [];
  const kinds = Object.values(makers);
  let state = nothing;
  for (let at = 0; at < length; at += 1) {
    const make = kinds[at] ?? random.pick(kinds);
    const step = make(state, at, random);
    steps.push(step);
    state = step.after;
  }
  return steps;
}

type Maker = (state: State, at: number, random: Random) => Step;

const lon = 7;
const placeOf = ({ name, lat }: Bookmark) => ({ name, lat, lon });
const queryOf = ({ name, lat }: Bookmark): string =>
  `name=${encodeURIComponent(name)}&lat=${lat}&lon=${lon}`;

function request(method: string, path: string, body: object | undefined, after: State): Step {
  return {
    isAnswered: true,
    after,
    run: async ({ done }) => void (await done(method, path, body)),
  };
}

const addBookmark: Maker = (state, at, random) => {
  const desc = random.oneIn(3) ? 'note '.repeat(600).trim() : '';
  const tags = random.oneIn(2) ? [`first ${at}`, 'home'] : [];
  const bookmark = { name: `Bookmark ${at}`, lat: random.below(80), desc, tags };
  const after = { ...state, bookmarks: [...state.bookmarks, bookmark] };
  return request('POST', '/api/bookmarks', { ...bookmark, lon }, after);
};

/** Steps on a bookmark that is there; another one is added where there is none. */
function onBookmark(change: (bookmark: Bookmark, state: State, at: number) => Step): Maker {
  return (state, at, random) =>
    state.bookmarks.length === 0
      ? addBookmark(state, at, random)
      : change(random.pick(state.bookmarks), state, at);
}

const withChange = (state: State, bookmark: Bookmark, change: Partial<Bookmark>): State => ({
  ...state,
  bookmarks: state.bookmarks.map((one) => (one === bookmark ? { ...one, ...change } : one)),
});

const describe = onBookmark((bookmark, state, at) => {
  const desc = `described in step ${at}`;
  const body = { oldName: bookmark.name, lat: bookmark.lat, lon, desc };
  return request('PATCH', '/api/bookmarks', body, withChange(state, bookmark, { desc }));
});

const tag = onBookmark((bookmark, state, at) => {
  const tags = [...bookmark.tags, `tag ${at}`];
  const body = { ...placeOf(bookmark), tag: `tag ${at}` };
  return request('POST', '/api/tags', body, withChange(state, bookmark, { tags }));
});

const remove = onBookmark((bookmark, state) => {
  const bookmarks = state.bookmarks.filter((one) => one !== bookmark);
  return request('DELETE', `/api/bookmarks?${queryOf(bookmark)}`, undefined, {
    ...state,
    bookmarks,
  });
});

const search: Maker = (state, at) => {
  const query = `query ${at}`;
  return request(
    'POST',
    '/api/history',
    { query },
    {
      ...state,
      queries: [query, ...state.queries],
    },
  );
};

/** Imports a folder in which some files are new and some have another content than before. */
const importFiles: Maker = (state, at, random) => {
  const names = ['a.gpx', 'b.gpx', 'deep/c.gpx', 'deep/er/d.gpx', 'large.gpx', `only-${at}.gpx`];
  const changed = names.filter(
    (name) => state.files.size === 0 || random.oneIn(2) || name.includes('only'),
  );
  const files = new Map([...state.files, ...changed.map((name) => [name, at] as const)]);
  const replaced = changed.flatMap((name) => {
    const version = state.files.get(name);
    return version === undefined ? [] : [[name, version] as const];
  });
  return {
    isAnswered: true,
    after: { ...state, files, replaced: [...state.replaced, ...replaced] },
    run: async ({ done }, site) => {
      const dir = importFolder(site);
      for (const name of changed) {
        mkdirSync(dirname(join(dir, name)), { recursive: true });
        writeFileSync(join(dir, name), contentOf(name, at));
      }
      const result = JSON.parse(await done('POST', '/api/import', { dir, recursive: true }));
      if (result.added + result.replaced !== changed.length) throw new Error('not all imported');
    },
  };
};

const putObject: Maker = (state, at) => {
  const content = objectOf(at);
  return {
    isAnswered: true,
    after: { ...state, objects: [...state.objects, at] },
    run: async (daemon) => {
      const status = await upload(daemon, oidOf(content), content);
      if (status !== 200) throw new Error(`the upload was answered ${status}`);
    },
  };
};

/** Waits until the bookmarks file shows the newest bookmark. */
const awaitMirror: Maker = (state) => ({
  isAnswered: false,
  after: state,
  run: async (_daemon, { data }) => {
    const name = state.bookmarks.at(-1)?.name;
    if (name === undefined) return;
    await until(() => {
      try {
        return readFileSync(join(data, 'bookmarks.gpx'), 'utf8').includes(name);
      } catch {
        return false;
      }
    });
  },
});

const makers = {
  addBookmark,
  importFiles,
  tag,
  putObject,
  awaitMirror,
  describe,
  search,
  importAgain: importFiles,
  addAnother: addBookmark,
  remove,
};
