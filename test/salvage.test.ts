/** Of cut-off and damaged files, what is whole before the damage comes in where that is asked for, and stays so. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import test from 'ava';
import { testCli } from './helpers/cli.ts';
import { startTestDaemon, type TestDaemon } from './helpers/daemon.ts';
import { readBytes, type FixtureReading } from './helpers/fixtures.ts';

const fixtures = resolve(import.meta.dirname, '../fixtures');

/** The points of a reading, without numbers of lines; texts of a line may come before its end, or not at all. */
function pointsOf({ points = [] }: FixtureReading): string[] {
  const others = points.filter((point) => !point.startsWith('texts'));
  return others.map((point) => point.replace(/^(track|route) \d+$/, '$1'));
}

for (const file of [
  'fit/activity.fit',
  'fit/chained.fit',
  'gpx/version-1.1.gpx',
  'gpx/cdata.gpx',
  'tcx/activity.tcx',
  'tcx/course.tcx',
])
  test(`${file}, cut off anywhere, gives the points before, each as it is`, (t) => {
    const bytes = readFileSync(join(fixtures, file));
    const whole = pointsOf(readBytes(bytes, file));
    let most = 0;
    for (let length = 1; length < bytes.length; length += 1) {
      const cut = bytes.subarray(0, length);
      const salvaged = readBytes(cut, file, { salvages: true });
      const points = pointsOf(salvaged);
      t.deepEqual(points, whole.slice(0, points.length), `${length} bytes`);
      t.true(points.length >= most, `${length} bytes`);
      most = points.length;
      if (salvaged.broken === undefined) continue;
      t.like(salvaged.broken, { reason: 'truncated', at: length });
      // In whatever pieces it comes.
      if (length % 7 === 0)
        t.deepEqual(pointsOf(readBytes(cut, file, { salvages: true, pieceBytes: 7 })), points);
    }
    t.deepEqual(most, whole.length);
  });

const gpx = (inside: string): string =>
  `<gpx><trk><name>Walk</name><trkseg>\n<trkpt lat="47" lon="8"></trkpt>\n${inside}</trkseg></trk></gpx>`;
const first = ['track 2', '47 8 - - -'];
const walk = readFileSync(join(fixtures, 'fit/activity.fit'));
const damages: readonly [
  what: string,
  file: string,
  bytes: Buffer,
  found: { points: readonly string[]; broken: { reason: string } & Record<string, unknown> },
][] = [
  [
    'FIT of a dead battery',
    'a.fit',
    readFileSync(join(fixtures, 'fit/dead-battery.fit')),
    {
      points: [
        'track 1',
        '47 8 400 2024-06-01T08:00:00Z -',
        '47.001 8.001 401 2024-06-01T08:00:10Z -',
      ],
      broken: { reason: 'truncated', at: 81, record: 6 },
    },
  ],
  [
    'FIT that goes on in empty blocks',
    'a.fit',
    readFileSync(join(fixtures, 'fit/dead-battery-on-empty-blocks.fit')),
    {
      points: [
        'track 1',
        '47 8 400 2024-06-01T08:00:00Z -',
        '47.001 8.001 401 2024-06-01T08:00:10Z -',
      ],
      broken: { reason: 'damaged' },
    },
  ],
  [
    'FIT with a wrong checksum',
    'a.fit',
    Buffer.concat([walk.subarray(0, -1), Buffer.from([0])]),
    { points: [], broken: { reason: 'damaged', at: walk.length - 2, record: 7 } },
  ],
  [
    'GPX with another end tag',
    'a.gpx',
    Buffer.from(gpx('<trkpt lat="48" lon="9"></ele></trkpt>')),
    { points: [...first, 'texts 2 {"name":"Walk"}'], broken: { reason: 'not_xml', line: 3 } },
  ],
  [
    'GPX with zero bytes',
    'a.gpx',
    Buffer.from(gpx('\0\0\0<trkpt lat="48" lon="9"></trkpt>')),
    { points: [...first, 'texts 2 {"name":"Walk"}'], broken: { reason: 'not_xml', line: 3 } },
  ],
  [
    'CSV of which the end was never written',
    'a.csv',
    Buffer.concat([
      Buffer.from('time,lat,lon\n2024-06-01T08:00:00Z,47,8\n'),
      Buffer.alloc(300_000),
    ]),
    {
      points: ['track 0', '47 8 - 2024-06-01T08:00:00Z -'],
      broken: { reason: 'too_large', line: 3 },
    },
  ],
];
for (const [what, file, bytes, { points, broken }] of damages)
  test(`${what} is refused, and salvaged up to there`, (t) => {
    t.is(readBytes(bytes, file).refused, broken.reason === 'truncated' ? 'damaged' : broken.reason);
    const salvaged = readBytes(bytes, file, { salvages: true });
    t.like(salvaged.broken, broken);
    if (points.length > 0) t.deepEqual(salvaged.points, points);
    else t.is(pointsOf(salvaged).length, 4);
  });

test('a file of which nothing is whole is refused, and so is one of no format', (t) => {
  for (const [file, bytes, reason] of [
    ['a.gpx', '<gpx><trk>', 'truncated'],
    ['a.gpx', '<html></html>', 'not_gpx'],
    ['a.gpx', '', 'empty'],
    ['a.fit', 'none', 'truncated'],
  ] as const)
    t.is(readBytes(Buffer.from(bytes), file, { salvages: true }).refused, reason);
});

/** What the library says of its files, and all of its points. */
async function seen(daemon: TestDaemon): Promise<unknown> {
  const { body: list } = await daemon.get('/api/imports');
  const day = '?from=2024-06-01T00:00:00Z&to=2024-06-02T00:00:00Z';
  const { body: tracks } = await daemon.get(`/api/tracks/points${day}`);
  return { list, tracks };
}

test('a library that is rebuilt has what was salvaged, and so has one to which a removed file comes back', async (t) => {
  const daemon = await startTestDaemon(t);
  const dir = join(daemon.root, 'source');
  mkdirSync(dir);
  writeFileSync(join(dir, 'a.fit'), readFileSync(join(fixtures, 'fit/dead-battery.fit')));
  const refused = await daemon.call('POST', '/api/import', { dir });
  t.deepEqual(refused.body.failures, [{ file: 'a.fit', reason: 'damaged' }]);
  const plan = await daemon.call('POST', '/api/import', { dir, salvage: true, dry_run: true });
  t.like(plan.body, { files: 1, observations: 2, planned: true });
  const { body } = await daemon.call('POST', '/api/import', { dir, salvage: true });
  t.like(body, { added: 1, failed: 0, observations: 2 });
  t.deepEqual(body.salvaged, [{ file: 'a.fit', reason: 'truncated', broken_at: 81, record: 6 }]);
  const before = await seen(daemon);
  t.like(before, { list: { files: [{ path: 'a.fit', salvaged: true, broken_at: 81 }] } });
  t.is((before as { tracks: { points: unknown[] } }).tracks.points.length, 2);
  const rebuilt = await daemon.restartWithoutLibrary();
  t.deepEqual(await seen(rebuilt), before);
  const [{ id }] = (await rebuilt.get('/api/imports')).body.files;
  t.is((await rebuilt.call('DELETE', `/api/imports/${id}`)).status, 200);
  t.is((await rebuilt.call('POST', `/api/imports/${id}/restore`)).status, 200);
  t.deepEqual(await seen(rebuilt), before);
});

test('the command line names the option, and says where a salvaged file is damaged', async (t) => {
  const cli = testCli(t);
  const daemon = await startTestDaemon(t, { root: cli.root, options: { handOver: true } });
  const dir = join(daemon.root, 'source');
  mkdirSync(dir);
  writeFileSync(join(dir, 'a.gpx'), gpx('<trkpt'));
  const refused = await cli.run(['import', dir]);
  t.is(refused.code, 1);
  t.regex(
    refused.stderr,
    /a\.gpx: it is not well-formed XML \(line 3\)\n.*--salvage imports what/u,
  );
  const salvaged = await cli.run(['import', dir, '--salvage']);
  t.is(salvaged.code, 0, salvaged.stderr);
  t.regex(salvaged.stderr, /1 file is damaged, and imported up to there:\n.*\(line 3, byte \d+\)/u);
  t.notRegex(salvaged.stderr, /--salvage/u);
});
