/**
 * Kills at each sync and each change of a name while imported files are removed, restored and taken back, and while an edit
 * of the bookmarks file is merged.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { untilPrinted } from '../helpers/cli.ts';
import { filesBelow } from '../helpers/imports.ts';
import { atEachCall, type Injection } from './each-call.ts';
import { contentOf } from './script.ts';
import { siteIn, start, type KillOptions, type Running, type Site } from './site.ts';

/** A bookmark that another program writes. */
const fromElsewhere = 'From elsewhere';
/** Longest wait for what a start does by itself. */
const mergeMs = 10_000;

const env = { WAYPOINTD_OBJECTS: 'false' };

/** Does something to a store. @returns whether it was done and answered. */
type Deed = (daemon: Running, site: Site) => Promise<boolean>;

const asking =
  (method: string, path: string, body?: object): Deed =>
  async ({ ask }) =>
    (await ask(method, path, body)).status === 200;

/** What is done to a store of a bookmark, three files of one import and one that was removed. */
const deeds = {
  remove: asking('DELETE', '/api/imports/1'),
  erase: asking('DELETE', '/api/imports/1?forever=true'),
  restore: asking('POST', '/api/imports/4/restore'),
  undo: asking('POST', '/api/changes/1/undo'),
  salvage(daemon, site) {
    const dir = join(site.root, 'home', 'damaged');
    mkdirSync(dir, { recursive: true });
    writeFileSync(join(dir, 'e.gpx'), contentOf('e.gpx', 1).replace('</gpx>', ''));
    return asking('POST', '/api/import', { dir, salvage: true })(daemon, site);
  },
  async merge({ done }, { data }) {
    const file = join(data, 'bookmarks.gpx');
    const wpt = `<wpt lat="7" lon="7"><name>${fromElsewhere}</name></wpt></gpx>`;
    const edited = readFileSync(file, 'utf8').replace('</gpx>', wpt);
    writeFileSync(file, edited);
    // It is over when the daemon has written the file in its own form.
    while (readFileSync(file, 'utf8') === edited) {
      await delay(20);
      await done('GET', '/api/status');
    }
    return (await done('GET', '/api/waypoints')).includes(fromElsewhere);
  },
} satisfies Record<string, Deed>;

/** @returns how often a daemon was killed. */
export async function killImportChanges({ directory, stride, onFault }: KillOptions) {
  const origin = siteIn(join(directory, 'origin'), env);
  const before = await fill(origin);
  let kills = 0;
  for (const deed of Object.keys(deeds) as (keyof typeof deeds)[]) {
    const after = await onCopy(origin, async (site) => {
      const daemon = await start(site);
      await deeds[deed](daemon, site);
      return stateAfter(daemon, site);
    });
    // A file of an import that was cut off is adopted, which is no change; an edit outlasts the daemon.
    const adopted = deed === 'salvage' ? [{ ...after, changes: before.changes }] : [];
    const whole = deed === 'merge' ? [after] : [before, after, ...adopted];
    kills += await atEachCall(stride, async (call, inject) => {
      const { isAnswered, found } = await onCopy(origin, (site) => killOnce(site, deed, inject));
      const where = `${deed}, killed at ${call}`;
      if (!whole.some((state) => isDeepStrictEqual(found, state)))
        onFault(`${where}: half done: ${JSON.stringify(found)}`);
      else if (isAnswered && !isDeepStrictEqual(found, after))
        onFault(`${where}: answered and not there`);
      return !isAnswered;
    });
  }
  return kills;
}

/** Imports, and removes one file. @returns the state. */
async function fill(site: Site): Promise<State> {
  const daemon = await start(site);
  const dir = join(site.root, 'home', 'tracks');
  for (const files of [['a.gpx', 'b.gpx', 'c.gpx'], ['d.gpx']]) {
    rmSync(dir, { recursive: true, force: true });
    mkdirSync(dir);
    for (const file of files) writeFileSync(join(dir, file), contentOf(file, 1));
    await daemon.done('POST', '/api/import', { dir });
  }
  await daemon.done('DELETE', '/api/imports/4');
  await daemon.done('POST', '/api/bookmarks', { name: 'Home', lat: 41, lon: -8 });
  return stateAfter(daemon, site);
}

async function onCopy<T>(origin: Site, work: (site: Site) => Promise<T>): Promise<T> {
  const site = siteIn(`${origin.root}-copy`, env);
  try {
    cpSync(origin.data, site.data, { recursive: true, preserveTimestamps: true });
    return await work(site);
  } finally {
    rmSync(site.root, { recursive: true, force: true });
  }
}

async function killOnce(site: Site, deed: keyof typeof deeds, inject: Injection) {
  const daemon = await start(site);
  await settled(daemon);
  const words = ['-f', '-p', String(daemon.pid), '-o', '/dev/null', ...inject];
  const strace = spawn('strace', words);
  await untilPrinted(strace.stderr, /attached/u);
  const ended = once(strace, 'exit');
  const isAnswered = await deeds[deed](daemon, site).catch(() => false);
  // SIGTERM does not end strace where it missed the end of a thread that it had just attached to.
  strace.kill('SIGKILL');
  await ended;
  await daemon.end('SIGKILL').catch(() => undefined);
  const again = await start(site);
  if (deed === 'merge') await merged(again);
  return { isAnswered, found: await stateAfter(again, site) };
}

/** Waits for the edit of the bookmarks file, which is merged after a start. */
async function merged({ done }: Running): Promise<void> {
  for (const end = performance.now() + mergeMs; performance.now() < end; await delay(20))
    if ((await done('GET', '/api/waypoints')).includes(fromElsewhere)) return;
}

async function settled({ done }: Running): Promise<void> {
  for (;;) {
    const { library } = JSON.parse(await done('GET', '/api/status'));
    if (library.state !== 'reading') return;
  }
}

interface State {
  readonly names: readonly string[];
  readonly files: readonly string[];
  readonly changes: readonly string[];
  readonly copies: readonly string[];
}

/** All that a change of imported files concerns, and ends the daemon. */
async function stateAfter(daemon: Running, site: Site): Promise<State> {
  await settled(daemon);
  const asked = async (path: string) => JSON.parse(await daemon.done('GET', path));
  const { files } = await asked('/api/imports');
  const { changes } = await asked('/api/changes');
  const state = {
    names: (await asked('/api/waypoints')).map(({ name }: { name: string }) => name).toSorted(),
    files: files.map((file: { id: number; state: string; waypoints: number; broken_at?: number }) =>
      [file.id, file.state, file.waypoints, file.broken_at].join(' '),
    ),
    changes: changes.map((change: { id: number; kind: string; count: number; undone: boolean }) =>
      [change.id, change.kind, change.count, change.undone].join(' '),
    ),
    copies: filesBelow(join(site.data, 'imports')),
  };
  await daemon.end();
  return state;
}
