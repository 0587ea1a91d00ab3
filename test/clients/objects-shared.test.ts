/** Object servers that share a store: rows in PostgreSQL, contents in a bucket; and how a store comes to be there. */
import { randomBytes } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import test from 'ava';
import { openContents, openRoot, type StorePlaces } from '../../objects/root.ts';
import { moveStore } from '../../objects/upkeep/migrate.ts';
import { testCli } from '../helpers/cli.ts';
import { removeUnverified } from '../../objects/upkeep/unverified.ts';
import { rounds } from '../helpers/effort.ts';
import { manualTime } from '../helpers/manual-time.ts';
import { ann, bob, oidOf, startTestObjects, type TestObjects } from '../helpers/objects.ts';
import { startSharedPlaces } from '../helpers/shared-places.ts';
import { temporaryDirectory } from '../helpers/temporary-directory.ts';
import { until } from '../helpers/until.ts';

const shared = await startSharedPlaces();
if (shared !== undefined) {
  const { newPlaces } = shared;

  test.serial('quota, links, locks and limits hold across servers', async (t) => {
    const places = await newPlaces();
    const servers = [
      await startTestObjects(t, { places, config: { bandwidthPerDay: 10_100 } }),
      await startTestObjects(t, { places, config: { bandwidthPerDay: 10_100 } }),
    ] as const;
    const [first, second] = servers;
    const { directory } = first.admin;
    const { id } = (await directory.findRepository('club/maps'))!;
    await directory.changeRepository(id, { quotaBytes: 10_000 });
    const contents = Array.from({ length: 20 }, () => randomBytes(1_000));
    const ends = await Promise.all(
      contents.map((content, n) => (n % 2 === 0 ? first : second).send('club/maps', content)),
    );
    const statuses = ends.map(({ status }) => status).toSorted((a, b) => a - b);
    t.deepEqual(statuses, [...Array<number>(10).fill(200), ...Array<number>(10).fill(507)]);
    t.is((await directory.findRepository('club/maps'))?.bytes, 10_000, 'exact');

    await directory.changeRepository(id, { quotaBytes: null });
    const content = Buffer.from('A map of the harbour');
    const body = { oid: oidOf(content), size: content.length };
    const announced = await first.call('POST', '/club/maps/objects', { as: ann, body });
    const { upload, verify } = announced.body._links;
    await first.follow('PUT', upload, content);
    const elsewhere = { ...verify, href: verify.href.replace(first.url, second.url) };
    t.is((await first.follow('POST', elsewhere, body)).status, 200, 'a link of the other server');

    const lock = { as: ann, body: { path: 'harbour.map' } };
    t.is((await first.call('POST', '/club/maps/locks', lock)).status, 201);
    t.is((await second.call('POST', '/club/maps/locks', lock)).status, 409, 'known to both');

    const held = ends.findIndex(({ status }) => status === 200);
    const path = `/club/maps/objects/${oidOf(contents[held]!)}`;
    const asked = Array.from({ length: 12 }, (_, n) => (n % 2 === 0 ? first : second));
    const given = await Promise.all(asked.map((server) => server.call('GET', path, { as: bob })));
    t.is(given.filter(({ status }) => status === 200).length, 10, 'bandwidth of a day');
    t.is(given.filter(({ status }) => status === 509).length, 2);
  });

  test.serial('what is verified while two servers remove what is not stays, whole', async (t) => {
    const { clock, advance } = manualTime();
    const places = await newPlaces();
    const first = await startTestObjects(t, { places, clock });
    const second = await startTestObjects(t, { places, clock });
    for (let round = 0; round < rounds(20, 2); round += 1) {
      const sent = Array.from({ length: 20 }, () => randomBytes(100));
      const links = await Promise.all(
        sent.map(async (content) => {
          const body = { oid: oidOf(content), size: 100 };
          const announced = await first.call('POST', '/club/maps/objects', { as: ann, body });
          await first.follow('PUT', announced.body._links.upload, content);
          return { content, body, verify: announced.body._links.verify };
        }),
      );
      advance(4_200_000);
      const sweep = async ({ admin }: TestObjects) =>
        removeUnverified(
          { contents: await admin.contents(), holdings: admin.holdings },
          clock.now(),
        );
      const verified = links.map(async ({ body, verify }, n) => {
        await delay(n * 60);
        return (await first.follow('POST', verify, body)).status;
      });
      await Promise.all([sweep(first), sweep(second), ...verified]);
      const counts = { kept: 0, removed: 0 };
      for (const [n, { content, body }] of links.entries()) {
        const status = await verified[n];
        const path = `/club/maps/objects/${body.oid}/content`;
        const got = await second.call('GET', path, { as: bob });
        if (status === 200) t.true(got.bytes.equals(content));
        else t.is(got.status, 404);
        counts[status === 200 ? 'kept' : 'removed'] += 1;
      }
      t.log(counts);
      let stored = 0;
      for await (const _ of (await first.admin.contents()).list()) stored += 1;
      const { objects } = (await first.admin.directory.findRepository('club/maps'))!;
      t.is(stored, objects, 'nothing else is left');
    }
  });

  test.serial(
    'a bucket belongs to the rows that it was begun with, and to no others',
    async (t) => {
      const [places, others, { database }] = [
        await newPlaces(),
        await newPlaces(),
        await newPlaces(),
      ];
      const { bucket } = places;
      const content = randomBytes(100);
      const server = await startTestObjects(t, { places });
      t.is((await server.send('club/maps', content)).status, 200);
      await server.close();
      const open = async (asked: StorePlaces, directory = temporaryDirectory(t)) => {
        const root = await openRoot(directory, { ...asked, owner: 'command' });
        t.teardown(() => root.close());
        await root.contents();
      };
      await t.throwsAsync(open({ bucket, database }), { message: 'objects missing' });
      const directory = temporaryDirectory(t);
      await t.throwsAsync(open({ bucket }, directory), { message: 'objects missing' });
      t.false(existsSync(join(directory, 'objects.sqlite')));
      await open(others);
      await t.throwsAsync(open({ ...others, bucket }), { message: 'objects foreign' });
      // The whole bucket, in which something else lies.
      const whole = { ...bucket, prefix: '' };
      await t.throwsAsync(open({ ...places, bucket: whole }), { message: 'objects unmarked' });
      const fresh = { ...bucket!, prefix: 'another' };
      const atOnce = [
        { ...others, bucket: fresh },
        { database, bucket: fresh },
      ];
      const isIn = (asked: StorePlaces) =>
        open(asked).then(
          () => 1,
          () => 0,
        );
      const first = await Promise.all(atOnce.map(isIn));
      t.true(first[0]! + first[1]! < 2, 'of two that begin on one bucket at once');
      const then = [await isIn(atOnce[0]!), await isIn(atOnce[1]!)];
      t.is(then[0]! + then[1]!, 1);
      t.true(
        then.every((is, n) => is >= first[n]!),
        'whoever got in stays in',
      );
      const again = await startTestObjects(t, { places });
      const path = `/club/maps/objects/${oidOf(content)}`;
      const { download } = (await again.call('GET', path, { as: bob })).body._links;
      t.deepEqual((await again.follow('GET', download)).bytes, content);
      const moving = await startTestObjects(t, { places: {} });
      const taken = moveStore(moving.admin, { contents: bucket }, () => {});
      await t.throwsAsync(taken, { message: 'objects foreign' });
    },
  );

  test.serial('a store moves to a bucket and PostgreSQL and back, also in pieces', async (t) => {
    const server = await startTestObjects(t);
    const contents = Array.from({ length: 30 }, () => randomBytes(500));
    for (const content of contents) await server.send('club/maps', content);
    const shared = await server.send('open/maps', contents[0]!);
    t.is(shared.status, 200);
    const link = (
      await server.call('GET', `/club/maps/objects/${oidOf(contents[1]!)}`, { as: bob })
    ).body._links.download;
    const { bucket, database } = await newPlaces();
    const move = { contents: bucket, database };
    const stopped = moveStore(server.admin, move, (bytes) => {
      if (bytes > 5_000) throw new Error('stopped');
    });
    await t.throwsAsync(stopped, { message: 'stopped' });
    const rest = await moveStore(server.admin, move, () => {});
    t.true(rest.present > 5 && rest.copied > 5, JSON.stringify(rest));
    t.is(rest.present + rest.copied, 31);
    const late = randomBytes(500);
    await server.send('club/maps', late);
    t.is((await moveStore(server.admin, move, () => {})).copied, 1, 'what has come since');
    await server.close();

    const moved = await startTestObjects(t, { places: { bucket, database } });
    for (const content of [...contents, late]) {
      const path = `/club/maps/objects/${oidOf(content)}`;
      const { download } = (await moved.call('GET', path, { as: bob })).body._links;
      t.true((await moved.follow('GET', download)).bytes.equals(content));
    }
    const old = { ...link, href: link.href.replace(server.url, moved.url) };
    t.deepEqual((await moved.follow('GET', old)).bytes, contents[1]!, 'links go on');
    const { directory } = moved.admin;
    t.is((await directory.findRepository('club/maps'))?.bytes, 31 * 500);
    t.true(await directory.addRepository('new', 'maps', false, 0), 'ids go on');
    const again = await openRoot(server.directory, { owner: 'command' });
    await t.throwsAsync(
      moveStore(again, { database }, () => {}),
      { message: 'objects in_use' },
    );
    await again.close();

    const back = await openRoot(join(temporaryDirectory(t), 'back'), {
      bucket,
      database,
      owner: 'command',
    });
    const home = await moveStore(back, { contents: 'file', database: 'sqlite' }, () => {});
    t.is(home.missing.length, 0);
    await back.close();
    const files = await startTestObjects(t, { directory: back.path, places: {} });
    for (const content of [...contents, late]) {
      const path = `/club/maps/objects/${oidOf(content)}/content`;
      t.true((await files.call('GET', path, { as: bob })).bytes.equals(content));
    }
    t.truthy(await files.admin.directory.findRepository('new/maps'));
  });
  test.serial(
    'the command that moves a store may be killed, and goes on where it was',
    async (t) => {
      t.timeout(120_000);
      const server = await startTestObjects(t);
      const { directory } = server;
      const contents = Array.from({ length: 120 }, () => randomBytes(300));
      for (const content of contents)
        await (
          await server.admin.contents()
        )
          .of('')
          .put(oidOf(content), 300, Readable.from([content]))
          .then(({ settle }) => settle());
      const { id } = (await server.admin.directory.findRepository('club/maps'))!;
      for (const content of contents)
        await server.admin.holdings.add(id, { oid: oidOf(content), size: 300 }, 0);
      const places = await newPlaces();
      const cli = testCli(t);
      const database = join(cli.root, 'database');
      writeFileSync(database, `${places.database}\n`);
      const bucketEnv = shared.swift.env(places.bucket);
      const there = { WAYPOINTD_OBJECTS_STORE: 's3', WAYPOINTD_OBJECTS_DATABASE: database };
      const home = temporaryDirectory(t);
      const moves = [
        { to: ['s3', database], root: directory, env: bucketEnv, target: places },
        { to: ['file', 'sqlite'], root: home, env: { ...bucketEnv, ...there }, target: {} },
      ];
      for (const {
        to: [store = '', rows = ''],
        root,
        env,
        target,
      } of moves) {
        const words = [
          'objects',
          'migrate',
          '--to-store',
          store,
          '--to-database',
          rows,
          '--root',
          root,
          '--json',
        ];
        const killed = cli.start(words, { env });
        const arrived = await openContents(root, { ...target, owner: 'command' });
        t.teardown(() => arrived.close());
        const count = async () => {
          let sum = 0;
          for await (const _ of arrived.list()) sum += 1;
          return sum;
        };
        await until(async () => killed.exitCode !== null || (await count()) > 10);
        killed.kill('SIGKILL');
        await until(() => killed.exitCode !== null || killed.signalCode !== null);
        t.is(killed.signalCode, 'SIGKILL', 'in the middle');
        const rest = JSON.parse(await cli.out(words, { env }));
        t.true(rest.present > 10 && rest.copied > 0, JSON.stringify(rest));
        t.deepEqual([rest.present + rest.copied, rest.missing], [120, []]);
        await server.close();
        const moved = await startTestObjects(t, { directory: root, places: target });
        for (const content of contents) {
          const path = `/club/maps/objects/${oidOf(content)}/content`;
          t.deepEqual((await moved.call('GET', path, { as: bob })).bytes, content);
        }
        await moved.close();
      }
    },
  );
}
