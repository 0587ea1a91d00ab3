/** A data directory on exFAT, which takes `Trip.gpx` and `trip.gpx` for one name, on a system whose own disks do not. */
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { startTestDaemon } from '../helpers/daemon.ts';
import { filesBelow, gpx, writeTree } from '../helpers/imports.ts';
import { mountExfat, whyNoExfat } from '../helpers/mounts.ts';
import { testUnless } from '../helpers/where.ts';

const onExfat = testUnless(whyNoExfat());

onExfat('names that exFAT takes for one are one file, before and after a start', async (t) => {
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
  const names = (await again.get('/api/waypoints')).body.map(({ name }: { name: string }) => name);
  t.deepEqual(names, ['Lake']);
  t.true(readdirSync(again.paths.imports).every((name) => !name.endsWith('.tmp')));
  await again.close();
});
