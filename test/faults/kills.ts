/** Kills at each sync and each change of a name during a start; the next start has to open, with everything there. */
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openReader } from '../../storage/database.ts';
import { contentOf, waypointsIn } from './script.ts';
import { siteIn, start, tryStart, type Running, type Site } from './site.ts';

/** Each thread counts its own calls: the n-th of a kind, in whichever thread comes to it first. */
const killers = {
  sync: 'fsync,fdatasync',
  name: 'rename,renameat,renameat2,link,linkat,unlink,unlinkat,mkdir,mkdirat,rmdir',
};

export interface KillOptions {
  /** A directory of the caller's, which is empty. */
  readonly directory: string;
  /** Every how many calls one is killed: 1 for each. */
  readonly stride: number;
  readonly onFault: (fault: string) => void;
}

interface Beginning {
  readonly named: string;
  /** Makes the directory as it is before the start. */
  readonly prepare: (site: Site) => void;
  /** What has to be in the list. */
  readonly waypoints: number;
}

/** Kills starts on an empty directory, and on one that was restored from a copy. */
export async function killStarts(options: KillOptions): Promise<{ readonly kills: number }> {
  const restored = await makeRestored(join(options.directory, 'origin'));
  const beginnings: Beginning[] = [
    { named: 'first start', prepare: () => undefined, waypoints: 0 },
    { named: 'first start after restoring', ...restored },
  ];
  let kills = 0;
  for (const beginning of beginnings) {
    for (const [kind, calls] of Object.entries(killers)) {
      for (let count = 1; ; count += options.stride) {
        const root = join(options.directory, `${kind}-${count}`);
        const isKilled = await killOnce(siteIn(root), beginning, calls, count, (fault) =>
          options.onFault(`${beginning.named}, killed at ${kind} ${count}: ${fault}`),
        );
        rmSync(root, { recursive: true, force: true });
        if (!isKilled) break;
        kills += 1;
      }
    }
  }
  return { kills };
}

/** @returns whether the start came to that call. */
async function killOnce(
  site: Site,
  { prepare, waypoints }: Beginning,
  calls: string,
  count: number,
  onFault: (fault: string) => void,
): Promise<boolean> {
  prepare(site);
  const inject = ['-e', `trace=${calls}`, '-e', `inject=${calls}:signal=KILL:when=${count}`];
  const first = await tryStart(site, ['strace', '-D', '-f', '-o', '/dev/null', ...inject]);
  if ('ask' in first) {
    // What the worker does after the start is killed as well.
    await settled(first).catch(() => undefined);
    await first.end();
    if (first.child.signalCode === null) return false;
  }
  const next = await tryStart(site);
  if (!('ask' in next)) {
    onFault(`the next start ended with ${next.code ?? next.signal}: ${next.stderr}`);
    return true;
  }
  try {
    const found = await settled(next);
    if (found !== waypoints) onFault(`${found} waypoints instead of ${waypoints}`);
    await next.done('POST', '/api/bookmarks', { name: 'New', lat: 1, lon: 2 });
  } catch (error) {
    onFault(String(error));
  }
  const code = await next.end();
  if (code !== 0) onFault(`it ended with ${code}`);
  return true;
}

/** Waits for the imported files. @returns how many waypoints there are. */
async function settled({ done }: Running): Promise<number> {
  for (;;) {
    const { library } = JSON.parse(await done('GET', '/api/status'));
    if (library.state !== 'reading') break;
  }
  return JSON.parse(await done('GET', '/api/waypoints')).length;
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
