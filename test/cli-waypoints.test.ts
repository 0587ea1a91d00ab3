import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import { openReader } from '../storage/database.ts';
import { startFakeDaemon, testCli } from './helpers/cli.ts';
import { startTestDaemon, type TestDaemon } from './helpers/daemon.ts';
import { valuesOf } from './helpers/fields.ts';
import { temporaryDirectory } from './helpers/temporary-directory.ts';

/** A command line and the daemon that it finds; what a test is not about goes straight to the daemon. */
async function daemonAndCli(t: ExecutionContext) {
  const root = temporaryDirectory(t);
  const daemon = await startTestDaemon(t, { root, options: { handOver: true } });
  return { daemon, cli: testCli(t, root) };
}

async function names(daemon: TestDaemon, query = ''): Promise<string[]> {
  const { body } = await daemon.get<{ name: string }[]>(`/api/waypoints${query}`);
  return body.map(({ name }) => name);
}

async function addBookmarks(daemon: TestDaemon, ...bookmarks: object[]): Promise<void> {
  for (const bookmark of bookmarks) await daemon.call('POST', '/api/bookmarks', bookmark);
}

const gpx = `<?xml version="1.0" encoding="UTF-8"?>
<gpx version="1.1" creator="test" xmlns="http://www.topografix.com/GPX/1/1">
<wpt lat="41.1" lon="-8.6"><ele>12</ele><time>2024-05-01T10:00:00Z</time><name>Fonte &amp; Praça</name><desc>a note</desc></wpt>
<wpt lat="0.0000001" lon="180"><name>007</name></wpt>
<trk><trkseg><trkpt lat="41.1" lon="-8.6"><time>2024-05-01T10:00:00Z</time></trkpt><trkpt lat="41.2" lon="-8.6"/></trkseg></trk>
</gpx>
`;

function gpxFolder(t: ExecutionContext): string {
  const directory = temporaryDirectory(t);
  mkdirSync(join(directory, 'more'));
  writeFileSync(join(directory, 'day.gpx'), gpx);
  writeFileSync(join(directory, 'more', 'other.gpx'), gpx.replaceAll('Fonte', 'Porto'));
  return directory;
}

test('bookmark add, rename, edit and rm do what they say', async (t) => {
  const { daemon, cli } = await daemonAndCli(t);
  t.is(
    await cli.out(['bookmark', 'add', 'Camp', '42.1', '-8.3', '--tag', 'home', '-t', '**']),
    'Added "Camp" at 42.1, -8.3, tagged 🏠 home, ⭐⭐.\n',
  );
  const again = await cli.run(['bookmark', 'add', 'Camp', '42.1,-8.3']);
  t.like(again, {
    code: 1,
    stderr: 'waypointd: A bookmark of this name already exists at this position.\n',
  });
  t.is(await cli.out(['bookmark', 'rename', 'Camp', 'Base']), 'Renamed "Camp" to "Base".\n');
  const changes = ['--desc', 'a note', '--ele', '12.5', '--to', '-42.5,-8.25'];
  t.is(
    await cli.out(['bookmark', 'edit', 'Base', ...changes]),
    'Changed "Base" at -42.5, -8.25.\n',
  );
  const [base] = (await daemon.get('/api/waypoints')).body;
  t.like(base, { name: 'Base', lat: -42.5, lon: -8.25, ele: 12.5, desc: 'a note' });
  t.deepEqual(base.tags, ['home', '**']);
  await cli.out(['bookmark', 'edit', 'Base', '--desc', '', '--ele', '']);
  const [cleared] = (await daemon.get('/api/waypoints')).body;
  t.is(cleared.desc, undefined);
  t.is(cleared.ele, undefined);
  t.is(await cli.out(['bookmark', 'rm', 'Base']), 'Removed "Base" at -42.5, -8.25.\n');
  t.deepEqual(await names(daemon), []);
});

test('a bookmark with every field and awkward arguments arrives unchanged', async (t) => {
  const { cli } = await daemonAndCli(t);
  const words = ['bookmark', 'add', '--json', '--ele', '-3', '--time', '2024-06-01T14:00:00+02:00'];
  const saved = JSON.parse(
    await cli.out([...words, '--desc', '-dash', '--tag', '-', 'Ärger & "Co"', '-0.5', '-180']),
  );
  t.like(saved, {
    name: 'Ärger & "Co"',
    lat: -0.5,
    lon: -180,
    ele: -3,
    time: '2024-06-01T12:00:00Z',
    desc: '-dash',
  });
  t.is(saved.tags[0].raw, '-');
});

test('bookmark add and edit have every field of a waypoint; an empty one is removed', async (t) => {
  const { daemon, cli } = await daemonAndCli(t);
  const fields = { sym: 'Campground', type: 'camp', cmt: 'two\nlines', src: 'me' };
  const words = Object.entries(fields).flatMap(([field, text]) => [`--${field}`, text]);
  const [page, mail] = ['https://example.org/a?b=c&d', 'mailto:camp@example.org'];
  const links = ['--link', `${page}  About  it`, '--link', mail];
  await cli.out(['bookmark', 'add', 'Camp', '42.1,-8.3', ...words, ...links]);
  const saved = async () => (await daemon.get('/api/waypoints')).body[0];
  const added = { ...fields, links: [{ href: page, text: 'About it' }, { href: mail }] };
  t.like(await saved(), added);
  await cli.out(['bookmark', 'edit', 'Camp', '--link', mail]);
  t.like(await saved(), { ...fields, links: [{ href: mail }] });
  await cli.out(['bookmark', 'edit', 'Camp', '--sym', 'Lodging']);
  t.like(await saved(), { ...fields, sym: 'Lodging', links: [{ href: mail }] });
  for (const href of ['example.org', 'javascript:alert(1)', `https://${'a'.repeat(2_041)}`]) {
    const refused = await cli.run(['bookmark', 'edit', 'Camp', '--link', href]);
    t.is(refused.code, 64);
    t.regex(refused.stderr, /--link is an address of http, https or mailto/u);
  }
  await cli.out(['bookmark', 'edit', 'Camp', '--link', `https://${'a'.repeat(2_040)}`]);
  const empty = ['--sym', '', '--type', '', '--cmt', '', '--src', '', '--link', ''];
  await cli.out(['bookmark', 'edit', 'Camp', ...empty]);
  const { name, bookmark, ...left } = await saved();
  t.like({ name, bookmark }, { name: 'Camp', bookmark: true });
  for (const field of [...Object.keys(fields), 'links']) t.false(field in left, field);
});

test('a name that two bookmarks have needs --at, and the candidates are shown', async (t) => {
  const { daemon, cli } = await daemonAndCli(t);
  await addBookmarks(daemon, { name: 'Camp', lat: 1, lon: 2 }, { name: 'Camp', lat: -3, lon: -4 });
  const { code, stderr } = await cli.run(['bookmark', 'rm', 'Camp']);
  t.is(code, 1);
  t.regex(stderr, /--at 1,2 [\s\S]*--at -3,-4 [\s\S]*2 waypoints have this name/u);
  await cli.out(['bookmark', 'rm', 'Camp', '--at', '-3,-4']);
  const { body } = await daemon.get('/api/waypoints');
  t.is(body.length, 1);
  t.like(body[0], { lat: 1, lon: 2 });
});

test('a bookmark that is not there is a sentence with a suggestion', async (t) => {
  const { daemon, cli } = await daemonAndCli(t);
  await addBookmarks(daemon, { name: 'Camp', lat: 1, lon: 2 });
  const { code, stderr } = await cli.run(['bookmark', 'rename', 'camp', 'X']);
  t.is(code, 1);
  t.is(stderr, 'waypointd: No bookmark is called "camp". Did you mean "Camp"?\n');
  const gone = await cli.run(['bookmark', 'rm', 'Camp', '--at', '5,5']);
  t.like(gone, { code: 1, stderr: 'waypointd: No bookmark matches this name and position.\n' });
});

test('tags are added, listed, counted, searched for and removed', async (t) => {
  const { daemon, cli } = await daemonAndCli(t);
  await addBookmarks(
    daemon,
    { name: 'Cove', lat: 1, lon: 2, tags: ['beach'] },
    { name: 'Bar', lat: 3, lon: 4 },
  );
  t.is(
    await cli.out(['tag', 'add', 'Bar', 'beach', 'own tag']),
    '"Bar" is tagged 🏖️ beach, own tag.\n',
  );
  t.is(await cli.out(['tag', 'list', 'Bar']), '🏖️ beach\nown tag\n');
  t.regex(await cli.out(['tag', 'list']), /^🏖️ beach +2$/mu);
  const tagged = await cli.json(['list', '--tag', 'own tag']);
  t.deepEqual(valuesOf(tagged, 'name'), ['Bar']);
  t.regex(await cli.out(['search', 'tag:beach']), /^Cove +1 +2 +bookmarks, by tag$/mu);
  t.is(
    await cli.out(['tag', 'rm', 'Bar', 'beach', 'own tag', 'never']),
    '"Bar" has no tags now.\n',
  );
  t.deepEqual(await names(daemon, '?tag=beach'), ['Cove']);
});

test('search asks again while a geocoding server is asked', async (t) => {
  const cli = testCli(t);
  const hut = { name: 'Canary hut', lat: 1, lon: 2, source: 'geocode' };
  let asked = 0;
  await startFakeDaemon(t, cli, {
    'GET /api/suggest': () => {
      asked += 1;
      const isThere = asked === 3;
      return { query: 'hut', suggestions: isThere ? [hut] : [], pending: !isThere };
    },
  });
  t.regex(await cli.out(['search', 'hut']), /^Canary hut +1 +2 +places$/mu);
  t.is(asked, 3);
});

test('without geodata, geodata list and search say what to do', async (t) => {
  const root = temporaryDirectory(t);
  await startTestDaemon(t, {
    root,
    settings: { geocoder: 'offline' },
    options: { handOver: true, geodata: { builtinPath: join(root, 'missing') } },
  });
  const cli = testCli(t, root);
  const remedy = /here is no geodata\. Make it with "npm run geodata" in the clone, then restart/u;
  t.regex((await cli.run(['geodata', 'list'])).stderr, remedy);
  t.regex((await cli.run(['search', 'berlin'])).stderr, remedy);
  const tag = await cli.run(['search', 'tag:beach']);
  t.is(tag.stderr, 'Nothing found for "tag:beach".\n');
});

test('import, list, search and status agree on what is there', async (t) => {
  const { daemon, cli } = await daemonAndCli(t);
  const folder = gpxFolder(t);
  const first = await cli.run(['import', folder]);
  t.is(first.code, 0, first.stderr);
  t.regex(first.stdout, /^Imported 2 timed points of 2024-05-01 and 2 waypoints from 1 file\.\n/u);
  t.regex(first.stdout, /2 points without a time/u);
  t.regex(first.stderr, /1 file is in sub-folders.*-r/u);
  t.deepEqual(await names(daemon), ['Fonte & Praça', '007']);
  await cli.out(['import', folder, '-r']);
  t.regex(
    await cli.out(['import', '-r', folder]),
    /^Nothing new: 2 files were imported before\.\n/u,
  );
  t.regex(
    await cli.out(['list', '--bbox', '-9,41,-8,42']),
    /^NAME +LAT +LON +DATE +KIND +TAGS\nFonte & Praça +41\.1 +-8\.6 +2024-05-01 +imported\nPorto[^\n]+\n$/u,
  );
  t.regex(
    await cli.out(['search', 'praca']),
    /^Fonte & Praça +41\.1 +-8\.6 +imported waypoints$/mu,
  );
  t.is((await cli.run(['search', 'nowhere'])).stderr, 'Nothing found for "nowhere".\n');
  t.like(await cli.json(['status']), { waypoints: 3, bookmarks: 0 });
  await cli.out(['tag', 'add', '007', 'home']);
  t.deepEqual(await names(daemon, '?tag=home'), ['007']);
});

test('GPX that is exported and imported elsewhere gives the same waypoints', async (t) => {
  const here = await daemonAndCli(t);
  await here.daemon.call('POST', '/api/import', { dir: gpxFolder(t), recursive: true });
  const awkward = {
    name: '<&> "⭐"',
    lat: -1e-7,
    lon: -0.123_456_789_012_345,
    desc: 'x',
    ele: 1e-7,
  };
  await addBookmarks(here.daemon, awkward);
  await here.cli.out(['export', '-o', 'all.gpx']);
  const elsewhere = await daemonAndCli(t);
  await elsewhere.cli.out(['import', join(here.cli.root, 'all.gpx')]);
  const [before, after] = await Promise.all(
    [here, elsewhere].map(async ({ daemon }) => {
      const { body } = await daemon.get<Record<string, unknown>[]>('/api/waypoints');
      // Longitudes 180 and -180 are one; only the first list has a bookmark.
      return body.map((waypoint) => ({
        ...waypoint,
        bookmark: undefined,
        lon: waypoint['lon'] === -180 ? 180 : waypoint['lon'],
      }));
    }),
  );
  t.is(before?.length, 4);
  t.deepEqual(after, before);
  await elsewhere.cli.out(['export', '-o', 'again.gpx']);
  await elsewhere.cli.out(['import', join(elsewhere.cli.root, 'again.gpx')]);
  t.is((await names(elsewhere.daemon)).length, 4, 'its own export adds nothing');
});

test('history shows, forgets one and forgets all, and a search is not recorded', async (t) => {
  const { daemon, cli } = await daemonAndCli(t);
  await daemon.call('POST', '/api/history', { queries: ['one', 'two', 'three'] });
  await cli.out(['search', 'four']);
  t.is(await cli.out(['history']), 'three\ntwo\none\n');
  t.is(await cli.out(['history', '-n', '1']), 'three\n');
  t.is(await cli.out(['history', 'clear', 'two']), 'Forgot 1 search.\n');
  t.deepEqual(await cli.json(['history', 'clear']), { deleted: 2 });
  await daemon.call('POST', '/api/history', { query: 'old' });
  const { backups, waypointsDatabase } = daemon.paths;
  mkdirSync(backups, { recursive: true });
  const copy = join(backups, 'waypoints-v5-20250101T000000Z.sqlite');
  const store = openReader(waypointsDatabase);
  store.prepare('VACUUM INTO ?').run(copy);
  store.close();
  const cleared = await cli.run(['history', 'clear']);
  t.deepEqual([cleared.code, cleared.stdout], [0, 'Forgot 1 search.\n']);
  t.true(cleared.stderr.includes(copy), cleared.stderr);
  rmSync(copy);
  t.is((await cli.run(['history', 'clear'])).stderr, '');
  t.is((await cli.run(['history'])).stderr, 'There are no recent searches.\n');
});

test('without a daemon a command opens the data itself, says so and leaves no daemon behind', async (t) => {
  const cli = testCli(t);
  const data = join(cli.root, 'data');
  const added = await cli.run(['bookmark', 'add', 'Camp', '42.1', '-8.3']);
  t.is(added.code, 0, added.stderr);
  t.is(added.stdout, 'Added "Camp" at 42.1, -8.3.\n');
  t.is(added.stderr, `No daemon is running: this command opened ${data} itself.\n`);
  await cli.out(['import', gpxFolder(t), '-r']);
  t.is((await cli.json(['list'])).length, 4);
  t.false(readdirSync(data).includes('daemon.json'));
  t.is((await cli.run(['status'])).code, 1);
});

test('commands at the same moment wait for each other', async (t) => {
  const cli = testCli(t);
  const results = await Promise.all(
    [1, 2].map((at) => cli.run(['bookmark', 'add', `Camp ${at}`, '1', String(at)])),
  );
  for (const { code, stderr } of results) t.is(code, 0, stderr);
  t.is((await cli.json(['list'])).length, 2);
});

test('the demo shows a journey by the commands that a user types, and leaves nothing behind', async (t) => {
  const temporary = temporaryDirectory(t);
  const script = join(import.meta.dirname, '../examples/demo.js');
  const home = temporaryDirectory(t);
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('XDG_'));
  const places = {
    HOME: home,
    APPDATA: home,
    LOCALAPPDATA: home,
    TMPDIR: temporary,
    TEMP: temporary,
  };
  const env = { ...Object.fromEntries(own), ...places };
  const { stdout: shown } = await promisify(execFile)(process.execPath, [script], { env });
  for (const expected of [
    /^Imported [\d,]+ timed points from .* waypoints from \d+ files\.$/mu,
    /^Home +41\.1579 +-8\.6291 .*bookmark/mu,
    /^\d+ waypoints +-?[\d.]+ +-?[\d.]+$/mu,
    /tag:beach ──\nNAME .*\n[\s\S]*Praia/u,
    /fini ──\nNAME .*\n.*Finisterre/u,
    /goteborg ──\nNAME .*\nGothenburg, /u,
    /timeline 2024 .*──\n2024-01-01 to [^─]*\nCOUNTRY .*\nSpain +9 +8 +7 d/u,
    /where 2024-05-14T15:30Z ──\n.*: Bordeaux, .*France\nposition /u,
  ]) {
    t.regex(shown, expected);
  }
  t.deepEqual(readdirSync(temporary), []);
  t.deepEqual(readdirSync(home), []);
});

test('tag add takes no position for two tags', async (t) => {
  const cli = testCli(t);
  await cli.out(['bookmark', 'add', 'Bar', '41.15', '-8.6']);
  const { code, stderr } = await cli.run(['tag', 'add', 'Bar', '41.15', '-8.6', 'own']);
  t.is(code, 64);
  t.regex(stderr, /--at 41\.15,-8\.6/u);
  t.regex(await cli.out(['tag', 'add', 'Bar', '2024', '10']), /2024/u);
});

test('hide, undo, changes and tag rename do what they say', async (t) => {
  const { daemon, cli } = await daemonAndCli(t);
  await cli.out(['import', gpxFolder(t)]);
  t.is(await cli.out(['hide', '007']), 'Hid "007".\n');
  t.regex(await cli.out(['hide', 'list']), /007/u);
  t.is((await cli.run(['hide', '007'])).code, 1);
  await cli.out(['bookmark', 'add', 'Own', '1', '2']);
  t.regex((await cli.run(['hide', 'Own'])).stderr, /waypointd bookmark rm/u);
  await cli.out(['bookmark', 'rm', 'Own']);
  t.deepEqual(await names(daemon), ['Fonte & Praça']);
  t.is(await cli.out(['hide', 'show', '007']), '"007" shows again.\n');
  await cli.out(['tag', 'add', '007', 'lake', 'x']);
  t.is(await cli.out(['tag', 'rename', 'lake', 'sea']), 'Renamed it at 1 waypoint.\n');
  t.is(await cli.out(['tag', 'rename', 'lake', 'sea']), 'No waypoint has this tag.\n');
  t.regex(
    await cli.out(['undo']),
    /^Undone: change \d+ \(tag renamed: sea of 007\)\. ".*undo \d+" reverses this\.$/mu,
  );
  t.regex(await cli.out(['undo']), /\(tagged: lake of 007 and 1 more\)/u);
  const table = await cli.out(['changes']);
  t.regex(table, /ID +WHEN +WHAT +OF +UNDO/u);
  t.regex(table, /tagged +lake of 007 and 1 more +undone/u);
  t.regex(table, /bookmark deleted +Own +yes/u);
  t.false(/"007|lake/u.test(await cli.out(['changes', '--json'])), 'not unless it is asked for');
  t.is((await cli.json(['changes', '--limit', '1'])).changes[0].kind, 'undo');
  t.is((await cli.run(['undo', '0'])).code, 64);
  t.is((await cli.run(['changes', '--limit', '201'])).code, 64);
  t.like(await cli.run(['undo', '9999']), {
    code: 1,
    stderr: 'waypointd: No change that is still kept has this number.\n',
  });
});
