/** Merges of the bookmarks file, last writer wins, through real daemons and files. */
import { copyFileSync, cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import test, { type ExecutionContext } from 'ava';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { testCli } from './helpers/cli.ts';
import { startTestDaemon, type TestDaemon } from './helpers/daemon.ts';
import { rounds as runs } from './helpers/effort.ts';
import { gpx } from './helpers/imports.ts';
import { temporaryDirectory } from './helpers/temporary-directory.ts';
import { until } from './helpers/until.ts';
import { withBirths } from './helpers/where.ts';
import { gpxHead, gpxTail } from '../formats/gpx-text.ts';
import { limits } from '../model/limits.ts';

interface Listed {
  readonly name: string;
  readonly desc?: string;
  readonly tags?: readonly string[];
  readonly bookmark?: boolean;
}

const list = async (daemon: TestDaemon): Promise<Listed[]> =>
  (await daemon.get('/api/waypoints')).body;
const names = async (daemon: TestDaemon): Promise<string[]> =>
  (await list(daemon)).map(({ name }) => name).toSorted();
const place = (name: string): Record<string, string | number> => ({
  name,
  lat: 10 + name.codePointAt(0)! / 10,
  lon: 20,
});
const query = (name: string): string =>
  new URLSearchParams(place(name) as Record<string, string>).toString();

async function add(daemon: TestDaemon, name: string, more: object = {}): Promise<void> {
  const { status } = await daemon.call('POST', '/api/bookmarks', { ...place(name), ...more });
  if (status !== 201) throw new Error(`${status} for ${name}`);
}

const read = (daemon: TestDaemon): string => readFileSync(daemon.paths.bookmarksFile, 'utf8');
const write = (daemon: TestDaemon, text: string): void =>
  writeFileSync(daemon.paths.bookmarksFile, text);
const wptOf = (text: string, name: string): string =>
  new RegExp(`<wpt [^>]*>(?:(?!</wpt>).)*<name>${name}</name>.*?</wpt>\n`, 'su').exec(text)?.[0] ??
  `no ${name}`;

/** Name, note and tags of each waypoint of a bookmarks file. */
function shownIn(text: string): string[] {
  return [...text.matchAll(/<wpt .*?<\/wpt>/gsu)].map(([wpt]) => {
    const [, name = ''] = /<name>(.*?)<\/name>/su.exec(wpt) ?? [];
    const [, desc = ''] = /<desc>(.*?)<\/desc>/su.exec(wpt) ?? [];
    return lineOf({
      name,
      desc,
      tags: [...wpt.matchAll(/<wd:tag>(.*?)</gsu)].map(([, tag = '']) => tag),
    });
  });
}

function lineOf({ name, desc = '', tags = [] }: Listed): string {
  return [name, desc, ...tags.toSorted()].join('|');
}

/** Restarts a daemon and waits until its file shows what the store has, edits merged. */
async function mirrored(daemon: TestDaemon): Promise<TestDaemon> {
  const again = await daemon.restart();
  await until(async () => {
    if (!existsSync(again.paths.bookmarksFile)) return false;
    const inStore = (await list(again)).filter(({ bookmark }) => bookmark);
    return shownIn(read(again)).toSorted().join('\n') === inStore.map(lineOf).toSorted().join('\n');
  });
  return again;
}

async function withBookmarks(t: ExecutionContext, ...wanted: string[]): Promise<TestDaemon> {
  const daemon = await startTestDaemon(t);
  for (const name of wanted) await add(daemon, name, { desc: `first ${name}`, tags: ['t'] });
  return mirrored(daemon);
}

withBirths(
  'what an editor deletes, renames, retags and writes anew is taken, and the rest stays',
  async (t) => {
    const daemon = await withBookmarks(t, 'A', 'B', 'C', 'D');
    const text = read(daemon);
    write(
      daemon,
      text
        .replace(wptOf(text, 'A'), '')
        .replace('<name>B</name>', '<name>Bee</name>')
        .replace('first C', 'second C')
        .replace(
          wptOf(text, 'D'),
          wptOf(text, 'D').replace('<wd:tag>t</wd:tag>', '<wd:tag>u</wd:tag>'),
        ),
    );
    // The file is watched.
    await until(async () => (await names(daemon)).join() === 'Bee,C,D');
    const found = new Map((await list(daemon)).map((waypoint) => [waypoint.name, waypoint]));
    t.is(found.get('C')?.desc, 'second C');
    t.deepEqual(found.get('D')?.tags, ['u']);
    t.deepEqual(found.get('Bee')?.tags, ['t']);
    const { changes } = (await daemon.get('/api/changes')).body;
    t.is(changes[0].kind, 'merge');
    t.is((await daemon.call('POST', `/api/changes/${changes[0].id}/undo`)).status, 200);
    t.deepEqual(await names(daemon), ['A', 'B', 'C', 'D']);
    await until(() => read(daemon).includes('<name>A</name>'));
    const idIn = (file: string) => / id="([^"]+)"/u.exec(wptOf(file, 'A'))?.[1];
    t.is(idIn(read(daemon)), idIn(text), 'it is the same for other machines');
  },
);

test('an older file that is written back brings nothing back', async (t) => {
  const daemon = await withBookmarks(t, 'A', 'B');
  const old = read(daemon);
  await daemon.call('DELETE', `/api/bookmarks?${query('A')}`);
  await daemon.call('PATCH', '/api/bookmarks', {
    oldName: 'B',
    lat: place('B')['lat'],
    lon: 20,
    newName: 'Bee',
  });
  const later = await mirrored(daemon);
  for (const text of [old, old.replace(/<metadata>.*?<\/metadata>\n/su, '')]) {
    write(later, text);
    const again = await mirrored(later);
    t.deepEqual(await names(again), ['Bee']);
    t.notRegex(read(again), /<name>A</u);
    await again.close();
  }
});

withBirths(
  'of two changes of one bookmark the later one holds, and the other is in the copy that status names',
  async (t) => {
    const daemon = await withBookmarks(t, 'A', 'B');
    const text = read(daemon);
    const [{ lat }, change] = [place('A'), { oldName: 'A', lon: 20, desc: 'mine' }];
    await daemon.call('PATCH', '/api/bookmarks', { ...change, lat });
    const later = await mirrored(daemon);
    // Another machine still has the file as it was, and adds a bookmark.
    write(later, text.replace('</gpx>', '<wpt lat="1" lon="2"><name>New</name></wpt></gpx>'));
    await until(async () => (await names(later)).includes('New'));
    t.is((await list(later)).find(({ name }) => name === 'A')?.desc, 'mine');
    // A hand edit counts from the moment it is read.
    await until(() => read(later).includes('mine'));
    write(later, read(later).replace('mine', 'by hand'));
    const noteOf = async () => (await list(later)).find(({ name }) => name === 'A')?.desc;
    await until(async () => (await noteOf()) === 'by hand');
    const status = (await later.get('/api/status')).body.bookmarks_file.last_merge;
    t.like(status, { added: 0, changed: 1, deleted: 0 });
    const copy = readFileSync(`${later.paths.backups}/${status.copy}`, 'utf8');
    t.true(copy.includes('by hand'));
    const { changes } = (await later.get('/api/changes')).body;
    t.is((await later.call('POST', `/api/changes/${changes[0].id}/undo`)).status, 200);
    t.is(await noteOf(), 'mine');
  },
);

withBirths('a repeated id is a new bookmark, and two bookmarks may swap their names', async (t) => {
  const daemon = await withBookmarks(t, 'A', 'B');
  const text = read(daemon);
  const again = wptOf(text, 'A').replace('<name>A<', '<name>Copy of A<');
  write(daemon, text.replace('</gpx>', `${again}</gpx>`));
  await until(async () => (await names(daemon)).includes('Copy of A'));
  t.deepEqual(await names(daemon), ['A', 'B', 'Copy of A']);
  const later = await mirrored(daemon);
  const idOf = (name: string): string => / id="([^"]+)"/u.exec(wptOf(read(later), name))?.[1] ?? '';
  const [a, b] = [idOf('A'), idOf('B')];
  t.not(a, idOf('Copy of A'));
  const positions = /lat="[^"]*" lon="[^"]*"/u;
  const [atA = '', atB = ''] = ['A', 'B'].map(
    (name) => positions.exec(wptOf(read(later), name))?.[0],
  );
  const [wptA, wptB] = [wptOf(read(later), 'A'), wptOf(read(later), 'B')];
  const swapped = read(later)
    .replace(wptA, '@@')
    .replace(wptB, wptB.replace(atB, atA).replace('<name>B<', '<name>A<'))
    .replace('@@', wptA.replace(atA, atB).replace('<name>A<', '<name>B<'));
  write(later, swapped);
  await until(() => idOf('A') === b && idOf('B') === a);
  await until(async () => (await list(later)).find(({ name }) => name === 'A')?.desc === 'first B');
  t.deepEqual(await names(later), ['A', 'B', 'Copy of A']);
});

test('a bookmark written anew where one written so before was renamed is another one', async (t) => {
  const [one, other] = [await startTestDaemon(t), await startTestDaemon(t)];
  const { lat, lon } = place('A');
  const text = `<wpt lat="${lat}" lon="${lon}"><name>A</name></wpt></gpx>`;
  write(one, `${gpxHead()}${text}`);
  await until(async () => (await names(one)).join() === 'A');
  await one.call('PATCH', '/api/bookmarks', { oldName: 'A', lat, lon, newName: 'Bee' });
  await until(() => read(one).includes('Bee'));
  // Of neither it has heard before.
  write(other, read(one).replace('</gpx>', text));
  await until(async () => (await names(other)).includes('A'));
  t.deepEqual(await names(other), ['A', 'Bee']);
});

withBirths(
  'the file of an older version is taken over: nothing deleted returns, nothing becomes a bookmark',
  async (t) => {
    const daemon = await withBookmarks(t, 'A', 'B', 'C');
    await daemon.call('DELETE', `/api/bookmarks?${query('C')}`);
    await daemon.close();
    // As version 8 of the store left it: without stamps and corrections.
    const db = new Database(daemon.paths.waypointsDatabase);
    db.exec(
      "DROP TABLE bookmark_stamps; DROP TABLE corrections; DELETE FROM meta WHERE key = 'bookmarks_stamped'",
    );
    db.pragma('user_version = 8');
    db.close();
    const wpt = (name: string, mark: string): string => {
      const { lat, lon } = place(name);
      return `<wpt lat="${lat}" lon="${lon}"><name>${name}</name><extensions><wd:${mark}/></extensions></wpt>`;
    };
    const mark = '<wd:mirror store="0123456789abcdef" revision="7" merged=""/>';
    const metadata = `<metadata><extensions>${mark}</extensions></metadata>`;
    const entries = ['A', 'C', 'N'].map((name) => wpt(name, 'bookmark')).join('');
    const old = `${gpxHead()}${metadata}${entries}${wpt('I', 'imported')}${gpxTail()}`;
    write(daemon, old);
    const again = await mirrored(daemon);
    t.deepEqual(await names(again), ['A', 'B', 'N']);
    t.regex(read(again), /<wd:mirror store="[0-9a-f]{16}" written="\d+"\/>/u);
  },
);

const many = Array.from({ length: 8 }, (_, index) => String.fromCodePoint(65 + index));

withBirths(
  'more than half of the bookmarks are not deleted unasked; the user accepts or discards',
  async (t) => {
    const daemon = await withBookmarks(t, ...many);
    const text = read(daemon);
    const cut = many.slice(0, 5).reduce((rest, name) => rest.replace(wptOf(rest, name), ''), text);
    write(daemon, cut.replace('first H', 'second H'));
    const waiting = async (): Promise<number | undefined> =>
      (await daemon.get('/api/status')).body.bookmarks_file?.deletions_waiting;
    await until(async () => (await waiting()) === 5);
    t.deepEqual(await names(daemon), many);
    t.is((await list(daemon)).at(-1)?.desc, 'first H', 'nothing of it is applied');
    t.is(read(daemon), cut.replace('first H', 'second H'), 'the file stays');
    const decide = (accept: boolean) => daemon.call('POST', '/api/bookmarks/merge', { accept });
    t.deepEqual((await decide(false)).body, { decided: true });
    t.deepEqual(await names(daemon), many);
    await until(() => read(daemon).includes('<name>A</name>'));
    t.is(await waiting(), undefined);
    t.deepEqual((await decide(true)).body, { decided: false });
    write(daemon, cut);
    await until(async () => (await waiting()) === 5);
    t.deepEqual((await decide(true)).body, { decided: true });
    t.deepEqual(await names(daemon), many.slice(5));
  },
);

withBirths('exactly half may go at once, but of more than 40 no more than 20', async (t) => {
  const { mirrorDeletions } = limits;
  const all = Array.from({ length: 2 * mirrorDeletions + 2 }, (_, index) => `N${100 + index}`);
  for (const [before, gone, left] of [
    [many, many.length / 2, many.length / 2],
    [all, mirrorDeletions, all.length - mirrorDeletions],
    [all, mirrorDeletions + 1, all.length],
  ] as const) {
    const daemon = await withBookmarks(t, ...before);
    const text = read(daemon);
    write(
      daemon,
      before.slice(0, gone).reduce((rest, name) => rest.replace(wptOf(rest, name), ''), text),
    );
    const status = async () => (await daemon.get('/api/status')).body;
    const waiting = async () => (await status()).bookmarks_file?.deletions_waiting !== undefined;
    await until(async () => (await names(daemon)).length < before.length || (await waiting()));
    t.deepEqual(await names(daemon), before.slice(before.length - left));
  }
});

withBirths('an empty or cut-off file deletes nothing', async (t) => {
  for (const damage of [() => '', (text: string) => text.slice(0, text.length / 2)]) {
    const daemon = await withBookmarks(t, 'A', 'B', 'C');
    write(daemon, damage(read(daemon)));
    const again = await daemon.restart();
    t.deepEqual(await names(again), ['A', 'B', 'C']);
    await again.close();
  }
});

withBirths(
  'a program that keeps none of our extensions takes no tag away; tags of imported waypoints are not in the file',
  async (t) => {
    const root = temporaryDirectory(t);
    writeFileSync(`${root}/a.gpx`, gpx([['Hut', 46, 11]]));
    await testCli(t, root).out(['import', `${root}/a.gpx`]);
    const daemon = await startTestDaemon(t, { root });
    await add(daemon, 'A', { tags: ['t'] });
    await daemon.call('POST', '/api/tags', { name: 'Hut', lat: 46, lon: 11, tags: ['alps'] });
    let later = await mirrored(daemon);
    const ofWaypoints = /(<wpt .*?)<extensions>.*?<\/extensions>/gu;
    const ofAll = /()<extensions>.*?<\/extensions>/gu;
    t.notRegex(read(later), /alps/u);
    const lines = ['A||t', 'Hut||alps'];
    for (const lost of [ofWaypoints, ofAll]) {
      const name = `New ${lines.length}`;
      const added = `<wpt lat="1" lon="2"><name>${name}</name></wpt></gpx>`;
      write(later, read(later).replaceAll(lost, '$1').replace('</gpx>', added));
      lines.push(`${name}|`);
      await until(async () => (await names(later)).includes(name));
      later = await mirrored(later);
      t.deepEqual((await list(later)).map(lineOf).toSorted(), lines.toSorted());
      t.is((await later.get('/api/status')).body.bookmarks, lines.length - 1);
    }
  },
);

test('a bookmark of another machine keeps the tags that its imported waypoint has here', async (t) => {
  const root = temporaryDirectory(t);
  writeFileSync(`${root}/a.gpx`, gpx([['Hut', 46, 11]]));
  await testCli(t, root).out(['import', `${root}/a.gpx`]);
  const [one, other] = [await startTestDaemon(t, { root }), await startTestDaemon(t)];
  const hut = { name: 'Hut', lat: 46, lon: 11 };
  await one.call('POST', '/api/tags', { ...hut, tags: ['alps'] });
  await other.call('POST', '/api/bookmarks', { ...hut, tags: ['hut'] });
  write(one, read(await mirrored(other)));
  await until(async () => (await list(one))[0]?.bookmark === true);
  t.deepEqual((await list(one)).map(lineOf), ['Hut||alps|hut']);
  await until(() => read(one).includes('alps'));
});

withBirths(
  'the unchanged file of an older version is written anew at the first start',
  async (t) => {
    const daemon = await withBookmarks(t, 'A');
    await daemon.close();
    const before = read(daemon);
    const db = new Database(daemon.paths.waypointsDatabase);
    // Older versions did not keep when they wrote, and their files had another body.
    db.exec(
      "UPDATE meta SET value = json_remove(value, '$.written', '$.body') WHERE key = 'mirror'",
    );
    db.close();
    const again = await daemon.restart();
    await until(() => read(again) !== before);
    t.regex(read(again), /<name>A</u);
  },
);

/** Copies the bookmarks file of a daemon, which a stop brings up to date, to another; waits for that one's bookmarks. */
async function share(
  [from, to]: readonly [TestDaemon, TestDaemon],
  expected: string,
  merged = expected,
): Promise<[TestDaemon, TestDaemon]> {
  const source = await from.restart();
  const file = source.paths.bookmarksFile;
  await until(() => existsSync(file) && shownIn(read(source)).toSorted().join() === expected);
  copyFileSync(file, to.paths.bookmarksFile);
  const target = await to.restart();
  await until(async () => (await list(target)).map(lineOf).toSorted().join() === merged);
  return [source, target];
}

withBirths(
  'what only one of two daemons adds and deletes goes away in the other, too',
  async (t) => {
    let [one, two] = [await startTestDaemon(t), await startTestDaemon(t)];
    await add(one, 'A');
    [one, two] = await share([one, two], 'A|');
    await add(two, 'X');
    [two, one] = await share([two, one], 'A|,X|');
    await two.call('DELETE', `/api/bookmarks?${query('X')}`);
    [two, one] = await share([two, one], 'A|');
    const edit = { oldName: 'A', lat: place('A')['lat'], lon: 20, newName: 'Bee', desc: 'changed' };
    await one.call('PATCH', '/api/bookmarks', edit);
    [one, two] = await share([one, two], 'Bee|changed');
    const text = read(one);
    t.is(read(await two.restart()), text, 'a file that says what the store has is left alone');
  },
);

/** Two machines that change bookmarks while offline, and then have a tool copy the file from one to the other and back. */
withBirths(
  'two machines that were offline end equal: the last change of each bookmark holds',
  async (t) => {
    const action = fc.record({
      at: fc.constantFrom(0, 1),
      do: fc.constantFrom('add', 'delete', 'rename', 'tag', 'note'),
      which: fc.nat(30),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(action, { minLength: 1, maxLength: 6 }), { maxLength: 3 }),
        async (rounds) => {
          const pair = [await startTestDaemon(t), await startTestDaemon(t)];
          /** Bookmarks as each machine sees them, by a number of their own; `order` counts changes of all. */
          const views = [new Map<number, Seen>(), new Map<number, Seen>()];
          let order = 0;
          async function copy(from: number): Promise<void> {
            pair[from] = await mirrored(pair[from]!);
            const source = pair[from]!.paths.bookmarksFile;
            if (existsSync(source)) copyFileSync(source, pair[1 - from]!.paths.bookmarksFile);
            pair[1 - from] = await mirrored(pair[1 - from]!);
          }
          async function sync(): Promise<void> {
            await copy(0);
            await copy(1);
            for (const [number, seen] of views[1]!) {
              if ((views[0]!.get(number)?.order ?? -1) < seen.order) views[0]!.set(number, seen);
            }
            views[1] = new Map(views[0]!);
          }
          async function act({ at, do: what, which }: { at: number; do: string; which: number }) {
            const [daemon, view] = [pair[at]!, views[at]!];
            order += 1;
            const present = [...view].filter(([, seen]) => seen.name !== undefined);
            const [number, seen] = present[which % Math.max(1, present.length)] ?? [];
            if (what === 'add' || number === undefined || seen?.name === undefined) {
              const name = String.fromCodePoint(0x100 + order);
              await add(daemon, name);
              view.set(order, { name, order });
              return;
            }
            const { lat, lon } = await found(daemon, seen.name);
            if (what === 'delete') {
              await daemon.call('DELETE', `/api/bookmarks?${await queryOf(daemon, seen.name)}`);
              view.set(number, { name: undefined, order });
              return;
            }
            const name = what === 'rename' ? String.fromCodePoint(0x400 + order) : seen.name;
            const spot = { lat, lon };
            if (what === 'tag')
              await daemon.call('POST', '/api/tags', { name, ...spot, tags: [`t${order}`] });
            else {
              const change = what === 'rename' ? { newName: name } : { desc: `note ${order}` };
              await daemon.call('PATCH', '/api/bookmarks', {
                oldName: seen.name,
                ...spot,
                ...change,
              });
            }
            view.set(number, { name, order });
          }
          await act({ at: 0, do: 'add', which: 0 });
          await sync();
          for (const round of rounds) {
            for (const one of round) await act(one);
            await sync();
          }
          const [one, two] = [await list(pair[0]!), await list(pair[1]!)];
          await Promise.all(pair.map((daemon) => daemon.close()));
          const expected = [...views[0]!.values()].flatMap(({ name }) => name ?? []);
          t.deepEqual(one.map(({ name }) => name).toSorted(), expected.toSorted());
          t.deepEqual(byName(one), byName(two));
        },
      ),
      { numRuns: runs(3) },
    );
  },
);

interface Seen {
  /** Undefined for a deleted one. */
  readonly name: string | undefined;
  readonly order: number;
}

async function found(daemon: TestDaemon, name: string): Promise<{ lat: number; lon: number }> {
  const waypoint = (await list(daemon)).find((candidate) => candidate.name === name);
  return waypoint as unknown as { lat: number; lon: number };
}

async function queryOf(daemon: TestDaemon, name: string): Promise<string> {
  const { lat, lon } = await found(daemon, name);
  return new URLSearchParams({ name, lat: String(lat), lon: String(lon) }).toString();
}

function byName(waypoints: readonly Listed[]): unknown[] {
  return waypoints
    .map((waypoint) => ({ ...waypoint, tags: waypoint.tags?.toSorted() }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

withBirths(
  'a copy of a data directory takes a course of its own: its file deletes nothing in the first',
  async (t) => {
    const first = await withBookmarks(t, 'A', 'B');
    await first.close();
    const root = temporaryDirectory(t);
    cpSync(first.root, root, { recursive: true });
    let [one, copy] = [await first.restart(), await startTestDaemon(t, { root })];
    await add(one, 'C');
    await add(copy, 'D');
    [one, copy] = [await mirrored(one), await mirrored(copy)];
    await add(one, 'E');
    write(one, read(copy));
    one = await mirrored(one);
    t.deepEqual(await names(one), ['A', 'B', 'C', 'D', 'E']);
  },
);
