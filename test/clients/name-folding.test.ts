/** A data directory on exFAT, which takes `Trip.gpx` and `trip.gpx` for one name, on a system whose own disks do not. */
import { spawnSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmdirSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { startTestDaemon, temporaryDirectory } from '../helpers/daemon.ts';
import { filesBelow, gpx, writeTree } from '../helpers/imports.ts';

const reason = whyNoExfat();
const onExfat = reason === undefined ? test : test.skip;
const suffix = reason === undefined ? '' : ` (skipped: ${reason})`;

function whyNoExfat(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'not root on Linux';
  for (const program of ['mkfs.exfat', 'mount.exfat-fuse', 'losetup']) {
    if (spawnSync(program, ['-V']).error !== undefined) return `no ${program}`;
  }
  return undefined;
}

function run(program: string, ...words: string[]): string {
  const { status, stdout, stderr } = spawnSync(program, words, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program}: ${stdout}${stderr}`);
  return stdout.trim();
}

/** Makes and mounts a small exFAT. */
function mountExfat(t: ExecutionContext): string {
  const image = join(temporaryDirectory(t), 'image');
  writeFileSync(image, '');
  truncateSync(image, 67_108_864);
  run('mkfs.exfat', image);
  const device = run('losetup', '-f', '--show', image);
  t.teardown(() => run('losetup', '-d', device));
  const directory = mkdtempSync(join(tmpdir(), 'waypointd-exfat-'));
  run('mount.exfat-fuse', device, directory);
  t.teardown(() => {
    run('umount', directory);
    rmdirSync(directory);
  });
  return directory;
}

onExfat(
  `names that exFAT takes for one are one file, before and after a start${suffix}`,
  async (t) => {
    const data = join(mountExfat(t), 'data');
    mkdirSync(data);
    const daemon = await startTestDaemon(t, { settings: { data_dir: data } });
    const source = join(daemon.root, 'source');
    writeTree(source, {
      'Trip.gpx': gpx([['Hut', 47, 8]]),
      'trip.gpx': gpx([['Lake', 46, 9]]),
    });
    const { body } = await daemon.call('POST', '/api/import', { dir: source });
    t.like(body, { added: 1, failed: 1 });
    const before = (await daemon.get('/api/waypoints')).body;
    t.is(before.length, 1);
    const again = await daemon.restart();
    t.deepEqual((await again.get('/api/waypoints')).body, before);
    t.deepEqual(filesBelow(again.paths.imports), ['Trip.gpx']);
    const second = await again.call('POST', '/api/import', { dir: source, files: ['trip.gpx'] });
    t.like(second.body, { added: 0, replaced: 1 });
    const names = (await again.get('/api/waypoints')).body.map(
      ({ name }: { name: string }) => name,
    );
    t.deepEqual(names, ['Lake']);
    t.true(readdirSync(again.paths.imports).every((name) => !name.endsWith('.tmp')));
    await again.close();
  },
);
