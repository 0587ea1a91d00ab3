/**
 * `npm run soak [MINUTES]`: a daemon under mixed load for 20 minutes, its memory looked at every 10 seconds. The data keeps
 * its size, so memory has to keep its size, too: in the second half it may not grow. Linux only: it reads /proc.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Random } from '../../bench/random.ts';
import {
  command,
  download,
  makeObjectStore,
  scratchDirectory,
  siteIn,
  start,
  upload,
  type Running,
} from './site.ts';

const minutes = Number(process.argv[2] ?? '20');
const sampleMs = 10_000;
/** How much the second half may add, as a share of what there is in its middle: the noise of a sample is more. */
const allowedGrowth = 0.03;
const trackFiles = 40;
const pointsEach = 3_000;
const placesEach = 50;
const bookmarks = 300;
const objects = 30;

const random = new Random(11);
/** As the units of systemd have it: a thread that is started anew gets no heap of glibc of its own. */
const malloc = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '262144',
  MALLOC_TRIM_THRESHOLD_: '262144',
};
const site = siteIn(scratchDirectory(), malloc);
const source = join(site.root, 'tracks');
const done = new Map<string, number>();

/** Writes a track file anew: the same number of points, all of them other ones. */
function writeTrack(number: number): void {
  const wpts = Array.from({ length: placesEach }, (_, at) => {
    const [lat, lon] = [random.between(40, 50).toFixed(6), random.between(0, 15).toFixed(6)];
    return `<wpt lat="${lat}" lon="${lon}"><name>Place ${number} ${at}</name></wpt>`;
  });
  const from = Date.UTC(2024, 0, 1 + number);
  let [lat, lon] = [random.between(40, 50), random.between(0, 15)];
  const points = Array.from({ length: pointsEach }, (_, at) => {
    if (at % 500 > 100) [lat, lon] = [lat + random.bell() * 3e-4, lon + random.bell() * 3e-4];
    const time = new Date(from + at * 20_000).toISOString();
    return `<trkpt lat="${lat.toFixed(6)}" lon="${lon.toFixed(6)}"><ele>${random.below(900)}</ele><time>${time}</time></trkpt>`;
  });
  const text = `<?xml version="1.0"?><gpx version="1.1" creator="soak" xmlns="http://www.topografix.com/GPX/1/1">${wpts.join('')}<trk><trkseg>${points.join('')}</trkseg></trk></gpx>`;
  writeFileSync(join(source, `track-${number}.gpx`), text);
}

const place = (number: number) => ({ name: `Bookmark ${number}`, lat: number / 10, lon: 7 });
const query = (number: number): string => `name=Bookmark%20${number}&lat=${number / 10}&lon=7`;

/** One change or question of each kind; those that refuse what is there already, or is not, are right to. */
const steps: Readonly<Record<string, (daemon: Running) => Promise<unknown>>> = {
  async import({ done: ask }) {
    for (let count = 0; count < 3; count += 1) writeTrack(random.below(trackFiles));
    await ask('POST', '/api/import', { dir: source });
  },
  async timeline({ done: ask }) {
    const first = random.below(20);
    const day = (offset: number) =>
      new Date(Date.UTC(2024, 0, 1 + first + offset)).toISOString().slice(0, 10);
    const period = { start_date: day(0), end_date: day(20) };
    const { job_id } = JSON.parse(await ask('POST', '/api/timelines', period));
    const path = `/api/timelines/${job_id}`;
    for (;;) {
      const { state } = JSON.parse(await ask('GET', path));
      if (state === 'failed') throw new Error('a timeline failed');
      if (state === 'completed') break;
      await delay(20);
    }
    await ask('GET', `${path}?result=true`);
  },
  list: ({ done: ask }) => ask('GET', '/api/waypoints'),
  box: ({ done: ask }) => ask('GET', '/api/waypoints?bbox=2,42,9,48&format=geojson'),
  clusters: ({ done: ask }) => ask('GET', `/api/clusters?zoom=${random.below(12)}&bounds=1`),
  suggest: ({ done: ask }) => ask('GET', `/api/suggest?q=place%20${random.below(trackFiles)}`),
  town: ({ done: ask }) => ask('GET', `/api/suggest?q=${random.pick(['wien', 'porto', 'oslo'])}`),
  async bookmark({ ask }) {
    const number = random.below(bookmarks);
    const desc = 'note '.repeat(random.below(200)).trim();
    await ask('POST', '/api/bookmarks', { ...place(number), desc, tags: ['home'] });
    await ask('POST', '/api/tags', { ...place(number), tag: `tag ${random.below(20)}` });
  },
  forget: ({ ask }) => ask('DELETE', `/api/bookmarks?${query(random.below(bookmarks))}`),
  note: ({ ask }) => {
    const { name, lat, lon } = place(random.below(bookmarks));
    return ask('PATCH', '/api/bookmarks', { oldName: name, lat, lon, desc: `${random.bits()}` });
  },
  tags: ({ done: ask }) => ask('GET', '/api/tags?distinct=true&emoji=1&counts=1'),
  history: ({ done: ask }) => ask('POST', '/api/history', { query: `query ${random.below(500)}` }),
  recent: ({ done: ask }) => ask('GET', '/api/recent_suggest?limit=200'),
  status: ({ done: ask }) => ask('GET', '/api/status'),
  async object(daemon) {
    const number = random.below(objects);
    const content = Buffer.alloc(200_000 + number, `object ${number}`);
    const oid = createHash('sha256').update(content).digest('hex');
    if ((await upload(daemon, oid, content)) !== 200) throw new Error('an upload was refused');
    if (!(await download(daemon, oid))?.equals(content)) throw new Error('another object came');
  },
};
const rare = new Set(['import', 'timeline', 'list', 'box', 'object']);
const kinds = Object.keys(steps).flatMap((kind) => (rare.has(kind) ? [kind] : [kind, kind, kind]));

async function work(daemon: Running, end: number): Promise<void> {
  while (performance.now() < end) {
    const kind = random.pick(kinds);
    // Two imports at once are refused: one of the workers does them.
    await steps[kind]!(daemon).catch((error: unknown) => {
      if (kind !== 'import' || !String(error).includes('409')) throw error;
    });
    done.set(kind, (done.get(kind) ?? 0) + 1);
    await delay(random.below(40));
  }
}

interface Sample {
  readonly minute: number;
  readonly mb: number;
}

function residentMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/u.exec(status)?.[1]) / 1024;
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN;

/** The median of the slopes between all pairs (Theil and Sen): single peaks do not move it. MB a minute. */
function slopeOf(samples: readonly Sample[]): number {
  return median(
    samples.flatMap((one, at) =>
      samples.slice(at + 1).map((two) => (two.mb - one.mb) / (two.minute - one.minute)),
    ),
  );
}

/** The median of a twentieth of the run, or of six samples, around a minute. */
function levelAt(samples: readonly Sample[], minute: number): number {
  const near = samples.toSorted(
    (a, b) => Math.abs(a.minute - minute) - Math.abs(b.minute - minute),
  );
  return median(near.slice(0, Math.max(6, samples.length / 20)).map(({ mb }) => mb));
}

mkdirSync(source);
for (let number = 0; number < trackFiles; number += 1) writeTrack(number);
await makeObjectStore(site);
const daemon = await start(site);
await daemon.done('POST', '/api/import', { dir: source });
const begin = performance.now();
const samples: Sample[] = [];
const sampler = setInterval(() => {
  const minute = (performance.now() - begin) / 60_000;
  const mb = residentMb(daemon.pid);
  samples.push({ minute, mb });
  if (samples.length % 6 === 0) console.log(`minute ${minute.toFixed(1)}: ${mb.toFixed(0)} MB`);
}, sampleMs);
const end = begin + minutes * 60_000;
await Promise.all([1, 2, 3].map(() => work(daemon, end)));
clearInterval(sampler);
await command(site, ['doctor']);
const code = await daemon.end();

const half = minutes / 2;
const second = samples.filter(({ minute }) => minute >= half);
const slope = slopeOf(second);
const [middle, last] = [levelAt(samples, half), levelAt(samples, minutes)];
const growth = (slope * half) / middle;
const counts = [...done].map(([kind, count]) => `${count} ${kind}`).join(', ');
console.log(
  `${counts}\nwarnings: ${(daemon.log().match(/"level":"(?:warn|error)"/gu) ?? []).length}`,
);
console.log(
  `soak: ${minutes} min, ${middle.toFixed(0)} MB at minute ${half}, ${last.toFixed(0)} MB at the end, ${(slope * 60).toFixed(1)} MB an hour, highest ${Math.max(...samples.map(({ mb }) => mb)).toFixed(0)} MB`,
);
if (code !== 0) console.log(`the daemon ended with ${code}`);
process.exit(code === 0 && growth <= allowedGrowth ? 0 : 1);
