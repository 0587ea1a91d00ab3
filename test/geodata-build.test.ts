/** The builtin generation as a file: always the same bytes, of the right shape, made once. `npm test` has made it before. */
import { createHash } from 'node:crypto';
import {
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import test from 'ava';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { buildGeneration } from '../geodata/build/build-generation.ts';
import { buildKey } from '../geodata/build/build-key.ts';
import { ensureGeneration } from '../geodata/build/ensure-generation.ts';
import { areaOf, piecesOf, toRing } from '../geodata/build/polygons.ts';
import { inputs, installedVersion } from '../geodata/build/inputs.ts';
import { builtinGeodataPath, hashFileOf, readGenerationInfo } from '../geodata/generation.ts';
import { GeodataLookup } from '../geodata/lookup.ts';
import { decodeRings, encodeRings } from '../geodata/ring-blob.ts';
import { rounds } from './helpers/effort.ts';
import { temporaryDirectory } from './helpers/temporary-directory.ts';
import { testWith } from './helpers/where.ts';

const builtin = builtinGeodataPath();

function sha256(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

/** A quarter of a minute of work. */
const thorough = testWith(rounds(1) > 1, 'only where TEST_EFFORT is 2 or more');

thorough('a second build has the same bytes as the first', (t) => {
  const path = join(temporaryDirectory(t), 'again.sqlite');
  const before = process.cpuUsage();
  buildGeneration(path);
  const { user, system } = process.cpuUsage(before);
  t.log(`${((user + system) / 1e6).toFixed(1)} s of CPU time, ${statSync(path).size} bytes`);
  t.is(sha256(path), sha256(builtin));
  t.is(readFileSync(hashFileOf(builtin), 'utf8'), `${sha256(builtin)}\n`);
});

test('the file is small, and nothing lies beside it that SQLite would have made', (t) => {
  t.true(statSync(builtin).size <= 40e6);
  t.false(existsSync(`${builtin}-wal`));
  t.false(existsSync(`${builtin}-journal`));
});

test('it says what it is, and what it was made from, without an address', (t) => {
  const info = readGenerationInfo(builtin);
  t.regex(info.id, /^builtin-\d{4}\.\d{2}$/);
  t.regex(info.dataset_version, /^\d{4}\.\d{2}\.\d+$/);
  for (const { name } of inputs) {
    t.true(info.source_version.includes(`${name.replace(/.*\//, '')} ${installedVersion(name)}`));
  }
  t.is(info.license, 'CC-BY-4.0 AND CC-BY-3.0 AND ODbL-1.0 AND ISC');
  t.regex(info.attribution, /GeoNames \(modified\), OpenStreetMap contributors \(modified\)/);
  t.is(info.bytes, statSync(builtin).size);
  t.notRegex(JSON.stringify(info), /[/\\]|www|http/);
});

test('NOTICE names every input and its licence', (t) => {
  const mapData = ['OpenStreetMap', 'ODbL', 'Natural Earth', 'kdbush', 'flatbush'];
  const notice = readFileSync(join(import.meta.dirname, '../NOTICE'), 'utf8');
  for (const name of ['GeoNames', 'CC BY 4.0', 'modified', 'country-coder', ...mapData]) {
    t.true(notice.includes(name), name);
  }
});

test('no ring of a border is wider than half the globe or leaves it', (t) => {
  const db = new Database(builtin, { readonly: true });
  t.teardown(() => db.close());
  const blobs = db.prepare<[], Buffer>('SELECT rings FROM border').pluck().all();
  t.true(blobs.length > 5_000);
  for (const ring of blobs.flatMap((blob) => decodeRings(blob))) {
    t.true(ring.length >= 6);
    const xs = ring.filter((_, i) => i % 2 === 0);
    const ys = ring.filter((_, i) => i % 2 === 1);
    t.true(xs.reduce((a, b) => Math.max(a, b)) - xs.reduce((a, b) => Math.min(a, b)) <= 18_000_000);
    t.true(xs.every((x) => Math.abs(x) <= 18_000_000) && ys.every((y) => Math.abs(y) <= 9_000_000));
  }
});

test('rows fit together', (t) => {
  const db = new Database(builtin, { readonly: true });
  t.teardown(() => db.close());
  const count = (sql: string) =>
    db.prepare<[], number>(`SELECT count(*) FROM ${sql}`).pluck().get();
  t.is(count('place'), 171_075);
  t.is(count('place AS a JOIN place AS b ON b.id = a.id + 1 WHERE b.population > a.population'), 0);
  t.is(count('place LEFT JOIN country ON country.id = country WHERE country.id IS NULL'), 0);
  t.is(count('border LEFT JOIN country ON country.id = country WHERE country.id IS NULL'), 0);
  t.is(
    count(
      `region JOIN country ON country.id = country WHERE region.code NOT LIKE country.code || '.%'`,
    ),
    0,
    'the code of a region begins with that of its country',
  );
  t.is(count('place JOIN region ON region.id = region WHERE region.country <> place.country'), 0);
  t.is(
    count(`place AS a JOIN place AS b ON b.id = a.part_of
           WHERE b.part_of IS NOT NULL OR b.id >= a.id OR (b.region <> a.region OR a.region IS NULL AND b.region IS NOT NULL)`),
    0,
    'a part belongs to a larger town of its region, and to no part',
  );
  t.true(count('place WHERE part_of IS NOT NULL')! > 5_000);
  t.true(count('place WHERE population > 0')! > 120_000);
});

test('islands lie in their countries', (t) => {
  const db = new Database(builtin, { readonly: true });
  t.teardown(() => db.close());
  const lookup = new GeodataLookup(builtin);
  t.teardown(() => lookup.close());
  const rows = db
    .prepare<[], { name: string; code: string; lat: number; lon: number }>(
      `SELECT area.name, code, lat / 1e5 AS lat, lon / 1e5 AS lon
       FROM area JOIN country ON country.id = country WHERE kind = 2`,
    )
    .all();
  t.true(rows.length > 170);
  for (const { name, code, lat, lon } of rows) t.is(lookup.find(lat, lon).country_id, code, name);
});

test('a border that crosses 180° is cut there, and its pieces fill it', (t) => {
  const whole = toRing([
    [176, 0],
    [186, 0],
    [186, 20],
    [176, 0],
  ]);
  const pieces = piecesOf([whole]).map(([outline]) => outline!);
  t.is(pieces.length, 2);
  t.is(areaOf(pieces[0]!) + areaOf(pieces[1]!), areaOf(whole));
});

test('rings come back as they were, and bytes that are none are refused', (t) => {
  const corner = fc.integer({ min: -18_000_000, max: 18_000_000 });
  const ring = fc.array(fc.tuple(corner, corner), { minLength: 3, maxLength: 40 });
  const rings = fc.array(
    ring.map((corners) => Int32Array.from(corners.flat())),
    { maxLength: 5 },
  );
  fc.assert(
    fc.property(rings, (given) => {
      t.deepEqual(decodeRings(encodeRings(given)), given);
    }),
    { numRuns: rounds(50) },
  );
  fc.assert(
    fc.property(rings, fc.nat(), (given, cut) => {
      const bytes = encodeRings(given);
      t.throws(() => decodeRings(bytes.subarray(0, cut % bytes.length)), {
        instanceOf: RangeError,
      });
    }),
    { numRuns: rounds(50) },
  );
  t.throws(() => decodeRings(Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0x0f)), {
    instanceOf: RangeError,
  });
});

test('what is up to date is left alone without a word', async (t) => {
  const said: string[] = [];
  const { mtimeMs } = statSync(builtin);
  const build = () => t.fail();
  await ensureGeneration({ path: builtin, key: buildKey(), build, say: (line) => said.push(line) });
  t.deepEqual(said, []);
  t.is(statSync(builtin).mtimeMs, mtimeMs);
});

/** Ensures a generation whose content is `content`; gives how often it was built. */
async function ensureText(path: string, key: string, content: string): Promise<number> {
  let builds = 0;
  const build = async (file: string) => {
    builds += 1;
    await setImmediate();
    writeFileSync(file, content);
  };
  await ensureGeneration({ path, key, build, say: () => {} });
  return builds;
}

test('it is made when it is missing, was made from something else, or was cut short', async (t) => {
  const path = join(temporaryDirectory(t), 'new', 'g.sqlite');
  t.is(await ensureText(path, 'a', 'one'), 1);
  t.is(readFileSync(path, 'utf8'), 'one');
  t.is(readFileSync(hashFileOf(path), 'utf8').trim(), sha256(path));
  t.is(await ensureText(path, 'a', 'one'), 0);
  t.is(await ensureText(path, 'b', 'two two'), 1);
  t.is(readFileSync(path, 'utf8'), 'two two');
  writeFileSync(path, 'two');
  t.is(await ensureText(path, 'b', 'two two'), 1);
  t.is(readFileSync(path, 'utf8'), 'two two');
  t.is(await ensureText(path, 'a', 'one'), 1, 'the key of the one before is forgotten');
});

test('two that make it at once do not disturb each other', async (t) => {
  const directory = temporaryDirectory(t);
  const path = join(directory, 'g.sqlite');
  const builds = await Promise.all([1, 2, 3].map(() => ensureText(path, 'a', 'same')));
  t.deepEqual(builds, [1, 1, 1]);
  t.is(readFileSync(path, 'utf8'), 'same');
  t.is(await ensureText(path, 'a', 'same'), 0);
  t.deepEqual(readdirSync(directory).toSorted(), ['g.sqlite', 'g.sqlite.key', 'g.sqlite.sha256']);
});

test('a build that fails leaves the old one, and what a killed one has left behind goes', async (t) => {
  const directory = temporaryDirectory(t);
  const path = join(directory, 'g.sqlite');
  await ensureText(path, 'a', 'old');
  const leftover = join(directory, '.g.sqlite.0123.tmp');
  const fresh = join(directory, '.g.sqlite.4567.tmp');
  writeFileSync(leftover, 'half');
  writeFileSync(fresh, 'half');
  utimesSync(leftover, new Date(0), new Date(0));
  const build = (file: string) => {
    writeFileSync(file, 'half');
    throw new Error('disk full');
  };
  const failing = ensureGeneration({ path, key: 'b', build, say: () => {} });
  await t.throwsAsync(failing, { message: 'disk full' });
  t.is(readFileSync(path, 'utf8'), 'old');
  t.is(await ensureText(path, 'a', 'old'), 0);
  t.deepEqual(
    readdirSync(directory).filter((name) => name.endsWith('.tmp')),
    ['.g.sqlite.4567.tmp'],
  );
});
