import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  unwatchFile,
  utimesSync,
  watchFile,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { checkStores } from '../cli/doctor/check-stores.ts';
import { BookmarksMirror, type BookmarksMirrorOptions } from '../daemon/mirror/mirror.ts';
import { gpxHead, gpxTail, gpxWaypoint } from '../formats/gpx-text.ts';
import { bookmarksFileProblems, bookmarksFileRemedy } from '../model/bookmarks-file.ts';
import { prepareLibrary } from '../storage/library/prepare.ts';
import { WaypointStore } from '../storage/store.ts';
import { openWaypointStore } from '../storage/waypoints/open.ts';
import { readGpx } from '../formats/gpx/read-gpx.ts';
import { nullSink, type RecordedWaypoint } from '../model/recording.ts';
import type * as mirrorTasks from '../worker/mirror-tasks.ts';
import { draftMirror, publishMirror } from '../worker/mirror/rewrite.ts';
import { takeEdit } from '../worker/mirror/take-edit.ts';
import { startTestDaemon } from './helpers/daemon.ts';
import { rounds } from './helpers/effort.ts';
import { recordingLog } from './helpers/logs.ts';
import { manualTime, type ManualTime } from './helpers/manual-time.ts';
import { temporaryDirectory } from './helpers/temporary-directory.ts';
import { answerWhen, until } from './helpers/until.ts';
import { posix } from './helpers/where.ts';

/** The log line of a problem, once. */
function notWritten(reason: string): string {
  const problem = `${bookmarksFileProblems[reason]}. ${bookmarksFileRemedy}`;
  return `mirror.not_written ${JSON.stringify({ reason, problem })}`;
}

/** Windows has no permission bits, and links need a privilege there. */
const isWindows = process.platform === 'win32';

/** The worker's tasks, as the mirror sees them. */
type MirrorTasks = {
  [Name in keyof typeof mirrorTasks]: (
    request: Parameters<(typeof mirrorTasks)[Name]>[0],
  ) => Promise<Awaited<ReturnType<(typeof mirrorTasks)[Name]>>>;
};
type Changes = Partial<BookmarksMirrorOptions> & { readonly tasks?: Partial<MirrorTasks> };

/** The worker's part, run here. */
const tasks: MirrorTasks = {
  draft: async (request) => draftMirror(request),
  publish: async (request) => publishMirror(request),
  takeEdit: async (request) => takeEdit(request),
};

interface Bench {
  readonly root: string;
  readonly path: string;
  readonly backups: string;
  readonly store: WaypointStore;
  readonly time: ManualTime;
  /** Of `time`, negative: time in which this process got no CPU. */
  idleMs: number;
  readonly logged: string[];
  /** How often each task was started. */
  readonly calls: Record<keyof MirrorTasks, number>;
  merged: number;
  mirror: BookmarksMirror;
  /** A mirror on the same store, as a new process makes it. */
  restart(changes?: Changes): BookmarksMirror;
}

function makeBench(t: ExecutionContext, changes: Changes = {}): Bench {
  const root = temporaryDirectory(t);
  const waypointsPath = join(root, 'waypoints.sqlite');
  const libraryPath = join(root, 'library.sqlite');
  const backups = join(root, 'backups');
  prepareLibrary(libraryPath, 0);
  const db = openWaypointStore({
    path: waypointsPath,
    backupsDirectory: backups,
    companions: [],
    now: 0,
  });
  const store = new WaypointStore(db, libraryPath);
  const logged: string[] = [];
  const time = manualTime();
  const calls = { draft: 0, publish: 0, takeEdit: 0 };
  const bench: Bench = {
    root,
    path: join(root, 'bookmarks.gpx'),
    backups,
    store,
    time,
    idleMs: 0,
    logged,
    calls,
    merged: 0,
    mirror: undefined as unknown as BookmarksMirror,
    restart(more = {}) {
      const { tasks: own, ...others } = { ...changes, ...more };
      const given = { ...tasks, ...own };
      bench.mirror = new BookmarksMirror({
        path: bench.path,
        waypointsPath,
        backupsDirectory: backups,
        store,
        log: recordingLog(logged),
        ...time,
        workMs: () => time.clock.monotonic() + bench.idleMs,
        ...others,
        pool: {
          run(name, request) {
            calls[name] += 1;
            return given[name](request as never) as never;
          },
          close: async () => undefined,
          busyMs: 0,
        },
      });
      return bench.mirror;
    },
  };
  store.onChange = ({ kind }) => {
    if (kind === 'merge') bench.merged += 1;
  };
  bench.restart();
  t.teardown(async () => {
    await bench.mirror.close();
    store.close();
  });
  return bench;
}

/** Starts and waits for the first look at the file, which an empty store alone would not make. */
async function started(bench: Bench): Promise<Bench> {
  bench.mirror.start();
  if (bench.store.bookmarks.all().length === 0) bench.mirror.touch();
  await bench.mirror.flush();
  return bench;
}

/** Starts, and waits until it has failed and waits for its next try. */
async function startedInVain(bench: Bench): Promise<void> {
  bench.mirror.start();
  await until(() => bench.time.due().length > 0);
}

/** Has the mirror write what is new. @returns whether the file is up to date. */
function written({ mirror }: Bench): Promise<boolean> {
  mirror.touch();
  return mirror.flush();
}

function readWaypoints(path: string): RecordedWaypoint[] {
  const waypoints: RecordedWaypoint[] = [];
  readGpx([readFileSync(path)], { ...nullSink, waypoint: (waypoint) => waypoints.push(waypoint) });
  return waypoints;
}

const namesIn = (path: string): string[] => readWaypoints(path).map(({ name }) => name);
const namesOf = ({ store }: Bench): string[] => store.bookmarks.all().map(({ name }) => name);
const temporariesIn = (directory: string): string[] =>
  readdirSync(directory).filter((name) => name.endsWith('.tmp'));
const sha256Of = (path: string): string =>
  createHash('sha256').update(readFileSync(path)).digest('hex');
const tagsOf = ({ store }: Bench, name: string, lat = 1, lon = 2): string[] =>
  store.tagsOf({ name, lat, lon }).tags.map(({ raw }) => raw);

function gpx(...waypoints: Parameters<typeof gpxWaypoint>[0][]): string {
  return gpxHead() + waypoints.map(gpxWaypoint).join('') + gpxTail();
}

/** What an editor does: the file as it is, with more before its end. */
function insert(path: string, ...waypoints: Parameters<typeof gpxWaypoint>[0][]): void {
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, text.replace('</gpx>', `${waypoints.map(gpxWaypoint).join('')}</gpx>`));
}

function at(name: string, lat = 1, lon = 2): { name: string; lat: number; lon: number } {
  return { name, lat, lon };
}

test('a watched file that is not there yet starts no worker while there is nothing to mirror', async (t) => {
  const bench = makeBench(t, { isWatched: true });
  bench.mirror.start();
  // Node.js calls each listener of a file that is not there once, in their order.
  await new Promise<void>((resolve) => {
    const onLook = (): void => {
      unwatchFile(bench.path, onLook);
      resolve();
    };
    watchFile(bench.path, { interval: 1_000, persistent: false }, onLook);
  });
  t.deepEqual(bench.time.due(), []);
  t.is(bench.calls.draft, 0);
});

test('the mirror holds every bookmark with its tags, in creation order, for its owner alone', async (t) => {
  const bench = makeBench(t);
  const { store, path } = bench;
  const full = {
    ...at('B & <b>'),
    ele: 12.5,
    time: '2020-01-02T03:04:05Z',
    desc: 'by "the" river',
  };
  store.addBookmark(full, ['home', 'a&b']);
  store.addBookmark(at('A', -0.0000001, 180), []);
  await started(bench);
  const read = readWaypoints(path);
  t.is(new Set(read.map(({ stamp }) => stamp?.id)).size, 2);
  t.deepEqual(
    read.map(({ stamp: _stamp, ...rest }) => rest),
    [
      {
        ...at('B & <b>'),
        ele: 12.5,
        timeMs: Date.parse('2020-01-02T03:04:05Z'),
        desc: 'by "the" river',
        tags: ['home', 'a&b'],
        isOwnBookmark: true,
      },
      { ...at('A', -0.0000001, -180), tags: [], isOwnBookmark: true },
    ],
  );
  if (!isWindows) t.is(statSync(path).mode & 0o777, 0o600);
  t.deepEqual(temporariesIn(bench.root), []);
});

test('many changes are one rewrite, one second after the first; an idle mirror has no timer', async (t) => {
  const bench = await started(makeBench(t));
  const { mirror, time, store, calls, path } = bench;
  t.deepEqual(time.due(), []);
  store.addBookmark(at('A'), []);
  mirror.touch();
  time.advance(600);
  store.addBookmark(at('B'), []);
  mirror.touch();
  time.advance(399);
  t.is(calls.draft, 1);
  t.deepEqual(time.due(), [1]);
  time.advance(1);
  t.is(calls.draft, 2);
  await mirror.flush();
  t.deepEqual(namesIn(path), ['A', 'B']);
  t.deepEqual(time.due(), []);
});

test('rewriting takes at most a tenth of the time', async (t) => {
  const bench = makeBench(t, {
    tasks: {
      draft(request) {
        bench.time.advance(500);
        return tasks.draft(request);
      },
    },
  });
  await started(bench);
  bench.mirror.touch();
  t.deepEqual(bench.time.due(), [4_500]);
});

test('a rewrite that waited for other programs, or for the disk, rests as long as it took', async (t) => {
  const bench = makeBench(t, {
    tasks: {
      draft(request) {
        bench.time.advance(2_500);
        bench.idleMs -= 2_300;
        return tasks.draft(request);
      },
    },
  });
  await started(bench);
  bench.mirror.touch();
  t.deepEqual(bench.time.due(), [2_500]);
});

test('changes during a rewrite are written by the next one', async (t) => {
  const bench = makeBench(t, {
    tasks: {
      async publish(request) {
        if (bench.calls.publish === 1) {
          bench.store.addBookmark(at('B'), []);
          bench.mirror.touch();
        }
        return tasks.publish(request);
      },
    },
  });
  const { mirror, store, time, path } = bench;
  store.addBookmark(at('A'), []);
  await startedInVain(bench);
  t.deepEqual(namesIn(path), ['A']);
  t.deepEqual(time.due(), [1_000]);
  time.advance(1_000);
  await mirror.flush();
  t.deepEqual(namesIn(path), ['A', 'B']);
});

test('the same content is not written again', async (t) => {
  const bench = makeBench(t);
  bench.store.addBookmark(at('A'), []);
  await started(bench);
  const before = statSync(bench.path, { bigint: true });
  bench.store.meta.touch();
  t.true(await written(bench));
  await started({ ...bench, mirror: bench.restart() });
  const { ino, mtimeNs } = statSync(bench.path, { bigint: true });
  t.deepEqual([ino, mtimeNs], [before.ino, before.mtimeNs]);
  t.is(bench.calls.publish, 1);
  t.is(bench.logged.length, 0);
  t.deepEqual(temporariesIn(bench.root), []);
});

posix('a rewrite keeps the permissions of the file', async (t) => {
  const bench = await started(makeBench(t));
  chmodSync(bench.path, 0o640);
  bench.store.addBookmark(at('A'), []);
  t.true(await written(bench));
  t.is(statSync(bench.path).mode & 0o777, 0o640);
  t.deepEqual(namesIn(bench.path), ['A']);
});

test('an edit of the file while the daemon runs is merged before the next rewrite, and a copy stays', async (t) => {
  const bench = makeBench(t);
  const { store, path, backups } = bench;
  store.addBookmark(at('A'), ['old']);
  await started(bench);
  insert(path, { ...at('New'), ele: 3, tags: ['fresh'] }, { ...at('A'), tags: ['OLD', 'more'] });
  const edited = readFileSync(path);
  store.addBookmark(at('B'), []);
  t.true(await written(bench));
  t.deepEqual(namesOf(bench), ['A', 'B', 'New']);
  t.deepEqual(tagsOf(bench, 'A'), ['old', 'more']);
  t.deepEqual(tagsOf(bench, 'New'), ['fresh']);
  t.deepEqual(namesIn(path), ['A', 'B', 'New']);
  t.is(bench.merged, 1);
  const [copy = ''] = readdirSync(backups);
  t.regex(copy, /^bookmarks-edited-20240601T120000Z-[0-9a-f]{16}\.gpx$/);
  t.deepEqual(readFileSync(join(backups, copy)), edited);
  if (!isWindows) t.is(statSync(join(backups, copy)).mode & 0o777, 0o600);
  t.deepEqual(bench.logged, [
    'mirror.edit_merged {"waypoints":3,"added":1,"changed":1,"deleted":0,"refused":0}',
  ]);
});

test('an edit between the draft and the rename is merged, not overwritten', async (t) => {
  const bench = makeBench(t, {
    tasks: {
      async publish(request) {
        if (bench.calls.publish === 2) insert(bench.path, at('Late'));
        return tasks.publish(request);
      },
    },
  });
  await started(bench);
  bench.store.addBookmark(at('A'), []);
  t.true(await written(bench));
  t.deepEqual(namesOf(bench), ['A', 'Late']);
  t.deepEqual(namesIn(bench.path), ['A', 'Late']);
});

test('a file that appears between the draft and the rename is merged, not overwritten', async (t) => {
  const bench = makeBench(t, {
    tasks: {
      async publish(request) {
        if (bench.calls.publish === 1) writeFileSync(bench.path, gpx(at('Late')));
        return tasks.publish(request);
      },
    },
  });
  bench.store.addBookmark(at('A'), []);
  await started(bench);
  t.deepEqual(namesIn(bench.path), ['A', 'Late']);
});

test('a file that is written to all the time is left to its writer for now', async (t) => {
  let edits = 0;
  const bench = makeBench(t, {
    tasks: {
      async publish(request) {
        edits += 1;
        writeFileSync(bench.path, `${gpx(at(`Edit ${edits}`))}\n`);
        return tasks.publish(request);
      },
    },
  });
  bench.store.addBookmark(at('A'), []);
  await startedInVain(bench);
  t.deepEqual(bench.logged.slice(-1), ['mirror.not_written {"reason":"changing"}']);
  t.deepEqual(bench.time.due(), [1_000]);
  t.is(namesIn(bench.path).at(-1), `Edit ${edits}`);
});

test('a file without our stamps removes nothing; the fields it has are taken, and tags stay', async (t) => {
  const bench = makeBench(t);
  const { store, path } = bench;
  store.addBookmark({ ...at('Full'), ele: 1, time: '2020-01-01T00:00:00Z', desc: 'ours' }, ['x']);
  store.addBookmark(at('Bare'), []);
  store.addBookmark(at('Missing in the file'), ['y']);
  await started(bench);
  const theirs = { ele: 9, time: '2022-02-02T00:00:00Z', desc: 'theirs' };
  writeFileSync(
    path,
    gpx({ ...at('Full'), ...theirs, tags: ['x', 'z'] }, { ...at('Bare'), ...theirs }),
  );
  t.true(await written(bench));
  const withoutIds = store.bookmarks.all().map(({ id: _id, ...rest }) => rest);
  t.deepEqual(withoutIds, [
    { ...at('Full'), ...theirs },
    { ...at('Bare'), ...theirs },
    at('Missing in the file'),
  ]);
  t.deepEqual(tagsOf(bench, 'Full'), ['x', 'z']);
  t.deepEqual(tagsOf(bench, 'Missing in the file'), ['y']);
  t.deepEqual(namesIn(path), ['Full', 'Bare', 'Missing in the file']);
});

test('texts of the file come under the rules of the API', async (t) => {
  const bench = makeBench(t);
  const long = 'n'.repeat(600);
  writeFileSync(
    bench.path,
    gpx(
      { ...at(` ${long} `), tags: [' spaced ', '', '\t', 'T'.repeat(200), 'good'] },
      at('no place', 91, 0),
      at(''),
      at('e\u0301'),
    ),
  );
  await started(bench);
  t.deepEqual(namesOf(bench), ['n'.repeat(512), 'Waypoint 3', '\u00e9']);
  t.deepEqual(tagsOf(bench, 'n'.repeat(512)), ['spaced', 'T'.repeat(128), 'good']);
});

test('merging the same file again changes nothing, not even the revision', async (t) => {
  const bench = makeBench(t);
  const edited = gpx({ ...at('A'), tags: ['x'] }, { ...at('A'), ele: 3 }, at('B'));
  writeFileSync(bench.path, edited);
  await started(bench);
  const [revision, rows] = [bench.store.meta.revision(), bench.store.bookmarks.all()];
  // With another byte, as the merged content itself counts as ours.
  writeFileSync(bench.path, `${edited}\n`);
  t.true(await written(bench));
  t.is(bench.calls.takeEdit, 2);
  t.is(bench.store.meta.revision(), revision);
  t.deepEqual(bench.store.bookmarks.all(), rows);
  t.is(bench.merged, 1, 'the index is reloaded only when something changed');
});

test('coordinates that a program rounded still mean the same bookmark', async (t) => {
  const bench = makeBench(t);
  bench.store.addBookmark(at('A', 1.000_000_5, 2), []);
  await started(bench);
  // The rounded key is 1,000,001; a program that cuts digits writes its neighbour.
  writeFileSync(bench.path, gpx({ ...at('A', 1.0, 2), tags: ['cut'] }));
  t.true(await written(bench));
  t.deepEqual(namesOf(bench), ['A']);
  t.deepEqual(tagsOf(bench, 'A', 1.000_000_5), ['cut']);
});

test('of more tags than a waypoint may have the first are taken, and the file goes on', async (t) => {
  const bench = makeBench(t);
  bench.store.addBookmark(at('A', 1, 2), ['mine']);
  await started(bench);
  const tags = Array.from({ length: 1_001 }, (_, i) => `t${i}`);
  writeFileSync(bench.path, gpx({ ...at('A', 1, 2), tags }, { ...at('B', 3, 2), tags }));
  t.true(await written(bench));
  t.deepEqual(tagsOf(bench, 'A', 1), ['mine', ...tags.slice(0, 999)]);
  t.deepEqual(tagsOf(bench, 'B', 3), tags.slice(0, 1_000));
});

test('neighbouring identities in the file stay several bookmarks, whatever their order', async (t) => {
  const bench = makeBench(t);
  bench.store.addBookmark(at('A', 1.000_001, 2), []);
  await started(bench);
  const place = (lat: number, tag: string) => ({ ...at('A', lat, 2), tags: [tag] });
  writeFileSync(bench.path, gpx(place(1.000_002, '2'), place(1, '0'), place(1.000_001, '1')));
  t.true(await written(bench));
  t.deepEqual(
    readWaypoints(bench.path).map(({ lat, tags }) => [lat, ...tags]),
    [
      [1.000_001, '1'],
      [1.000_002, '2'],
      [1, '0'],
    ],
  );
});

test('a mirror merged into an empty store gives the same bookmarks and tags', async (t) => {
  const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 });
  const clean = text.map((value) => value.replaceAll(/[\p{Cc}\uFFFE\uFFFF]/gu, '').trim());
  const name = clean.filter((value) => value !== '').map((value) => value.normalize('NFC'));
  // Few values, so that many are the same place or neighbours.
  const degrees = fc.oneof(
    fc.integer({ min: -3, max: 3 }).map((part) => part / 1_000_000),
    fc.double({ min: -90, max: 90, noNaN: true }),
  );
  const bookmark = fc.record(
    { name, lat: degrees, lon: degrees, ele: fc.double({ noNaN: true, noDefaultInfinity: true }) },
    { requiredKeys: ['name', 'lat', 'lon'] },
  );
  const stocked = fc.tuple(bookmark, fc.array(name, { maxLength: 3 }));
  await fc.assert(
    fc.asyncProperty(fc.array(stocked, { maxLength: 12 }), async (entries) => {
      const [from, to] = [makeBench(t), makeBench(t)];
      for (const [fields, tags] of entries) {
        try {
          from.store.addBookmark(fields, tags);
        } catch {
          // The same identity twice.
        }
      }
      await started(from);
      writeFileSync(to.path, readFileSync(from.path));
      await started(to);
      t.deepEqual(readFileSync(to.path, 'utf8'), readFileSync(from.path, 'utf8'));
    }),
    { numRuns: rounds(15) },
  );
});

class Crash extends Error {
  readonly code = 'CRASH';
}

const crash = () => Promise.reject(new Crash());

/** Each lets a rewrite come so far and no further, as a crash does. */
const crashes: readonly [where: string, tasks: Partial<MirrorTasks>][] = [
  ['before the draft', { draft: crash }],
  [
    'between the draft and the commit of its hash',
    { draft: (request) => tasks.draft(request).then(crash) },
  ],
  ['between the commit of the hash and the rename', { publish: crash }],
  ['after the rename', { publish: (request) => tasks.publish(request).then(crash) }],
];

for (const [where, cut] of crashes) {
  test(`a crash ${where} leaves a whole file of ours, and a deleted bookmark stays deleted`, async (t) => {
    const bench = makeBench(t);
    const { store, path, calls } = bench;
    store.addBookmark(at('Gone'), []);
    store.addBookmark(at('Stays'), []);
    await started(bench);
    // Several in a row: each commits another hash without the file having changed.
    for (const name of ['B', 'C', 'D']) {
      if (name === 'B') store.removeBookmark(at('Gone'));
      store.addBookmark(at(name), []);
      bench.restart({ tasks: cut });
      await startedInVain(bench);
      t.true(readWaypoints(path).length >= 2);
      bench.time.forget();
    }
    bench.restart();
    await started(bench);
    t.is(calls.takeEdit, 0, 'nothing of ours is taken for an edit');
    t.deepEqual(namesOf(bench), ['Stays', 'B', 'C', 'D']);
    t.deepEqual(namesIn(path), ['Stays', 'B', 'C', 'D']);
    t.deepEqual(temporariesIn(bench.root), []);
  });
}

test('a crash in the middle of a merge leaves the store as it was: the merge is repeated', async (t) => {
  const bench = makeBench(t);
  const { store, path } = bench;
  store.addBookmark(at('A'), []);
  await started(bench);
  const names = Array.from({ length: 250 }, (_, index) => `E${index}`);
  insert(path, ...names.map((name) => ({ ...at(name), tags: ['t'] })));
  const breaking = new Proxy(store, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (key !== 'merge') return typeof value === 'function' ? value.bind(target) : value;
      return (write: () => unknown) =>
        target.merge(
          () => {
            write();
            throw new Crash();
          },
          () => undefined,
        );
    },
  });
  bench.restart({ store: breaking });
  await startedInVain(bench);
  t.deepEqual(bench.logged, ['mirror.not_written {"reason":"CRASH"}']);
  t.deepEqual(namesOf(bench), ['A'], 'all of it or nothing');
  t.is(namesIn(path).length, 251, 'the edit is still there');
  bench.time.forget();
  bench.restart();
  await started(bench);
  t.deepEqual(namesOf(bench), ['A', ...names]);
  t.deepEqual(namesIn(path), ['A', ...names]);
  t.is(readdirSync(bench.backups).length, 1, 'the same content is kept once');
});

test('a crash between a merge and the rewrite after it does not bring back what was deleted meanwhile', async (t) => {
  const bench = makeBench(t);
  writeFileSync(bench.path, `${gpx(at('A'), at('B'))}\n`);
  bench.restart({ tasks: { publish: crash } });
  await startedInVain(bench);
  t.deepEqual(namesOf(bench), ['A', 'B']);
  bench.store.removeBookmark(at('B'));
  bench.time.forget();
  bench.restart();
  await started(bench);
  t.deepEqual(namesIn(bench.path), ['A']);
});

const broken = '<?xml version="1.0"?><gpx version="1.1"><wpt lat="1" lon="2"><name>Half';

test('a half-saved file is left alone until it has stood for ten seconds, then kept in backups', async (t) => {
  const bench = makeBench(t);
  const { store, mirror, path, time, backups } = bench;
  store.addBookmark(at('A'), []);
  await started(bench);
  writeFileSync(path, broken);
  const future = new Date(time.clock.now() + 3_600_000);
  utimesSync(path, future, future);
  t.false(await written(bench));
  t.deepEqual(time.due(), [11_000]);
  writeFileSync(path, `${broken}er`);
  utimesSync(path, future, future);
  time.advance(11_000);
  await until(() => time.due().length > 0);
  t.is(readFileSync(path, 'utf8'), `${broken}er`, 'another content starts the ten seconds again');
  t.deepEqual(readdirSync(backups), []);
  time.advance(11_000);
  t.true(await mirror.flush());
  t.deepEqual(namesIn(path), ['A']);
  const [copy = ''] = readdirSync(backups);
  t.regex(copy, /^bookmarks-unreadable-/);
  t.is(readFileSync(join(backups, copy), 'utf8'), `${broken}er`);
  if (!isWindows) t.is(statSync(join(backups, copy)).mode & 0o777, 0o600);
  t.deepEqual(bench.logged, ['mirror.unreadable_file_kept_in_backups {}']);
});

test('a half-saved file that becomes whole is merged', async (t) => {
  const bench = await started(makeBench(t));
  const { mirror, path, time } = bench;
  writeFileSync(path, broken);
  utimesSync(path, new Date(time.clock.now()), new Date(time.clock.now()));
  t.false(await written(bench));
  writeFileSync(path, `${broken}way</name></wpt></gpx>`);
  time.advance(11_000);
  t.true(await mirror.flush());
  t.deepEqual(namesOf(bench), ['Halfway']);
  t.deepEqual(namesIn(path), ['Halfway']);
});

test('an old unreadable file is replaced at once; an empty one leaves no copy', async (t) => {
  const bench = await started(makeBench(t));
  const { store, path, time, backups } = bench;
  const old = new Date(time.clock.now() - 10_000);
  for (const [content, copies] of [
    ['', 0],
    [broken, 1],
  ] as const) {
    writeFileSync(path, content);
    utimesSync(path, old, old);
    store.addBookmark(at(`A${copies}`), []);
    t.true(await written(bench));
    t.is(readdirSync(backups).length, copies);
    t.is(namesIn(path).length, copies + 1);
  }
  writeFileSync(path, '');
  utimesSync(path, time.clock.now() / 1000, time.clock.now() / 1000);
  t.false(await written(bench), 'a fresh empty file may be one that is about to be written');
});

test('a file that never was ours and is no GPX is never replaced', async (t) => {
  const bench = makeBench(t);
  writeFileSync(bench.path, 'my diary');
  utimesSync(bench.path, 0, 0);
  bench.store.addBookmark(at('A'), []);
  await startedInVain(bench);
  t.deepEqual(bench.time.due(), [1_000]);
  bench.time.advance(1_000);
  await until(() => bench.time.due().length > 0);
  t.is(readFileSync(bench.path, 'utf8'), 'my diary');
  t.deepEqual(bench.logged, [notWritten('not_gpx')]);
  t.deepEqual(readdirSync(bench.backups), []);
});

test('of each kind the newest twenty copies are kept, and nothing else in backups is touched', async (t) => {
  const bench = makeBench(t);
  mkdirSync(bench.backups);
  const others = ['waypoints-v1-20200101T000000Z.sqlite', 'bookmarks-edited-mine.gpx'];
  for (const name of others) writeFileSync(join(bench.backups, name), 'other');
  const unreadable = 'bookmarks-unreadable-20200101T000000Z-0123456789abcdef.gpx';
  writeFileSync(join(bench.backups, unreadable), 'x');
  for (let index = 0; index < 23; index += 1) {
    const stamp = `202001${String(index + 1).padStart(2, '0')}T000000Z`;
    const name = `bookmarks-edited-${stamp}-${String(index).padStart(16, '0')}.gpx`;
    writeFileSync(join(bench.backups, name), 'old');
  }
  writeFileSync(bench.path, gpx(at('A')));
  const hash = sha256Of(bench.path).slice(0, 16);
  await started(bench);
  const names = readdirSync(bench.backups).toSorted();
  t.is(names.length, 20 + others.length + 1);
  for (const name of [...others, unreadable]) t.true(names.includes(name));
  t.true(names.includes(`bookmarks-edited-20240601T120000Z-${hash}.gpx`));
  t.true(names.some((name) => name.startsWith('bookmarks-edited-20200123')));
  t.false(names.some((name) => name.startsWith('bookmarks-edited-20200104')));
});

test('copies that a clock in the future has dated make room for that of an edit of now', async (t) => {
  const bench = makeBench(t);
  mkdirSync(bench.backups);
  for (let day = 10; day < 30; day += 1) {
    const name = `bookmarks-edited-209901${day}T000000Z-${String(day).padStart(16, '0')}.gpx`;
    writeFileSync(join(bench.backups, name), 'of a wrong clock');
  }
  writeFileSync(bench.path, gpx(at('A')));
  const edit = readFileSync(bench.path, 'utf8');
  await started(bench);
  const copies = readdirSync(bench.backups).map((name) => join(bench.backups, name));
  t.is(copies.length, 20);
  t.true(copies.some((copy) => readFileSync(copy, 'utf8') === edit));
});

test('tracks in an edited file remain in the copy, and the log says so', async (t) => {
  const bench = makeBench(t);
  const track =
    '<trk><trkseg><trkpt lat="1" lon="2"><time>2020-01-01T00:00:00Z</time></trkpt></trkseg></trk>';
  writeFileSync(bench.path, gpx(at('A')).replace('</gpx>', `${track}</gpx>`));
  await started(bench);
  t.deepEqual(bench.logged.slice(1), ['mirror.tracks_kept_in_backups_only {"track_points":1}']);
  const [copy = ''] = readdirSync(bench.backups);
  t.true(readFileSync(join(bench.backups, copy), 'utf8').includes(track));
});

test('the copy of an edit in the same second is newer than those of before', async (t) => {
  const bench = makeBench(t);
  mkdirSync(bench.backups);
  const names = Array.from({ length: 20 }, (_, at) => {
    const time = at === 0 ? '20260401T100000Z-ffff' : `202603${at + 10}T000000Z-0000`;
    return `bookmarks-edited-${time}${String(at).padStart(12, '0')}.gpx`;
  });
  for (const name of names) writeFileSync(join(bench.backups, name), name);
  writeFileSync(bench.path, gpx(at('A')));
  const now = () => Date.parse('2026-04-01T10:00:00Z');
  bench.restart({ clock: { ...bench.time.clock, now } });
  await started(bench);
  const kept = readdirSync(bench.backups);
  t.is(kept.length, 20);
  t.deepEqual(
    names.filter((name) => !kept.includes(name)),
    [names[1]],
  );
});

test('the copy of a file with tracks is kept, however many edits come after it', async (t) => {
  const bench = makeBench(t);
  const track = '<trk><trkseg><trkpt lat="1" lon="2"></trkpt></trkseg></trk>';
  writeFileSync(bench.path, gpx(at('A')).replace('</gpx>', `${track}</gpx>`));
  await started(bench);
  for (let day = 10; day < 30; day += 1) {
    const name = `bookmarks-edited-202603${day}T000000Z-${String(day).padStart(16, '0')}.gpx`;
    writeFileSync(join(bench.backups, name), 'a later edit');
  }
  const now = () => Date.parse('2026-04-01T10:00:00Z');
  bench.restart({ clock: { ...bench.time.clock, now } });
  insert(bench.path, at('B'));
  await started(bench);
  t.deepEqual(namesOf(bench), ['A', 'B']);
  const copies = readdirSync(bench.backups).map((name) => join(bench.backups, name));
  t.true(copies.some((copy) => readFileSync(copy, 'utf8').includes(track)));
  t.is(copies.length, 21);
});

test('a bookmarks file too large to merge is left alone', async (t) => {
  const bench = makeBench(t);
  const filler = `<!--${' '.repeat(65 * 1_048_576)}-->`;
  writeFileSync(bench.path, gpx(at('A')).replace('</gpx>', `${filler}</gpx>`));
  const before = statSync(bench.path).size;
  await startedInVain(bench);
  t.is(statSync(bench.path).size, before);
  t.deepEqual(bench.logged, [notWritten('too_large')]);
  t.deepEqual(namesOf(bench), []);
});

for (const isThere of [true, false]) {
  posix(
    `a link is written through to its target that is ${isThere ? '' : 'not '}there`,
    async (t) => {
      const bench = makeBench(t);
      const synced = join(bench.root, 'synced');
      mkdirSync(synced);
      const target = join(synced, 'places.gpx');
      if (isThere) writeFileSync(target, gpx(at('Synced')));
      symlinkSync(target, join(synced, 'second-link'));
      symlinkSync(join('synced', 'second-link'), bench.path);
      bench.store.addBookmark(at('A'), []);
      await started(bench);
      t.true(lstatSync(bench.path).isSymbolicLink());
      t.is(realpathSync(bench.path), realpathSync(target));
      t.deepEqual(namesIn(target), isThere ? ['A', 'Synced'] : ['A']);
      t.deepEqual(readdirSync(synced).toSorted(), ['places.gpx', 'second-link']);
    },
  );
}

test('what cannot be written is tried ever more rarely, said once, and mended when it can be', async (t) => {
  const bench = makeBench(t);
  const { mirror, time, path, logged } = bench;
  mkdirSync(path);
  mirror.start();
  const waits: number[] = [];
  for (let attempt = 0; attempt < 11; attempt += 1) {
    await until(() => time.due().length > 0);
    const [wait = 0] = time.due();
    waits.push(wait);
    mirror.touch();
    t.is(time.due().length, 1, 'a change does not bring the next try forward');
    time.advance(wait);
  }
  await until(() => time.due().length > 0);
  t.deepEqual(waits.slice(0, 4), [1_000, 2_000, 4_000, 8_000]);
  t.is(waits.at(-1), 300_000);
  t.deepEqual(logged, [notWritten('ENOTFILE')]);
  rmdirSync(path);
  time.advance(300_000);
  t.true(await mirror.flush());
  t.deepEqual(namesIn(path), []);
  t.deepEqual(time.due(), []);
});

test('a folder that is not there is not made: it may be a disk that is not mounted', async (t) => {
  const bench = makeBench(t);
  const folder = join(bench.root, 'not-mounted');
  bench.store.addBookmark(at('A'), []);
  bench.restart({ path: join(folder, 'bookmarks.gpx') });
  await startedInVain(bench);
  t.false(existsSync(folder));
  t.deepEqual(bench.logged, ['mirror.not_written {"reason":"ENOENT"}']);
  mkdirSync(folder);
  t.true(await bench.mirror.flush());
  t.deepEqual(readdirSync(folder), ['bookmarks.gpx']);
});

test('a stop does not wait for a worker that hangs, and a late worker finds nobody', async (t) => {
  const late = Promise.withResolvers<void>();
  const bench = makeBench(t, {
    tasks: {
      async draft(request) {
        await late.promise;
        return tasks.draft(request);
      },
    },
  });
  bench.store.addBookmark(at('A'), []);
  bench.mirror.start();
  await until(() => bench.calls.draft > 0);
  const closing = bench.mirror.close(3_000);
  t.deepEqual(bench.time.due(), [3_000]);
  bench.time.advance(3_000);
  await closing;
  t.deepEqual(bench.logged, ['mirror.stale_at_stop {}']);
  late.resolve();
  await new Promise((resolve) => setImmediate(resolve));
  t.is(bench.calls.publish, 0);
  t.is(bench.store.meta.get('mirror'), undefined);
  bench.mirror.touch();
  t.deepEqual(bench.time.due(), []);
});

test('a stop writes what is waiting', async (t) => {
  const bench = await started(makeBench(t));
  bench.store.addBookmark(at('Last'), []);
  bench.mirror.touch();
  await bench.mirror.close();
  t.deepEqual(namesIn(bench.path), ['Last']);
  t.deepEqual(bench.time.due(), []);
});

interface Named {
  readonly name: string;
  readonly tags?: string[];
}

test('an edit of bookmarks.gpx is found by lists, tags, search and clusters of the running daemon', async (t) => {
  const daemon = await startTestDaemon(t);
  const path = daemon.paths.bookmarksFile;
  await daemon.call('POST', '/api/bookmarks', at('First', 10, 20));
  await until(() => existsSync(path));
  insert(path, { ...at('From the file'), tags: ['home'] });
  await daemon.call('POST', '/api/bookmarks', at('From the API', 50, 60));
  // A stop brings the file up to date, and so merges it first.
  const again = await daemon.restart();
  await until(async () => (await again.get('/api/waypoints')).body.length === 3);
  const { body: list } = await again.get('/api/waypoints');
  t.deepEqual(
    list
      // The file is looked at each second, too: it may have been merged before the second call.
      .toSorted((a: Named, b: Named) => a.name.localeCompare(b.name))
      .map(({ name, tags }: Named) => [name, tags]),
    [
      ['First', undefined],
      ['From the API', undefined],
      ['From the file', ['home']],
    ],
  );
  insert(path, at('While it was read'));
  const last = await again.restart();
  const found = async (): Promise<number> =>
    (await last.get('/api/suggest?q=while')).body.suggestions.length;
  await until(async () => (await found()) > 0);
  t.is((await last.get('/api/clusters?zoom=0&grid=8')).body.length, 3);
  // On a slow machine the stop has left the file as it was, and the start brings it up to date.
  await until(() => namesIn(path).length === 4);
  t.deepEqual(namesIn(path).toSorted(), [
    'First',
    'From the API',
    'From the file',
    'While it was read',
  ]);
});

test('a bookmarks file that cannot be written fails no request, and the log has no path', async (t) => {
  const root = temporaryDirectory(t);
  mkdirSync(join(root, 'secret-place.gpx'));
  const settings = { bookmarks_file: join(root, 'secret-place.gpx') };
  const daemon = await startTestDaemon(t, { root, settings });
  t.is((await daemon.call('POST', '/api/bookmarks', at('A'))).status, 201);
  await daemon.close();
  const lines = daemon.logged.filter((line) => line.startsWith('mirror.'));
  t.deepEqual(lines, [notWritten('ENOTFILE'), 'mirror.stale_at_stop {}']);
});

test('a start with nothing to do starts no worker: no bookmark and no file, or a file that is what it should be', async (t) => {
  const bench = makeBench(t);
  bench.mirror.start();
  t.true(await bench.mirror.flush());
  t.is(bench.calls.draft, 0);
  t.false(existsSync(bench.path));
  bench.store.addBookmark(at('A'), []);
  t.true(await written(bench));
  const drafts = bench.calls.draft;
  bench.restart().start();
  t.true(await bench.mirror.flush());
  t.is(bench.calls.draft, drafts);
  insert(bench.path, at('B', 3, 4));
  bench.restart().start();
  t.true(await bench.mirror.flush());
  t.deepEqual(namesOf(bench), ['A', 'B']);
});

posix(
  'a file of another program to which the bookmarks file is made a link is never replaced, an empty one is',
  async (t) => {
    const root = temporaryDirectory(t);
    const daemon = await startTestDaemon(t, { root });
    const path = daemon.paths.bookmarksFile;
    t.is((await daemon.call('POST', '/api/bookmarks', at('A'))).status, 201);
    await until(() => existsSync(path));
    await daemon.close();
    const diary = join(root, 'diary.txt');
    writeFileSync(diary, 'my diary');
    utimesSync(diary, 1, 1);
    rmSync(path);
    symlinkSync(diary, path);
    const again = await startTestDaemon(t, { root });
    const problem = () => again.get('/api/status').then(({ body }) => body.bookmarks_file?.problem);
    t.is(await answerWhen(problem, (one) => one !== undefined), bookmarksFileProblems['not_gpx']);
    t.is((await again.call('POST', '/api/bookmarks', at('B'))).status, 201);
    await again.close();
    t.is(readFileSync(diary, 'utf8'), 'my diary');
    t.true(again.logged.includes(notWritten('not_gpx')));
    const [finding] = checkStores(again.paths, { isHeld: false, isThorough: false }).filter(
      ({ area }) => area === 'bookmarks file',
    );
    t.like(finding, { text: bookmarksFileProblems['not_gpx'], remedy: bookmarksFileRemedy });
    writeFileSync(diary, '');
    utimesSync(diary, 1, 1);
    const third = await startTestDaemon(t, { root });
    await until(() => readFileSync(diary, 'utf8').includes('<name>B</name>'));
    t.is((await third.get('/api/status')).body.bookmarks_file?.problem, undefined);
  },
);
