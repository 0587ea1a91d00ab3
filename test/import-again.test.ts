import { mkdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { LibraryWriter } from '../storage/library/writer.ts';
import { SourceStamps } from '../worker/import/source-stamps.ts';
import { startTestDaemon, type TestDaemon } from './helpers/daemon.ts';

const gpx = (name: string): string => `<gpx><wpt lat="1" lon="2"><name>${name}</name></wpt></gpx>`;

/** A daemon for which every file was written a minute ago or earlier, or, by a clock that stands, not yet. */
async function daemonLater(t: ExecutionContext, minutes: 0 | 1): Promise<TestDaemon> {
  const started = Date.now();
  // With a clock that goes, a busy machine could take longer than a file needs to count as left alone.
  const now = () => (minutes === 0 ? started : Date.now() + minutes * 60_000);
  const clock = { now, monotonic: () => performance.now() };
  const daemon = await startTestDaemon(t, { clock });
  mkdirSync(join(daemon.root, 'source'));
  return daemon;
}

const sourceOf = ({ root }: TestDaemon, name: string): string => join(root, 'source', name);

async function importSource(daemon: TestDaemon): Promise<Record<string, unknown>> {
  const { body } = await daemon.call('POST', '/api/import', { dir: join(daemon.root, 'source') });
  const { added, replaced, duplicates } = body;
  return { added, replaced, duplicates };
}

/** What the library remembers of a source, as the next import would ask. */
function remembered(daemon: TestDaemon, path: string): string | undefined {
  const library = new LibraryWriter(daemon.paths.libraryDatabase);
  try {
    return new SourceStamps(library, Date.now()).hashOf(path);
  } finally {
    library.close();
  }
}

test('a source that was imported is remembered and not read again; its content counts as a duplicate', async (t) => {
  const daemon = await daemonLater(t, 1);
  const path = sourceOf(daemon, 'a.gpx');
  writeFileSync(path, gpx('A'));
  t.deepEqual(await importSource(daemon), { added: 1, replaced: 0, duplicates: 0 });
  t.regex(remembered(daemon, path) ?? '', /^[0-9a-f]{64}$/);
  t.deepEqual(await importSource(daemon), { added: 0, replaced: 0, duplicates: 1 });
});

test('a change of the same length, with the old modification time put back, is noticed', async (t) => {
  const daemon = await daemonLater(t, 1);
  const path = sourceOf(daemon, 'a.gpx');
  writeFileSync(path, gpx('A'));
  await importSource(daemon);
  const { atime, mtime } = statSync(path);
  writeFileSync(path, gpx('B'));
  utimesSync(path, atime, mtime);
  t.is(remembered(daemon, path), undefined);
  t.deepEqual(await importSource(daemon), { added: 0, replaced: 1, duplicates: 0 });
  const { body } = await daemon.get('/api/waypoints');
  t.is(body[0].name, 'B');
});

test('a source written to just now is not remembered: it may change again within a tick of the clock', async (t) => {
  const daemon = await daemonLater(t, 0);
  const path = sourceOf(daemon, 'a.gpx');
  writeFileSync(path, gpx('A'));
  await importSource(daemon);
  t.is(remembered(daemon, path), undefined);
  t.deepEqual(await importSource(daemon), { added: 0, replaced: 0, duplicates: 1 });
});

test('a remembered source whose managed copy is gone is imported again', async (t) => {
  const daemon = await daemonLater(t, 1);
  const path = sourceOf(daemon, 'a.gpx');
  writeFileSync(path, gpx('A'));
  await importSource(daemon);
  const { body } = await daemon.call('POST', '/api/import', {
    dir: join(daemon.root, 'source'),
    into: 'elsewhere',
  });
  t.is(body.duplicates, 1);
  writeFileSync(join(daemon.paths.imports, 'a.gpx'), 'edited by hand');
  t.deepEqual(await importSource(daemon), { added: 0, replaced: 1, duplicates: 0 });
});
