import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  openSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  watch,
  writeFileSync,
} from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import test from 'ava';
import fc from 'fast-check';
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { exportWriter } from '../formats/export/formats.ts';
import { decimalText, escapeXml, gpxHead, gpxTail, gpxWaypoint } from '../formats/gpx-text.ts';
import { exportQuery } from '../model/export.ts';
import type { Waypoint } from '../model/waypoint.ts';
import { launcher, startFakeDaemon, testCli } from './helpers/cli.ts';
import { posix, testWith } from './helpers/where.ts';

const camp: Waypoint = {
  name: 'Camp',
  lat: 42.1,
  lon: -8.3,
  ele: 12.5,
  time: '2024-06-01T12:00:00Z',
  desc: 'by the river',
  bookmark: true,
  tags: ['home', '**'],
};
const awkward: Waypoint = {
  name: '<b> & "quotes" \u2028 ⭐ \'',
  lat: 1e-7,
  lon: 180,
  bookmark: false,
};

/** What the daemon sends: of its own writers, so that formats are seen as users get them. */
function body(query: URLSearchParams, waypoints: readonly Waypoint[]): string {
  const { format = 'gpx' } = exportQuery.parse(Object.fromEntries(query));
  const writer = exportWriter(format, '2024-06-01T12:00:00Z');
  const texts = waypoints.map((waypoint) => writer.waypoint(waypoint));
  return [writer.head, ...texts, ...writer.end()].join('');
}

async function withWaypoints(t: Parameters<typeof testCli>[0], waypoints: readonly Waypoint[]) {
  const cli = testCli(t);
  await startFakeDaemon(t, cli, {
    'GET /api/export': ({ query }, response: ServerResponse) => {
      const wanted = query.get('bookmarksOnly') === 'true';
      response.end(
        body(
          query,
          waypoints.filter(({ bookmark }) => bookmark || !wanted),
        ),
      );
    },
  });
  return cli;
}

const parser = new XMLParser({
  ignoreAttributes: false,
  parseTagValue: false,
  parseAttributeValue: false,
});

test('GPX has every field in the order that the GPX 1.1 schema demands', (t) => {
  const text =
    gpxHead('2024-01-01T00:00:00Z') + gpxWaypoint({ ...camp, tags: ['home', '**'] }) + gpxTail();
  t.is(
    text,
    `<?xml version="1.0" encoding="UTF-8"?>
<gpx version="1.1" creator="waypointd" xmlns="http://www.topografix.com/GPX/1/1" xmlns:wd="https://waypointd.invalid/gpx/1">
<metadata><time>2024-01-01T00:00:00Z</time></metadata>
<wpt lat="42.1" lon="-8.3"><ele>12.5</ele><time>2024-06-01T12:00:00Z</time><name>Camp</name><desc>by the river</desc><extensions><wd:tags><wd:tag>home</wd:tag><wd:tag>**</wd:tag></wd:tags><wd:bookmark/></extensions></wpt>
</gpx>
`,
  );
  t.true(XMLValidator.validate(text));
});

test('GPX numbers are decimals without an exponent and keep every digit', (t) => {
  t.is(decimalText(1e-7), '0.0000001');
  t.is(decimalText(-1.25e-9), '-0.00000000125');
  t.is(decimalText(1e21), '1000000000000000000000');
  t.is(decimalText(-0), '0');
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      const text = decimalText(value);
      return /^-?\d+(\.\d+)?$/u.test(text) && Number(text) === value;
    }),
  );
});

test('any text in GPX gives well-formed XML that reads back the same', (t) => {
  const property = fc.property(fc.string({ unit: 'binary', minLength: 1 }), (text) => {
    // What the store holds: no control characters, no lone surrogates, trimmed.
    const stored = text
      .toWellFormed()
      .replace(/\p{Cc}|[\uFFFE\uFFFF]/gu, ' ')
      .trim();
    const xml =
      gpxHead() + gpxWaypoint({ name: stored, lat: 0, lon: 0, tags: [stored] }) + gpxTail();
    if (XMLValidator.validate(xml) !== true) return false;
    return stored === '' || String(parser.parse(xml).gpx.wpt.name) === stored;
  });
  t.notThrows(() => fc.assert(property));
});

test('characters that XML cannot hold become blanks', (t) => {
  t.is(escapeXml('a\u0000b\u001Fc\uFFFEd\uD800e'), 'a b c d\uFFFDe');
});

test('export writes GPX to standard output', async (t) => {
  const cli = await withWaypoints(t, [camp, awkward]);
  const text = await cli.out(['export']);
  const { gpx } = parser.parse(text);
  t.is(gpx['@_version'], '1.1');
  t.is(gpx['@_creator'], 'waypointd');
  t.regex(gpx.metadata.time, /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/u);
  t.is(gpx.wpt.length, 2);
  t.is(gpx.wpt[1].name, awkward.name);
  t.is(gpx.wpt[1]['@_lat'], '0.0000001');
  t.deepEqual(gpx.wpt[0].extensions['wd:tags']['wd:tag'], ['home', '**']);
});

test('export --bookmarks leaves the imported ones out', async (t) => {
  const cli = await withWaypoints(t, [camp, awkward]);
  const text = await cli.out(['export', '--bookmarks', '--format', 'geojson']);
  t.is(JSON.parse(text).features.length, 1);
});

test('export refuses a tag where no waypoints are asked for', async (t) => {
  const cli = await withWaypoints(t, [camp]);
  const { code, stdout, stderr } = await cli.run(['export', '--only', 'tracks', '-t', 'home']);
  t.deepEqual([code, stdout], [64, '']);
  t.regex(stderr, /Only waypoints have tags/u);
  t.is((await cli.run(['export', '--only', 'waypoints', '-t', 'home'])).code, 0);
});

test('export without waypoints gives valid empty files', async (t) => {
  const cli = await withWaypoints(t, []);
  t.true(XMLValidator.validate(await cli.out(['export'])));
  t.deepEqual(JSON.parse(await cli.out(['export', '-f', 'geojson'])), {
    type: 'FeatureCollection',
    features: [],
  });
  t.is(
    await cli.out(['export', '-f', 'csv']),
    'name,lat,lon,ele,time,desc,bookmark,tags,sym,type,cmt,src,links,kind,line,segment\r\n',
  );
});

test('GeoJSON has longitude first, the elevation third and raw tags', async (t) => {
  const cli = await withWaypoints(t, [camp, awkward]);
  t.deepEqual(JSON.parse(await cli.out(['export', '-f', 'geojson'])), {
    type: 'FeatureCollection',
    features: [
      {
        type: 'Feature',
        geometry: { type: 'Point', coordinates: [-8.3, 42.1, 12.5] },
        properties: {
          name: 'Camp',
          time: '2024-06-01T12:00:00Z',
          desc: 'by the river',
          bookmark: true,
          tags: ['home', '**'],
        },
      },
      {
        type: 'Feature',
        geometry: { type: 'Point', coordinates: [180, 1e-7] },
        properties: { name: awkward.name, bookmark: false },
      },
    ],
  });
});

test('CSV is quoted as RFC 4180 says, and no text is a formula', async (t) => {
  const cli = await withWaypoints(t, [
    { name: 'a,"b"', lat: -1, lon: 2, bookmark: true, tags: ['-', 'x;y'] },
    { name: '=HYPERLINK("http://x")', lat: 0, lon: 0, desc: '@x', bookmark: false },
  ]);
  const lines = (await cli.out(['export', '-f', 'csv'])).split('\r\n');
  t.is(lines[1], `"a,""b""",-1,2,,,,true,'-;x;y,,,,,,waypoint,,`);
  t.is(lines[2], `"'=HYPERLINK(""http://x"")",0,0,,,'@x,false,,,,,,,waypoint,,`);
  t.is(lines.at(-1), '');
});

test('the ending of the file tells the format, and none is contradicted', async (t) => {
  const cli = await withWaypoints(t, [camp]);
  const read = (name: string): string => readFileSync(join(cli.root, name), 'utf8');
  const { stderr } = await cli.run(['export', '-o', 'all.gpx']);
  t.regex(stderr, /Wrote 1 kB to .*all\.gpx/u);
  t.regex(read('all.gpx'), /^<\?xml/u);
  await cli.out(['export', '-o', 'all.GeoJSON']);
  t.is(JSON.parse(read('all.GeoJSON')).type, 'FeatureCollection');
  await cli.out(['export', '-o', 'all.kml']);
  t.regex(read('all.kml'), /<kml /u);
  await cli.out(['export', '-o', 'all.dat', '-f', 'csv']);
  t.regex(read('all.dat'), /^name,lat/u);
  const untold = await cli.run(['export', '-o', 'all.txt']);
  t.regex(untold.stderr, /Wrote 1 kB to .*all\.txt as GPX\n/u);
  for (const words of [
    ['all.loc'],
    ['all.fit'],
    ['new.csv', '-f', 'gpx'],
    ['new.gpx', '-f', 'kml'],
  ]) {
    const [name = ''] = words;
    const { code, stderr } = await cli.run(['export', '-o', ...words]);
    t.is(code, 64, name);
    t.regex(stderr, /ends? in \./u);
    t.false(existsSync(join(cli.root, name)));
  }
  t.is((await cli.run(['export', '-o', ''])).code, 64);
});

posix('an exported file is for its owner alone, and a link to an older one stays', async (t) => {
  const cli = await withWaypoints(t, [camp]);
  mkdirSync(join(cli.root, 'kept'));
  writeFileSync(join(cli.root, 'kept', 'old.gpx'), 'old');
  symlinkSync(join(cli.root, 'kept', 'old.gpx'), join(cli.root, 'all.gpx'));
  await cli.out(['export', '-o', 'all.gpx']);
  t.true(lstatSync(join(cli.root, 'all.gpx')).isSymbolicLink());
  t.regex(readFileSync(join(cli.root, 'kept', 'old.gpx'), 'utf8'), /^<\?xml/u);
  t.is(statSync(join(cli.root, 'all.gpx')).mode & 0o777, 0o600);
});

test('an answer that breaks off leaves the older file as it was and nothing beside it', async (t) => {
  const cli = testCli(t);
  await startFakeDaemon(t, cli, {
    'GET /api/export': (_, response: ServerResponse) => {
      response.statusCode = 200;
      response.flushHeaders();
      response.write(gpxHead(), () => response.destroy());
    },
  });
  mkdirSync(join(cli.root, 'out'));
  const file = join(cli.root, 'out', 'all.gpx');
  writeFileSync(file, 'old');
  const { code, stderr } = await cli.run(['export', '-o', file]);
  t.is(code, 1);
  t.regex(stderr, /^waypointd: The daemon /u);
  t.is(readFileSync(file, 'utf8'), 'old');
  t.deepEqual(readdirSync(join(cli.root, 'out')), ['all.gpx']);
});

test('an export that cannot be written says why', async (t) => {
  const cli = await withWaypoints(t, [camp]);
  const missing = await cli.run(['export', '-o', join('no', 'such', 'all.gpx')]);
  t.is(missing.code, 1);
  t.regex(missing.stderr, /its directory does not exist/u);
  const directory = await cli.run(['export', '-o', '.']);
  t.is(directory.code, 1);
  t.regex(directory.stderr, /not a regular file/u);
  t.is((await cli.run(['export', '-f', 'kmz'])).code, 64);
});

posix('a reader of standard output that closes it ends the command without a word', async (t) => {
  const many = Array.from({ length: 5_000 }, (_, at) => ({ ...camp, name: `Camp ${at}` }));
  const cli = await withWaypoints(t, many);
  for (const words of [['export']]) {
    const child = cli.start(words);
    child.stdout?.once('data', () => child.stdout?.destroy());
    let stderr = '';
    child.stderr?.on('data', (piece) => (stderr += String(piece)));
    const code = await new Promise((done) => child.on('close', done));
    t.is(code, 0, words.join(' '));
    t.is(stderr, '');
  }
});

const withFullDevice = testWith(existsSync('/dev/full'), 'no /dev/full');
withFullDevice('standard output on a full disk is an error', async (t) => {
  const cli = await withWaypoints(t, [camp]);
  const full = openSync('/dev/full', 'w');
  const child = spawn(process.execPath, [launcher, 'export'], {
    env: cli.env,
    stdio: ['ignore', full, 'ignore'],
  });
  t.is(await new Promise((done) => child.on('exit', done)), 1);
  closeSync(full);
});

posix('an export that a signal ends leaves nothing beside the older file', async (t) => {
  const cli = testCli(t);
  const begun = Promise.withResolvers<void>();
  await startFakeDaemon(t, cli, {
    'GET /api/export': (_, response: ServerResponse) => {
      response.write(gpxHead());
      begun.resolve();
      return new Promise(() => undefined);
    },
  });
  mkdirSync(join(cli.root, 'out'));
  const file = join(cli.root, 'out', 'all.gpx');
  writeFileSync(file, 'old');
  const child = cli.start(['export', '-o', file]);
  await begun.promise;
  await watchUntil(join(cli.root, 'out'), (names) => names.length === 2);
  child.kill('SIGTERM');
  t.is(await new Promise((done) => child.on('exit', done)), 143);
  t.deepEqual(readdirSync(join(cli.root, 'out')), ['all.gpx']);
  t.is(readFileSync(file, 'utf8'), 'old');
});

async function watchUntil(directory: string, isThere: (names: readonly string[]) => boolean) {
  const changes = watch(directory);
  while (!isThere(readdirSync(directory))) await once(changes, 'change');
  changes.close();
}
