/**
 * Changes of every kind in seeded order, with restarts and a lost library: taken back from the newest on, they end where they
 * began, and taken back again where they ended.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import type { ChangesAnswer } from '../model/change.ts';
import { startTestDaemon, type TestDaemon } from './helpers/daemon.ts';
import { rounds } from './helpers/effort.ts';
import { importTree, listed } from './helpers/imported-files.ts';
import { until } from './helpers/until.ts';

const names = ['Hut', 'Inn', 'Pass', 'Top', 'Lake'];

interface Place {
  readonly name: string;
  readonly lat: number;
  readonly lon: number;
}
type Listed = Place & { readonly bookmark: boolean };

/** Which of those that are there is meant, and what it becomes. */
interface Choice {
  readonly at: number;
  readonly to: number;
  readonly text: string;
}

const placeOf = (to: number): Place => ({ name: names[to % 5]!, lat: 46 + (to % 3), lon: 8.2 });
const query = ({ name, lat, lon }: Place): string => `name=${name}&lat=${lat}&lon=${lon}`;
const chosen = <T>(list: readonly T[], at: number): T | undefined => list[at % list.length];

/** What the user may do; what is refused is no change. */
const deeds = {
  async add(daemon: TestDaemon, { to, text }: Choice) {
    await daemon.call('POST', '/api/bookmarks', { ...placeOf(to), desc: text, tags: [text] });
  },
  async edit(daemon: TestDaemon, { at, to, text }: Choice) {
    const bookmark = chosen(await shown(daemon, true), at);
    if (bookmark === undefined) return;
    const { name, lat, lon } = placeOf(to);
    const move = text === 'x' ? {} : { newName: name, newLat: lat, newLon: lon };
    const body = { oldName: bookmark.name, lat: bookmark.lat, lon: bookmark.lon, ...move };
    await daemon.call('PATCH', '/api/bookmarks', { ...body, desc: text });
  },
  async remove(daemon: TestDaemon, { at }: Choice) {
    const bookmark = chosen(await shown(daemon, true), at);
    if (bookmark) await daemon.call('DELETE', `/api/bookmarks?${query(bookmark)}`);
  },
  async tag(daemon: TestDaemon, { at, text }: Choice) {
    const place = chosen(await shown(daemon), at);
    if (place === undefined) return;
    const { name, lat, lon } = place;
    await daemon.call('POST', '/api/tags', { name, lat, lon, tags: [text, 'more'] });
  },
  async untag(daemon: TestDaemon, { at, text }: Choice) {
    const place = chosen(await shown(daemon), at);
    if (place) await daemon.call('DELETE', `/api/tags?${query(place)}&tag=${text}`);
  },
  async renameTag(daemon: TestDaemon, { text }: Choice) {
    await daemon.call('PATCH', '/api/tags', { tag: text, newTag: text === 'x' ? 'X' : 'x' });
  },
  async hide(daemon: TestDaemon, { at }: Choice) {
    const place = chosen(await shown(daemon, false), at);
    if (place) await daemon.call('DELETE', `/api/waypoints?${query(place)}`);
  },
  async show(daemon: TestDaemon, { at }: Choice) {
    const place = chosen<Place>((await daemon.get('/api/hidden')).body.hidden, at);
    if (place) await daemon.call('DELETE', `/api/hidden?${query(place)}`);
  },
  async correct(daemon: TestDaemon, { at, to, text }: Choice) {
    const hour = (hours: number) => new Date(Date.UTC(2024, 4, 1, hours)).toISOString();
    const what = text === 'x' ? { kind: 'not_a_stay' } : { kind: 'mode', mode: 'train' };
    const span = { start_utc: hour(at), end_utc: hour(at + to + 1) };
    await daemon.call('POST', '/api/corrections', { ...what, ...span });
  },
  async uncorrect(daemon: TestDaemon, { at }: Choice) {
    const made = chosen<{ id: number }>(
      (await daemon.get('/api/corrections')).body.corrections,
      at,
    );
    if (made) await daemon.call('DELETE', `/api/corrections/${made.id}`);
  },
  async import(daemon: TestDaemon, { at, to, text }: Choice) {
    const files = { [`${at % 3}.gpx`]: contentOf(to, text), 'sub/b.gpx': contentOf(at, 'b') };
    await importTree(daemon, files, { again: text === 'x' });
  },
  async removeFile(daemon: TestDaemon, { at }: Choice) {
    const file = chosen(await listed(daemon, '?state=active'), at);
    if (file) await daemon.call('DELETE', `/api/imports/${file.id}`);
  },
  async restoreFile(daemon: TestDaemon, { at }: Choice) {
    const files = (await listed(daemon)).filter(({ state }) => state !== 'active');
    const file = chosen(files, at);
    if (file) await daemon.call('POST', `/api/imports/${file.id}/restore`);
  },
};

/** A file whose waypoints differ in their notes from those of the others. */
function contentOf(to: number, text: string): string {
  const wpts = [to, to + 1, to + 2]
    .map(placeOf)
    .map(
      ({ name, lat, lon }) =>
        `<wpt lat="${lat}" lon="${lon}"><name>${name}</name><desc>${text} ${to}</desc></wpt>`,
    );
  return `<gpx version="1.1">${wpts.join('')}</gpx>`;
}

async function shown(daemon: TestDaemon, bookmark?: boolean): Promise<Listed[]> {
  const { body } = await daemon.get<Listed[]>('/api/waypoints');
  return bookmark === undefined ? body : body.filter((one) => one.bookmark === bookmark);
}

type Step = Choice & { readonly do: keyof typeof deeds | 'merge' | 'restart' | 'lose' };

const choice = { at: fc.nat(30), to: fc.nat(14), text: fc.constantFrom('x', 'y', 'z') };
const kinds = [...(Object.keys(deeds) as (keyof typeof deeds)[]), 'import', 'restart'] as const;
const step: fc.Arbitrary<Step> = fc.record({ do: fc.constantFrom(...kinds), ...choice });
const rare: fc.Arbitrary<Step> = fc.record({ do: fc.constantFrom('merge', 'lose'), ...choice });
const walks = fc
  .tuple(
    ...Array.from({ length: 3 }, () =>
      fc.tuple(fc.array(step, { minLength: 18, maxLength: 20 }), rare),
    ),
  )
  .map((parts) => parts.flatMap(([steps, one]) => [...steps, one]));

interface World {
  daemon: TestDaemon;
}

test('changes of every kind, taken back from the newest on, end where they began, and back again', async (t) => {
  await fc.assert(
    fc.asyncProperty(walks, async (walk) => {
      const world: World = { daemon: await startTestDaemon(t) };
      const done: { readonly ids: readonly number[]; readonly before: object; step: Step }[] = [];
      let last = 0;
      for (const one of walk) {
        const before = await everything(world.daemon);
        await take(world, one);
        const { changes } = (await world.daemon.get<ChangesAnswer>('/api/changes?limit=200')).body;
        const ids = changes.map(({ id }) => id).filter((id) => id > last);
        if (ids.length > 0) done.push({ ids, before, step: one });
        last = ids[0] ?? last;
      }
      t.true(done.length > 15, `${done.length} changes`);
      const end = await everything(world.daemon);
      await takeAllBack(t, world, done);
      // And done again, by taking back what took them back.
      const { changes } = (await world.daemon.get<ChangesAnswer>('/api/changes?limit=200')).body;
      const redo = changes.map(({ id }) => id).filter((id) => id > last);
      for (const id of redo) {
        const { status, text } = await world.daemon.call('POST', `/api/changes/${id}/undo`);
        t.is(status, 200, `redo ${id}: ${text}`);
      }
      t.deepEqual(await everything(world.daemon), end);
      await world.daemon.close();
    }),
    { numRuns: rounds(1), endOnFailure: rounds(1) === 1 },
  );
});

async function takeAllBack(
  t: ExecutionContext,
  world: World,
  done: readonly { readonly ids: readonly number[]; readonly before: object; step: Step }[],
): Promise<void> {
  for (const [at, { ids, before, step: undone }] of done.toReversed().entries()) {
    if (at === 5) world.daemon = await world.daemon.restartWithoutLibrary();
    else if (at % 10 === 5) world.daemon = await world.daemon.restart();
    for (const id of ids) {
      const { status, text } = await world.daemon.call('POST', `/api/changes/${id}/undo`);
      t.is(status, 200, `${undone.do}: ${text}`);
    }
    t.deepEqual(await everything(world.daemon), before, JSON.stringify(undone));
  }
}

/** All that shows what the user has. */
async function everything(daemon: TestDaemon): Promise<object> {
  const paths = ['waypoints', 'tags?distinct=1&counts=1&emoji=1', 'hidden', 'clusters?zoom=20'];
  const answers = paths.map(async (path) => (await daemon.get(`/api/${path}`)).body);
  const files = (await listed(daemon, '?state=active')).map(({ id, path, sha256, waypoints }) =>
    [id, path, sha256, waypoints].join(' '),
  );
  const { corrections } = (await daemon.get('/api/corrections')).body;
  // Whether one applies is known only once all of the recordings have been read.
  const said = corrections.map((correction: object) => ({ ...correction, applies: undefined }));
  return [...(await Promise.all(answers)), files, said];
}

async function take(world: World, one: Step): Promise<void> {
  if (one.do === 'merge') await merge(world, one);
  else if (one.do === 'restart') world.daemon = await world.daemon.restart();
  else if (one.do === 'lose') world.daemon = await world.daemon.restartWithoutLibrary();
  else await deeds[one.do](world.daemon, one);
}

/** Deletes, renames, describes or adds a waypoint in the bookmarks file. */
async function merge(world: World, { at, to, text }: Step): Promise<void> {
  await world.daemon.close();
  const path = world.daemon.paths.bookmarksFile;
  if (!existsSync(path)) return void (world.daemon = await world.daemon.restart());
  const wpts = readFileSync(path, 'utf8').split(/(?=<wpt |<\/gpx>)/u);
  const [head = '', ...rest] = wpts;
  const tail = rest.pop() ?? '';
  const spot = at % (rest.length + 1);
  const before = rest[spot];
  const { name, lat, lon } = placeOf(to);
  const fresh = `<wpt lat="${lat}" lon="${lon + 1}"><name>${name} ${text}</name></wpt>\n`;
  const renamed = before?.replace(/<name>.*?<\/name>/u, `<name>New ${text}</name>`);
  const after = text === 'x' || before === undefined ? fresh : text === 'y' ? renamed! : '';
  writeFileSync(path, head + rest.toSpliced(spot, 1, after).join('') + tail);
  world.daemon = await world.daemon.restart();
  await until(() => world.daemon.logged.some((line) => line.startsWith('mirror.edit_merged')));
}
