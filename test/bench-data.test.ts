/**
 * The bench's data is made, not kept: figures of two runs can only be compared while the same seed gives the same bytes.
 * A change that is meant to change the data changes the sums below, and results.md is measured anew.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import {
  places,
  writePlaces,
  writeTrack,
  writeTrackTree,
  writeGarminTree,
  type GeneratedSource,
} from '../bench/data.ts';

type Writer = (directory: string, seed: number) => GeneratedSource;

const writers: readonly [what: string, write: Writer, sha256: string][] = [
  [
    'a track file',
    (directory, seed) => writeTrack(directory, { seed, points: 3_000 }),
    'f3f38e317274dea86ef6dcc5480ffaeb7a8d854ebcf635ae28a3857e4f712e5a',
  ],
  [
    'a file of waypoints',
    (directory, seed) => writePlaces(directory, { seed, count: 2_000 }),
    'ee50cd23df11a6b17eb43921d8d999958cb379a4b70180f16bcd092fafdd4111',
  ],
  [
    'a tree of track files',
    (directory, seed) => writeTrackTree(directory, { seed, files: 15, pointsEach: 40 }),
    '35f70d42d73e85459c9c20210ffe944280a594b4f6d5a242f33f181dd4a9007c',
  ],
  [
    "a tree of files as Garmin's",
    (directory, seed) => writeGarminTree(directory, { seed, files: 2, pointsEach: 30 }),
    '6e1df67a133a267bbfb89646842fd468c8d94deb549c66362ed698c577da5cc6',
  ],
];

function temporaryDirectory(t: ExecutionContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'waypointd-bench-data-'));
  t.teardown(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** One sum over all files below a directory, names and bytes, in sorted order. */
function sumOf(directory: string): string {
  const hash = createHash('sha256');
  const files = readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
  for (const file of files) {
    hash.update(file.slice(directory.length).replaceAll('\\', '/'));
    hash.update(readFileSync(file));
  }
  return hash.digest('hex');
}

for (const [what, write, sha256] of writers) {
  test(`${what} has the same bytes for the same seed, on every machine`, (t) => {
    const directory = temporaryDirectory(t);
    const made = write(join(directory, 'one'), 7);
    t.is(sumOf(join(directory, 'one')), sha256);
    t.true(made.files.every((file) => existsSync(file)));
  });

  test(`${what} has other bytes for another seed, and says how many`, (t) => {
    const directory = temporaryDirectory(t);
    const made = write(join(directory, 'one'), 8);
    t.not(sumOf(join(directory, 'one')), sha256);
    const files = readdirSync(directory, { recursive: true, withFileTypes: true });
    const sizes = files
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name)).length);
    t.is(
      sizes.reduce((sum, size) => sum + size, 0),
      made.bytes,
    );
  });
}

test('fewer places are the first ones of more', (t) => {
  const many = [...places({ seed: 7, count: 300 })];
  t.deepEqual([...places({ seed: 7, count: 200 })], many.slice(0, 200));
});

test('places are near each other, differ, and have names of several scripts', (t) => {
  const all = [...places({ seed: 7, count: 5_000 })];
  t.is(new Set(all.map(({ name, lat, lon }) => `${name} ${lat} ${lon}`)).size, all.length);
  const cells = new Set(all.map(({ lat, lon }) => `${Math.floor(lat)} ${Math.floor(lon)}`));
  t.true(cells.size < all.length / 3, `${cells.size} cells of one degree`);
  const beyondAscii = all.filter(({ name }) => /[^\0-\x7f]/.test(name)).length;
  t.true(beyondAscii > all.length / 5 && beyondAscii < all.length / 3, `${beyondAscii} names`);
  t.true(all.every(({ name }) => name === name.normalize('NFC').trim()));
});
