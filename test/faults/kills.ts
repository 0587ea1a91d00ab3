/**
 * Kills at each sync and each change of a name during a start, and during the restoring of a backup; the next start has to
 * open, with everything there.
 */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { openReader } from '../../storage/database.ts';
import { atEachCall, type Injection } from './each-call.ts';
import { contentOf, waypointsIn } from './script.ts';
import {
  command,
  siteIn,
  start,
  tryCommand,
  tryStart,
  type KillOptions,
  type Running,
  type Site,
} from './site.ts';

/** Longest wait for what a start does by itself. */
const mergeMs = 10_000;

interface Beginning {
  readonly named: string;
  /** Makes the directory as it is before the start. */
  readonly prepare: (site: Site) => void;
  /** What has to be in the list. */
  readonly waypoints: number;
}

const killedBy = (inject: Injection): string[] => {
  return ['strace', '-D', '-f', '-o', '/dev/null', ...inject];
};

/** Kills starts on an empty directory, on one that was restored from a copy, and on one whose bookmarks file was changed. */
export async function killStarts({ directory, stride, onFault }: KillOptions) {
  const restored = await makeRestored(join(directory, 'origin'));
  const beginnings: Beginning[] = [
    { named: 'first start', prepare: () => undefined, waypoints: 0 },
    { named: 'first start after restoring', ...restored },
    { named: 'start that merges the bookmarks file', ...merging(restored) },
  ];
  let kills = 0;
  for (const beginning of beginnings) {
    kills += await atEachCall(stride, async (call, inject) => {
      const site = siteIn(join(directory, call.replace(' ', '-')));
      const isKilled = await killOnce(site, beginning, inject, (fault) =>
        onFault(`${beginning.named}, killed at ${call}: ${fault}`),
      );
      rmSync(site.root, { recursive: true, force: true });
      return isKilled;
    });
  }
  return { kills };
}

/** @returns whether the start came to that call. */
async function killOnce(
  site: Site,
  { prepare, waypoints }: Beginning,
  inject: Injection,
  onFault: (fault: string) => void,
): Promise<boolean> {
  prepare(site);
  const first = await tryStart(site, killedBy(inject));
  if ('ask' in first) {
    // What the worker does after the start is killed as well.
    await settled(first, waypoints).catch(() => undefined);
    await first.end();
    if (first.child.signalCode === null) return false;
  }
  const next = await tryStart(site);
  if (!('ask' in next)) {
    onFault(`the next start ended with ${next.code ?? next.signal}: ${next.stderr}`);
    return true;
  }
  try {
    const found = await settled(next, waypoints);
    if (found !== waypoints) onFault(`${found} waypoints instead of ${waypoints}`);
    await next.done('POST', '/api/bookmarks', { name: 'New', lat: 1, lon: 2 });
  } catch (error) {
    onFault(String(error));
  }
  const code = await next.end();
  if (code !== 0) onFault(`it ended with ${code}`);
  return true;
}

/** Waits for the imported files, and for a merge. @returns how many waypoints there are. */
async function settled({ done }: Running, waypoints: number): Promise<number> {
  for (const end = performance.now() + mergeMs; ; await delay(20)) {
    const { library } = JSON.parse(await done('GET', '/api/status'));
    if (library.state === 'reading') continue;
    const found = JSON.parse(await done('GET', '/api/waypoints')).length;
    if (found === waypoints || performance.now() > end) return found;
  }
}

/** The same with a bookmark that another program has added to the bookmarks file. */
function merging({ prepare, waypoints }: Omit<Beginning, 'named'>): Omit<Beginning, 'named'> {
  return {
    waypoints: waypoints + 1,
    prepare: (site) => {
      prepare(site);
      const file = join(site.data, 'bookmarks.gpx');
      const other = '<wpt lat="7" lon="7"><name>From elsewhere</name></wpt></gpx>';
      writeFileSync(file, readFileSync(file, 'utf8').replace('</gpx>', other));
    },
  };
}

/**
 * Kills the restoring of a backup over a store: what was there or what is restored is whole, or the next start says that a
 * store is gone, and to restore again mends that. @returns how often it was killed.
 */
export async function killRestores({ directory, stride, onFault }: KillOptions): Promise<number> {
  const { prepare, waypoints } = await makeRestored(join(directory, 'origin'));
  const backup = join(directory, 'backup.tar');
  const source = siteIn(join(directory, 'source'));
  prepare(source);
  await command(source, ['backup', 'create', backup]);
  const words = ['backup', 'restore', backup];
  return atEachCall(stride, async (call, inject) => {
    const where = `restore, killed at ${call}`;
    const site = siteIn(join(directory, call.replace(' ', '-')));
    const before = await start(site);
    await before.done('POST', '/api/bookmarks', { name: 'Old', lat: 1, lon: 2 });
    await before.end();
    const { code } = await tryCommand(site, words, '', killedBy(inject));
    let next = await tryStart(site);
    if (!('ask' in next) && next.code === 74) {
      await command(site, words);
      next = await tryStart(site);
    }
    if ('ask' in next) {
      const found = await settled(next, waypoints);
      const isWhole = found === waypoints || (code !== 0 && found === 1);
      if (!isWhole) onFault(`${where}: ${found} waypoints`);
      await next.end();
    } else onFault(`${where}: the next start ended with ${next.code}: ${next.stderr}`);
    rmSync(site.root, { recursive: true, force: true });
    return code !== 0;
  });
}

/** Fills a store; what is restored of it are a copy that SQLite has made, the bookmarks file and the imports. */
async function makeRestored(root: string): Promise<Omit<Beginning, 'named'>> {
  const site = siteIn(root);
  const dir = join(root, 'home', 'tracks');
  mkdirSync(dir);
  const files = ['a.gpx', 'b.gpx', 'c.gpx'];
  for (const file of files) writeFileSync(join(dir, file), contentOf(file, 1));
  const daemon = await start(site);
  const bookmarks = 60;
  for (let at = 0; at < bookmarks; at += 1)
    await daemon.done('POST', '/api/bookmarks', { name: `Bookmark ${at}`, lat: at, lon: 3 });
  await daemon.done('POST', '/api/import', { dir });
  await daemon.end();
  const db = openReader(join(site.data, 'waypoints.sqlite'));
  const copy = join(root, 'copy.sqlite');
  db.prepare('VACUUM INTO ?').run(copy);
  db.close();
  const imported = files.reduce((sum, file) => sum + waypointsIn(file), 0);
  return {
    waypoints: bookmarks + imported,
    prepare: ({ data }) => {
      mkdirSync(data, { recursive: true, mode: 0o700 });
      cpSync(copy, join(data, 'waypoints.sqlite'));
      cpSync(join(site.data, 'bookmarks.gpx'), join(data, 'bookmarks.gpx'));
      cpSync(join(site.data, 'imports'), join(data, 'imports'), { recursive: true });
    },
  };
}
