/** No file has an import take more than 300 MB: hostile ones, read by a daemon in a process of its own. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { ExecutionContext } from 'ava';
import { testCli, untilPrinted } from './helpers/cli.ts';
import { onLinux } from './helpers/where.ts';

const most = 300_000_000;

/** Imports a file by a daemon that has done nothing else. @returns the most memory that it took, bytes. */
async function peakOf(t: ExecutionContext, name: string, content: string | Uint8Array) {
  const cli = testCli(t);
  const source = join(cli.root, 'source');
  mkdirSync(source);
  writeFileSync(join(source, name), content);
  const child = cli.start(['serve', '--port', '0']);
  await untilPrinted(child.stderr, /daemon\.ready/u);
  await cli.run(['import', source]);
  const { pid } = JSON.parse(readFileSync(join(cli.root, 'run', 'daemon.json'), 'utf8')) as {
    pid: number;
  };
  const [, kib = '0'] =
    /^VmHWM:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  child.kill();
  return Number(kib) * 1_024;
}

const collection = (properties: string, geometry = 'null'): string =>
  `{"type":"FeatureCollection","features":[{"type":"Feature","properties":${properties},"geometry":${geometry}}]}`;
/** As many as fit into one element. */
const times = (text: string): string => text.repeat(Math.floor(16_000_000 / text.length));
/** As many as may be in one element, at six bytes of cost each. */
const line = `{"type":"LineString","coordinates":[${'[8.12345,47.12345],'.repeat(790_000)}[8,47]]}`;

const files: Readonly<Record<string, readonly [name: string, content: () => string | Uint8Array]>> =
  {
    'one GeoJSON element of empty arrays': [
      'a.geojson',
      () => collection(`{"a":[${times('[],')}[]]}`),
    ],
    'one GeoJSON element of empty objects': [
      'a.geojson',
      () => collection(`{"a":[${times('{},')}{}]}`),
    ],
    'the longest line of one GeoJSON element': ['a.geojson', () => collection('{}', line)],
    'a gzip file of 500,000 empty members': [
      'a.gpx.gz',
      () => {
        const empty = gzipSync('');
        return Buffer.concat(Array.from({ length: 500_000 }, () => empty));
      },
    ],
    'ten million times of one KML track': [
      'a.kml',
      () =>
        `<kml><Placemark><Track>${'<when>2024</when>'.repeat(9_999_000)}</Track></Placemark></kml>`,
    ],
    'names of 250,000 points of one route': [
      'a.gpx',
      () =>
        `<gpx><rte>${`<rtept lat="1" lon="2"><name>${'n'.repeat(500)}</name></rtept>`.repeat(250_000)}</rte></gpx>`,
    ],
  };

for (const [what, [name, content]] of Object.entries(files))
  onLinux(`an import takes at most 300 MB: ${what}`, async (t) => {
    const peak = await peakOf(t, name, content());
    t.log(`${Math.round(peak / 1e6)} MB`);
    t.true(peak > 0 && peak <= most, `${peak}`);
  });
