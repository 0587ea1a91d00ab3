/**
 * The bench's data is made, not kept: figures of two runs can only be compared while the same seed gives the same bytes.
 * A change that is meant to change the data changes the sums below, and results.md is measured anew.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import {
  writePlaces,
  writeTrack,
  writeTrackTree,
  writeGarminTree,
  type GeneratedSource,
} from '../bench/data.ts';
import { temporaryDirectory } from './helpers/temporary-directory.ts';

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

/** One sum over all files below a directory, names and bytes, in sorted order. */
function sumOf(directory: string): { sha256: string; bytes: number } {
  const hash = createHash('sha256');
  let bytes = 0;
  const files = readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
  for (const file of files) {
    hash.update(file.slice(directory.length).replaceAll('\\', '/'));
    const content = readFileSync(file);
    hash.update(content);
    bytes += content.length;
  }
  return { sha256: hash.digest('hex'), bytes };
}

for (const [what, write, sha256] of writers) {
  test(`${what} has the same bytes for the same seed, on every machine, and says how many`, (t) => {
    const directory = temporaryDirectory(t);
    const made = write(join(directory, 'one'), 7);
    t.deepEqual(sumOf(join(directory, 'one')), { sha256, bytes: made.bytes });
    t.true(made.files.every((file) => existsSync(file)));
  });
}
