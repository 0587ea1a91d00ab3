/** The bookmarks file merged three ways, through real daemons and files. */
import { copyFileSync, cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { testCli } from './helpers/cli.ts';
import { startTestDaemon, type TestDaemon } from './helpers/daemon.ts';
import { rounds as runs } from './helpers/effort.ts';
import { gpx } from './helpers/imports.ts';
import { temporaryDirectory } from './helpers/temporary-directory.ts';
import { until } from './helpers/until.ts';
import { withBirths } from './helpers/where.ts';
import { gpxHead, gpxTail, gpxWaypoint } from '../formats/gpx-text.ts';
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
    const inStore = (await list(again)).filter(({ bookmark, tags }) => bookmark || tags);
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
  'what both have changed stays as in the store, and the other version can be taken',
  async (t) => {
    const daemon = await withBookmarks(t, 'A', 'B');
    const text = read(daemon);
    await daemon.call('PATCH', '/api/bookmarks', {
      oldName: 'A',
      lat: place('A')['lat'],
      lon: 20,
      desc: 'mine',
    });
    const tagged = { name: 'B', lat: place('B')['lat'], lon: 20, tags: ['t', 'u'] };
    await daemon.call('POST', '/api/tags', tagged);
    const later = await mirrored(daemon);
    write(later, text.replace('first A', 'theirs').replace('<name>B<', '<name>Bee<'));
    const merged = await mirrored(later);
    const [a, b, ...others] = await list(merged);
    t.is(a?.desc, 'mine');
    t.like(b, { name: 'Bee', tags: ['t', 'u'] });
    t.deepEqual(others, []);
    const { changes } = (await merged.get('/api/changes')).body;
    t.deepEqual(
      changes.slice(0, 2).map(({ kind }: { kind: string }) => kind),
      ['undo', 'merge'],
    );
    t.is((await merged.call('POST', `/api/changes/${changes[0].id}/undo`)).status, 200);
    t.is((await list(merged)).find(({ name }) => name === 'A')?.desc, 'theirs');
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
  'tags of imported waypoints are in the file; a merge never makes bookmarks of them',
  async (t) => {
    const root = temporaryDirectory(t);
    const cli = testCli(t, root);
    writeFileSync(
      `${root}/a.gpx`,
      gpx([
        ['Hut', 46, 11],
        ['Pass', 46.1, 11],
      ]),
    );
    await cli.out(['import', `${root}/a.gpx`]);
    const daemon = await startTestDaemon(t, { root });
    const tagged = await daemon.call('POST', '/api/tags', {
      name: 'Hut',
      lat: 46,
      lon: 11,
      tags: ['alps'],
    });
    t.is(tagged.status, 201, tagged.text);
    const later = await mirrored(daemon);
    t.regex(read(later), /<wd:tag>alps<\/wd:tag><\/wd:tags><wd:imported\/>/u);
    write(
      later,
      read(later).replace('<wd:tag>alps</wd:tag>', '<wd:tag>alps</wd:tag><wd:tag>sleep</wd:tag>'),
    );
    await until(
      async () => (await list(later)).find(({ name }) => name === 'Hut')?.tags?.length === 2,
    );
    t.is((await later.get('/api/status')).body.bookmarks, 0);
  },
);

withBirths(
  'a program that keeps none of our extensions takes no tag away and makes no bookmark',
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
  'a shared file keeps the tags of what only one of two daemons has imported',
  async (t) => {
    const root = temporaryDirectory(t);
    writeFileSync(`${root}/a.gpx`, gpx([['Hut', 46, 11]]));
    await testCli(t, root).out(['import', `${root}/a.gpx`]);
    let [one, two] = [await startTestDaemon(t, { root }), await startTestDaemon(t)];
    await add(one, 'A');
    const hut = { name: 'Hut', lat: 46, lon: 11 };
    await one.call('POST', '/api/tags', { ...hut, tags: ['alps', 'sleep'] });
    [one, two] = await share([one, two], 'A|,Hut||alps|sleep', 'A|');
    await add(two, 'B');
    [two, one] = await share([two, one], 'A|,B|,Hut||alps|sleep');
    t.pass();
  },
);

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

/** Two daemons whose bookmarks files a tool copies to each other, the newer over the older. */
withBirths('two daemons that share a file agree, and what one deletes stays deleted', async (t) => {
  const action = fc.record({
    at: fc.constantFrom(0, 1),
    do: fc.constantFrom('add', 'delete', 'rename', 'tag', 'note'),
    which: fc.nat(30),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(action, { maxLength: 4 }), { maxLength: 4 }),
      async (rounds) => {
        let pair = [await startTestDaemon(t), await startTestDaemon(t)];
        let count = 0;
        async function sync(from: number): Promise<void> {
          pair[from] = await mirrored(pair[from]!);
          const source = pair[from]!.paths.bookmarksFile;
          if (existsSync(source)) copyFileSync(source, pair[1 - from]!.paths.bookmarksFile);
          pair[1 - from] = await mirrored(pair[1 - from]!);
        }
        await add(pair[0]!, 'A');
        await add(pair[0]!, 'B');
        await sync(0);
        const expected = new Set(['A', 'B']);
        for (const round of rounds) {
          const from = round[0]?.at ?? 0;
          for (const { do: what, which } of round) {
            const daemon = pair[from]!;
            const present = await names(daemon);
            const name = present[which % Math.max(1, present.length)];
            if (what === 'add') {
              const fresh = String.fromCodePoint(0x100 + (count += 1));
              await add(daemon, fresh);
              expected.add(fresh);
            } else if (name === undefined) continue;
            else if (what === 'delete') {
              await daemon.call('DELETE', `/api/bookmarks?${await queryOf(daemon, name)}`);
              expected.delete(name);
            } else {
              const { lat, lon } = await found(daemon, name);
              if (what === 'tag')
                await daemon.call('POST', '/api/tags', { name, lat, lon, tags: [`t${which}`] });
              else {
                const newName = String.fromCodePoint(0x400 + (count += 1));
                const change = what === 'rename' ? { newName } : { desc: `note ${which}` };
                await daemon.call('PATCH', '/api/bookmarks', {
                  oldName: name,
                  lat,
                  lon,
                  ...change,
                });
                if (what === 'rename') {
                  expected.delete(name);
                  expected.add(newName);
                }
              }
            }
          }
          await sync(from);
        }
        await sync(1);
        await sync(0);
        const [one, two] = [await list(pair[0]!), await list(pair[1]!)];
        await Promise.all(pair.map((daemon) => daemon.close()));
        t.deepEqual(one.map(({ name }) => name).toSorted(), [...expected].toSorted());
        t.deepEqual(byName(one), byName(two));
        pair = [];
      },
    ),
    { numRuns: runs(3), seed: 20_261 },
  );
});

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

withBirths('imported waypoints do not lose their tags by the dozen unasked', async (t) => {
  const places = Array.from({ length: 8 }, (_, at) => [`I${at}`, 40 + at, 5] as const);
  const daemon = await startTestDaemon(t);
  writeFileSync(`${daemon.root}/places.gpx`, gpx(places));
  await daemon.call('POST', '/api/import', { dir: daemon.root });
  for (const [name, lat, lon] of places)
    await daemon.call('POST', '/api/tags', { name, lat, lon, tag: 'seen' });
  const again = await mirrored(daemon);
  const text = read(again);
  const without = (count: number): string =>
    places.slice(0, count).reduce((rest, [name]) => rest.replace(wptOf(rest, name), ''), text);
  const waiting = async (): Promise<number | undefined> =>
    (await again.get('/api/status')).body.bookmarks_file?.deletions_waiting;
  const tagged = async () => (await list(again)).filter(({ tags }) => tags !== undefined).length;
  write(again, without(5));
  await until(async () => (await waiting()) === 5);
  t.is(await tagged(), 8);
  rmSync(again.paths.bookmarksFile);
  await until(async () => (await waiting()) === undefined);
  await until(() => existsSync(again.paths.bookmarksFile));
  write(again, without(4));
  await until(async () => (await tagged()) === 4);
  t.is(await waiting(), undefined, 'half may go');
});

withBirths(
  'conflicts are in the journal once each, though the store is changed while they are put there',
  async (t) => {
    const spots = Array.from({ length: 60 }, (_, at) => ({ name: `S${at}`, lat: at, lon: at }));
    const wpts = spots.map((spot) => gpxWaypoint({ ...spot, tags: ['0'] }));
    let daemon = await startTestDaemon(t);
    write(daemon, gpxHead() + wpts.join('') + gpxTail());
    daemon = await mirrored(daemon);
    const text = read(daemon);
    await daemon.call('PATCH', '/api/tags', { tag: '0', newTag: '1' });
    daemon = await mirrored(daemon);
    const kinds = async (limit: number): Promise<string[]> =>
      (await daemon.get(`/api/changes?limit=${limit}`)).body.changes.map(
        ({ kind }: { kind: string }) => kind,
      );
    // What the store has changed is deleted in the file.
    write(daemon, text.replaceAll(/<wpt .*?<\/wpt>\n/gsu, ''));
    await until(async () => (await kinds(1)).includes('undo'));
    await add(daemon, 'meanwhile');
    await until(() => daemon.logged.some((line) => line.includes('"conflicts":60')));
    t.is((await kinds(200)).filter((kind) => kind === 'undo').length, 60);
  },
);

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

withBirths(
  'conflicts do not fill the journal: a merge keeps so many of them and no more',
  async (t) => {
    const spots = Array.from({ length: limits.mirrorConflicts + 1 }, (_, at) => `S${at}`);
    const wpts = [...spots, 'Stays'].map((name, at) =>
      gpxWaypoint({ name, lat: at % 80, lon: at / 100, tags: ['0'] }),
    );
    let daemon = await startTestDaemon(t);
    write(daemon, gpxHead() + wpts.join('') + gpxTail());
    daemon = await mirrored(daemon);
    for (const [round, count] of [limits.mirrorConflicts, limits.mirrorConflicts + 1].entries()) {
      const blocks = read(daemon).split(/(?=<wpt )/u);
      await daemon.call('PATCH', '/api/tags', { tag: `${round}`, newTag: `${round + 1}` });
      daemon = await mirrored(daemon);
      // What the store has changed is deleted in the file.
      write(daemon, blocks.toSpliced(1, count).join(''));
      const merged = `"conflicts":${limits.mirrorConflicts}`;
      await until(() => daemon.logged.some((line) => line.includes(merged)));
      t.deepEqual(
        daemon.logged.filter((line) => line.includes('in_backups_only')),
        count > limits.mirrorConflicts
          ? ['mirror.conflicts_kept_in_backups_only {"conflicts":1}']
          : [],
      );
      t.is((await list(daemon)).length, spots.length + 1);
      daemon = await mirrored(daemon);
    }
  },
);
