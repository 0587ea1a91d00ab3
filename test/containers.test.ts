/** What is in zips, KMZ files and gzip files is imported as if they were folders; what would do harm is refused by name. */
import { Buffer } from 'node:buffer';
import { closeSync, openSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import { zipSync, strToU8, type Zippable } from 'fflate';
import { importInGroups } from '../worker/import/import-groups.ts';
import { beginThreadClock } from '../worker/import/time-budget.ts';
import { rowsOf } from './helpers/fields.ts';
import { partsOf } from './helpers/import-parts.ts';
import { dumpLibrary, filesBelow, gpx, importSite, type ImportSite } from './helpers/imports.ts';

const camp = gpx([['Camp', 42.1, -8.3]]);
const hut = gpx([['Hut', 46.5, 8.2]], ['2024-05-01T08:00:00Z']);
const lake = gpx([['Lake', 46.6, 8.3]]);
const kml =
  '<kml><Placemark><name>Spring</name><Point><coordinates>8,47</coordinates></Point></Placemark></kml>';

function zip(files: Readonly<Record<string, string | Uint8Array>>): Buffer {
  const entries: Zippable = {};
  for (const [name, content] of Object.entries(files))
    entries[name] = typeof content === 'string' ? strToU8(content) : content;
  return Buffer.from(zipSync(entries));
}

function put(site: ImportSite, name: string, bytes: Uint8Array): void {
  writeFileSync(join(site.source, name), bytes);
}

/** Puts other numbers into the directory entry of a file. */
function edited(bytes: Buffer, name: string, edit: (directory: Buffer) => void): Buffer {
  const copy = Buffer.from(bytes);
  for (let at = copy.indexOf('PK\x01\x02'); at >= 0; at = copy.indexOf('PK\x01\x02', at + 4)) {
    const nameAt = at + 46;
    if (copy.toString('utf8', nameAt, nameAt + copy.readUInt16LE(at + 28)) === name)
      edit(copy.subarray(at));
  }
  return copy;
}

test('files in containers are found by their content and kept below the name of the container', (t) => {
  const site = importSite(t);
  const photo = new Uint8Array(100).fill(7);
  put(site, 'year.zip', zip({ 'a/camp.gpx': camp, 'hut.gpx': hut, 'photo.jpg': photo }));
  put(site, 'spring.kmz', zip({ 'doc.kml': kml, 'files/icon.png': photo }));
  put(site, 'lake.gpx.gz', gzipSync(lake));
  put(site, 'logger.gz', gzipSync(gpx([['Log', 1, 2]])));
  put(site, 'misnamed.gpx', gzipSync(gpx([['Misnamed', 3, 4]])));
  put(site, 'photos.zip', zip({ 'photo.jpg': photo }));
  const result = site.result();
  t.like(result, {
    added: 6,
    failed: 0,
    unsupported_files: ['photos.zip'],
    formats: { gpx: 5, kml: 1 },
  });
  t.deepEqual(filesBelow(site.imports), [
    'lake.gpx.gz/lake.gpx',
    'logger.gz/logger.gpx',
    'misnamed.gpx/misnamed.gpx',
    'spring.kmz/doc.kml',
    'year.zip/a/camp.gpx',
    'year.zip/hut.gpx',
  ]);
  t.like(site.progress.read(), { filesDone: 6, filesTotal: 6 });
  const before = dumpLibrary(site.libraryPath);
  t.like(site.result(), { added: 0, duplicates: 6, failed: 0 });
  t.like(site.reconcile(), { loaded: 0, dropped: 0, refused: 0 });
  t.deepEqual(dumpLibrary(site.libraryPath), before);
});

test('a file in a container that is there already is a duplicate; a changed one replaces', (t) => {
  const site = importSite(t);
  put(site, 'hut.gpx', Buffer.from(hut));
  put(site, 'year.zip', zip({ 'copy.gpx': hut, 'own.gpx': camp }));
  t.like(site.result(), { added: 2, duplicate_files: ['year.zip/copy.gpx'] });
  put(site, 'year.zip', zip({ 'copy.gpx': hut, 'own.gpx': lake }));
  t.like(site.result(), { replaced: 1, replaced_files: ['year.zip/own.gpx'], added: 0 });
});

test('hidden entries are passed over as in folders, and a dot before a name is nothing', (t) => {
  const site = importSite(t);
  const archive = zip({
    './seen.gpx': camp,
    'sub/./lake.gpx': lake,
    '.y.gpx': hut,
    '.trash/x.gpx': hut,
    '...gpx': hut,
    '__MACOSX/._seen.gpx': hut,
    './../up.gpx': hut,
  });
  put(site, 'a.zip', archive);
  const result = site.result();
  t.like(result, { added: 2, unsupported: 0 });
  t.deepEqual(rowsOf(result.failures, 'file', 'reason'), [['a.zip/../up.gpx', 'unsafe_name']]);
  t.like(site.reconcile(), { loaded: 0, dropped: 0, refused: 0 });
  t.like(site.result(), { added: 0, duplicates: 2 });
});

test('what would do harm is refused by name, and the rest is imported', (t) => {
  const site = importSite(t);
  const bomb = new Uint8Array(4_000_000);
  const whole = zip({
    'good.gpx': camp,
    '../up.gpx': hut,
    '/absolute.gpx': hut,
    'C:\\drive.gpx': hut,
    'a//b.gpx': hut,
    'within.zip': zip({ 'hut.gpx': hut }),
    'bomb.gpx': bomb,
    'locked.gpx': hut,
    'packed.gpx': hut,
    'short.gpx': hut,
    'long.gpx': hut,
    'sum.gpx': hut,
    'later.gpx': lake,
  });
  const changes: readonly [name: string, edit: (directory: Buffer) => unknown][] = [
    // Deflate packs a little less than a thousandfold: the packed size lies.
    ['bomb.gpx', (entry) => entry.writeUInt32LE(3_999, 20)],
    ['locked.gpx', (entry) => entry.writeUInt16LE(1, 8)],
    ['packed.gpx', (entry) => entry.writeUInt16LE(9, 10)],
    ['short.gpx', (entry) => entry.writeUInt32LE(10, 24)],
    ['long.gpx', (entry) => entry.writeUInt32LE(100_000, 24)],
    ['sum.gpx', (entry) => entry.writeUInt32LE(1, 16)],
  ];
  let bytes = whole;
  for (const [name, edit] of changes) bytes = edited(bytes, name, edit);
  put(site, 'a.zip', bytes);
  const result = site.result();
  t.deepEqual(rowsOf(result.failures, 'file', 'reason'), [
    ['a.zip/../up.gpx', 'unsafe_name'],
    ['a.zip//absolute.gpx', 'unsafe_name'],
    ['a.zip/C:/drive.gpx', 'unsafe_name'],
    ['a.zip/a//b.gpx', 'unsafe_name'],
    ['a.zip/bomb.gpx', 'too_large'],
    ['a.zip/locked.gpx', 'encrypted'],
    ['a.zip/long.gpx', 'damaged'],
    ['a.zip/packed.gpx', 'packing'],
    ['a.zip/short.gpx', 'damaged'],
    ['a.zip/sum.gpx', 'damaged'],
    ['a.zip/within.zip', 'nested'],
  ]);
  t.like(result, { added: 2, unsupported: 0 });
  t.deepEqual(filesBelow(site.imports), ['a.zip/good.gpx', 'a.zip/later.gpx']);
});

test('damaged containers are refused whole', (t) => {
  const site = importSite(t);
  const good = zip({ 'a.gpx': camp });
  const packed = gzipSync(hut);
  const wrongSum = Buffer.from(packed);
  wrongSum[packed.length - 8]! ^= 1;
  const noSuchPlace = Buffer.from(good);
  noSuchPlace.writeUInt32LE(5, good.length - 6);
  put(site, '1.zip', good.subarray(0, -10));
  put(site, '2.zip', noSuchPlace);
  put(site, '3.gz', packed.subarray(0, -20));
  put(site, '4.gz', wrongSum);
  put(site, '5.gpx.gz', gzipSync(new Uint8Array(20_000_000)));
  put(site, '6.gpx.gz', gzipSync(gzipSync(hut)));
  t.deepEqual(rowsOf(site.result().failures, 'file', 'reason'), [
    ['1.zip', 'truncated'],
    ['2.zip', 'damaged'],
    ['3.gz', 'damaged'],
    ['4.gz', 'damaged'],
    ['5.gpx.gz', 'too_large'],
    ['6.gpx.gz/6.gpx', 'nested'],
  ]);
  t.deepEqual(filesBelow(site.imports), []);
});

test('several gzip files one behind the other are one file', (t) => {
  const site = importSite(t);
  const half = Math.floor(hut.length / 2);
  const parts = [hut.slice(0, half), hut.slice(half)].map((part) => gzipSync(part));
  put(site, 'hut.gpx.gz', Buffer.concat(parts));
  t.like(site.result(), { added: 1, failed: 0, observations: 1 });
});

/** A zip of empty files, which fflate would take long to make. */
function emptyFiles(count: number): Buffer {
  const local = zip({ 'a.txt': '' });
  const entryAt = local.indexOf('PK\x01\x02');
  const endAt = local.indexOf('PK\x05\x06');
  const entry = local.subarray(entryAt, endAt);
  const head = local.subarray(0, entryAt);
  const locator = Buffer.alloc(20);
  locator.write('PK\x06\x07');
  locator.writeBigUInt64LE(BigInt(head.length + count * entry.length), 8);
  const end = Buffer.alloc(56);
  end.write('PK\x06\x06');
  end.writeBigUInt64LE(BigInt(count), 32);
  end.writeBigUInt64LE(BigInt(count * entry.length), 40);
  end.writeBigUInt64LE(BigInt(head.length), 48);
  const entries = Array.from({ length: count }, () => entry);
  return Buffer.concat([head, ...entries, end, locator, local.subarray(endAt)]);
}

test('a zip of 100,000 entries is looked into, one of 100,001 refused', (t) => {
  const site = importSite(t);
  put(site, 'most.zip', emptyFiles(100_000));
  put(site, 'more.zip', emptyFiles(100_001));
  const result = site.result();
  t.deepEqual(result.unsupported_files, ['most.zip']);
  t.deepEqual(result.failures, [{ file: 'more.zip', reason: 'too_large' }]);
});

/** Puts a zip of large files that holds their directory and the first header, and no content. @param sizes of what they claim to unpack to. */
function putSparse(site: ImportSite, name: string, sizes: readonly number[]): void {
  const apart = 5_000_000;
  const names = sizes.map((_, at) => `${String.fromCharCode(97 + at)}.gpx`);
  let bytes = zip(Object.fromEntries(names.map((entry) => [entry, hut])));
  for (const [at, size] of sizes.entries())
    bytes = edited(bytes, names[at]!, (entry) => {
      entry.writeUInt32LE(apart - 100, 20);
      entry.writeUInt32LE(size, 24);
      entry.writeUInt32LE(apart * at, 42);
    });
  const directory = bytes.subarray(bytes.indexOf('PK\x01\x02'));
  const directoryAt = apart * sizes.length;
  directory.writeUInt32LE(directoryAt, directory.length - 6);
  const fd = openSync(join(site.source, name), 'w');
  writeSync(fd, bytes, 0, 30, 0);
  writeSync(fd, directory, 0, directory.length, directoryAt);
  closeSync(fd);
}

/** What is within a limit is tried, and found to be not as it says; what is beyond is refused for its size. */
test('an entry of 1,000 times its packed size is unpacked, one of more refused; so with 64 GiB in all', (t) => {
  const site = importSite(t);
  const sizes = (packed: number, size: number) => (entry: Buffer) => {
    entry.writeUInt32LE(packed, 20);
    entry.writeUInt32LE(size, 24);
  };
  const ratio = zip({ 'at.gpx': hut, 'past.gpx': hut });
  const tried = edited(ratio, 'at.gpx', sizes(100, 100_000));
  put(site, 'ratio.zip', edited(tried, 'past.gpx', sizes(100, 100_001)));
  const sixteenth = 2 ** 32 - 2;
  for (const [name, rest] of [
    ['all.zip', 32],
    ['more.zip', 33],
  ] as const)
    putSparse(site, name, [...Array.from({ length: 16 }, () => sixteenth), rest]);
  const reasons = new Map(site.result().failures.map(({ file, reason }) => [file, reason]));
  t.is(reasons.get('ratio.zip/at.gpx'), 'damaged');
  t.is(reasons.get('ratio.zip/past.gpx'), 'too_large');
  t.not(reasons.get('all.zip/q.gpx'), 'too_large');
  t.is(reasons.get('more.zip/q.gpx'), 'too_large');
  t.is(reasons.size, 36);
});

test('a gzip file that unpacks to 1,000 times its size is read, one of more refused', (t) => {
  const site = importSite(t);
  const zeros = gzipSync(new Uint8Array(4_000_000));
  for (const length of [4_000, 3_999]) {
    // Its header may hold a name of any length.
    const name = Buffer.from(`${'x'.repeat(length - zeros.length - 1)}\0`);
    const head = Buffer.from(zeros.subarray(0, 10));
    head[3] = 8;
    put(site, `${length}.gpx.gz`, Buffer.concat([head, name, zeros.subarray(10)]));
  }
  t.deepEqual(rowsOf(site.result().failures, 'file', 'reason'), [
    ['3999.gpx.gz', 'too_large'],
    ['4000.gpx.gz/4000.gpx', 'not_xml'],
  ]);
});

/** A zip of stored entries, whose local headers may be asked to stand where others do. */
function storedZip(entries: readonly (readonly [name: string, at?: number])[]): Buffer {
  const whole = zipSync(
    Object.fromEntries(
      entries.map(([name], i) => [`${i}${name}`, strToU8(gpx([[`P${i}`, i, 1]]))]),
    ),
    {
      level: 0,
    },
  );
  let bytes: Buffer = Buffer.from(whole);
  for (const [i, [name, at]] of entries.entries())
    if (at !== undefined)
      bytes = edited(bytes, `${i}${name}`, (entry) => entry.writeUInt32LE(at, 42));
  return bytes;
}

test('an archive is refused of which two files share packed bytes, wholly or in part', (t) => {
  const site = importSite(t);
  put(site, 'apart.zip', storedZip([['.gpx'], ['.gpx']]));
  put(site, 'same.zip', storedZip([['.gpx'], ['.gpx', 0]]));
  put(site, 'within.zip', storedZip([['.gpx'], ['.gpx', 40]]));
  const result = site.result();
  t.deepEqual(result.failures, [
    { file: 'same.zip', reason: 'damaged' },
    { file: 'within.zip', reason: 'damaged' },
  ]);
  t.is(result.added, 2);
});

test('a gzip file of 1,000 members is read, one of 1,001 refused', (t) => {
  const site = importSite(t);
  const empty = gzipSync('');
  for (const members of [1_000, 1_001]) {
    const others = Array.from({ length: members - 1 }, () => empty);
    put(site, `${members}.gpx.gz`, Buffer.concat([gzipSync(hut), ...others]));
  }
  const result = site.result();
  t.is(result.added, 1);
  t.deepEqual(result.failures, [{ file: '1001.gpx.gz', reason: 'too_large' }]);
});

test('an entry 64 folders deep is imported, one that is deeper refused by name', (t) => {
  const site = importSite(t);
  const deep = (folders: number): string => `${'d/'.repeat(folders)}a.gpx`;
  put(site, 'a.zip', zip({ [deep(64)]: camp, [deep(65)]: hut }));
  const result = site.result();
  t.is(result.added, 1);
  t.deepEqual(result.failures, [{ file: `a.zip/${deep(65)}`, reason: 'too_deep' }]);
});

test('of the refused files of an archive 100 are listed, and the others counted', (t) => {
  const site = importSite(t);
  const broken = (count: number) =>
    zip(Object.fromEntries(Array.from({ length: count }, (_, i) => [`${i}.gpx`, `<gpx>${i}`])));
  put(site, 'a.zip', broken(100));
  put(site, 'b.zip', broken(101));
  const [good, bad] = [camp, '<gpx>'];
  writeFileSync(join(site.source, 'c.gpx'), good);
  writeFileSync(join(site.source, 'd.gpx'), bad);
  const result = site.result();
  t.like(result, { added: 1, failed: 201, failures_omitted: 1, skipped: 201 });
  t.is(result.failures.length, 201);
  const plan = site.result({ dry_run: true }).plan ?? [];
  t.is(plan.filter(({ outcome }) => outcome === 'failed').length, 201);
});

/** Runs an import whose thread takes this much CPU time for each look at a budget. */
function importSlowly(t: ExecutionContext, site: ImportSite, stepMs: number) {
  let now = 0;
  const beginClock = () => {
    const began = now;
    return () => (now += stepMs) - began;
  };
  const run = { ...partsOf(t, site), beginClock };
  const size = statSync(join(site.source, 'a.zip')).size;
  importInGroups([{ file: 'a.zip', size }], run, ({ file, packed }) => ({
    root: site.source,
    file,
    packed,
    target: file,
  }));
  return run.tally.result(site.source, undefined, false);
}

test('the clock of a thread counts its CPU time, and asks for it only where the time that passed does not tell', (t) => {
  const takenMs = beginThreadClock();
  const began = process.threadCpuUsage();
  while (process.threadCpuUsage(began).user < 20_000) gzipSync(camp);
  const cpuMs = takenMs(0);
  t.true(cpuMs >= 20);
  t.true(takenMs(Infinity) >= cpuMs);
});

test('an archive has one time for all that is in it: once that is spent, the rest is refused', (t) => {
  const site = importSite(t);
  const files = Object.fromEntries(
    Array.from({ length: 10 }, (_, i) => [`${i}.gpx`, gpx([[`P${i}`, i, 1]])]),
  );
  put(site, 'a.zip', zip(files));
  t.like(importSlowly(t, site, 1), { added: 10, failed: 0 });
  const other = importSite(t);
  put(other, 'a.zip', zip(files));
  // Each file alone takes a third of the time.
  const result = importSlowly(t, other, 1_500);
  t.true(result.added > 0 && result.added < 10, String(result.added));
  t.is(result.added + result.failed, 10);
  t.true(result.failures.every(({ reason }) => reason === 'too_slow'));
});

test('unpacking a gzip file to know its size is in its time, too', (t) => {
  const site = importSite(t);
  put(site, 'a.zip', gzipSync(hut.padEnd(1_000_000)));
  t.deepEqual(importSlowly(t, site, 30_000).failures, [{ file: 'a.zip', reason: 'too_slow' }]);
});
