/** kill -9 while a bookmarks file is merged whose every change conflicts: the store's side stays, and the other one is kept. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { gpxHead, gpxTail, gpxWaypoint } from '../formats/gpx-text.ts';
import { rounds } from './helpers/effort.ts';
import { temporaryDirectory } from './helpers/temporary-directory.ts';
import { until } from './helpers/until.ts';
import { siteIn, start, type Running } from './faults/site.ts';

const kills = rounds(3);
const spots = Array.from({ length: 120 }, (_, at) => ({ name: `S${at}`, lat: at % 80, lon: at }));

test('kill -9 while conflicts are merged leaves the side of the store, and each other side can be taken', async (t) => {
  const site = siteIn(temporaryDirectory(t), { WAYPOINTD_OBJECTS: 'false' });
  const file = join(site.data, 'bookmarks.gpx');
  let daemon = await start(site);
  const wpts = spots.map((spot) => gpxWaypoint({ ...spot, tags: ['0'] }));
  writeFileSync(file, gpxHead() + wpts.join('') + gpxTail());
  await until(() => readFileSync(file, 'utf8').includes('<wd:mirror '));
  const asked = async <T>(path: string): Promise<T> => JSON.parse(await daemon.done('GET', path));
  const merges = async (): Promise<{ id: number; kind: string; undone: boolean }[]> =>
    (await asked<{ changes: [] }>('/api/changes?limit=200')).changes;
  for (let kill = 0; kill < kills; kill += 1) {
    const text = readFileSync(file, 'utf8');
    await daemon.done('PATCH', '/api/tags', { tag: `${kill}`, newTag: `${kill + 1}` });
    const before = (await merges())[0]!.id;
    // What the store has changed is deleted in the file.
    writeFileSync(file, text.replaceAll(/<wpt .*?<\/wpt>\n/gsu, ''));
    const wanted = before + 10 + ((kill * 37) % 150);
    await until(async () => (await merges())[0]!.id > wanted);
    await daemon.end('SIGKILL');
    daemon = await start(site);
    t.deepEqual(await tagged(daemon, `${kill + 1}`), spots.map(({ name }) => name).toSorted());
    for (const { kind, undone } of (await merges()).filter(({ id }) => id > before))
      t.is(undone, kind === 'merge', 'what was done is taken back');
    await until(() => readFileSync(file, 'utf8').includes(`<wd:tag>${kill + 1}<`));
  }
  await daemon.end();
});

async function tagged(daemon: Running, tag: string): Promise<string[]> {
  const list = JSON.parse(await daemon.done('GET', '/api/waypoints')) as {
    name: string;
    tags?: string[];
  }[];
  return list
    .filter(({ tags }) => tags?.includes(tag))
    .map(({ name }) => name)
    .toSorted();
}
