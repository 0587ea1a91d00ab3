/** The object server with its contents in a bucket of a real S3 API. */
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import test, { type ExecutionContext } from 'ava';
import { ObjectClient, passwordCredentials } from '../../client/objects/index.ts';
import { WaypointError } from '../../model/failure.ts';
import { checkContents } from '../../objects/upkeep/check.ts';
import { openRoot } from '../../objects/root.ts';
import { collectGarbage } from '../../objects/upkeep/collect.ts';
import { removeUnverified } from '../../objects/upkeep/unverified.ts';
import { testCli } from '../helpers/cli.ts';
import { rounds } from '../helpers/effort.ts';
import {
  ann,
  basic,
  bob,
  endOf,
  oidOf,
  startTestObjects,
  storesLiveIn,
  type TestObjects,
} from '../helpers/objects.ts';
import { manualTime } from '../helpers/manual-time.ts';
import { RawConnection, rawRequest } from '../helpers/raw-http.ts';
import { missingOfSwift, startSwift } from '../helpers/swift.ts';
import { temporaryDirectory } from '../helpers/temporary-directory.ts';
import { until } from '../helpers/until.ts';
import { answering } from '../helpers/local-server.ts';

const missing = missingOfSwift();

if (missing !== undefined) {
  test.skip(`contents in a bucket (skipped: no ${missing})`, () => {});
} else {
  const swift = await startSwift();
  test.after.always(() => swift.close());
  Object.assign(process.env, swift.keys);
  storesLiveIn(async () => ({ bucket: await swift.newBucket() }));

  /** A client of the bucket itself, past our server. */
  const s3Client = (t: ExecutionContext) => {
    const { endpoint } = swift;
    const client = new S3Client({ endpoint, forcePathStyle: true, region: 'us-east-1' });
    t.teardown(() => client.destroy());
    return client;
  };

  const objects = '/club/maps/objects';
  const content = Buffer.from('A map of the harbour');
  const object = { oid: oidOf(content), size: content.length };

  test('an object goes to the bucket and comes from it, past the server', async (t) => {
    const server = await startTestObjects(t);
    const announced = await server.call('POST', objects, { as: ann, body: object });
    t.is(announced.status, 202);
    const { upload, verify } = announced.body._links;
    t.true(upload.href.startsWith(`${swift.endpoint}/`));
    t.true(upload.href.endsWith(`/some/prefix/club/maps/${object.oid}`));
    t.is((await server.follow('POST', verify, object)).status, 404, 'nothing was sent');
    t.is((await server.follow('PUT', upload, content)).status, 200);
    const before = await server.call('GET', `${objects}/${object.oid}`, { as: bob });
    t.is(before.status, 404, 'nobody has told the server');
    t.is((await server.follow('POST', verify, object)).status, 200);
    const found = await server.call('GET', `${objects}/${object.oid}`, { as: bob });
    t.is(found.status, 200);
    const { download } = found.body._links;
    t.true(download.href.startsWith(`${swift.endpoint}/`));
    t.deepEqual((await server.follow('GET', download)).bytes, content);
    const part = await server.follow('GET', { ...download, header: { Range: 'bytes=2-4' } });
    t.is(part.status, 206);
    t.is(part.bytes.toString(), 'map');
    const again = await server.call('POST', objects, { as: ann, body: object });
    t.is(again.status, 200);
    const byHand = await server.call('GET', `${objects}/${object.oid}/content`, { as: bob });
    t.deepEqual(byHand.bytes, content);
  });

  test('the bucket refuses other bytes and altered links; a link is of no use for another object', async (t) => {
    const server = await startTestObjects(t);
    const announced = await server.call('POST', objects, { as: ann, body: object });
    const { upload, verify } = announced.body._links;
    const header: Readonly<Record<string, string>> = upload.header;
    const wrong = Buffer.from('A map of the desert!');
    t.is(wrong.length, content.length);
    t.is((await server.follow('PUT', upload, wrong)).status, 400, 'other bytes');
    t.is((await server.follow('PUT', upload, content.subarray(1))).status, 403, 'another length');
    const altered = { 'x-amz-content-sha256': oidOf(wrong), 'content-type': 'text/plain' };
    for (const name of Object.keys(header)) {
      const value = (altered as Record<string, string>)[name] ?? `${header[name]}0`;
      const link = { ...upload, header: { ...header, [name]: value } };
      t.true([400, 403].includes((await server.follow('PUT', link, content)).status), name);
      const rest = Object.fromEntries(Object.entries(header).filter(([other]) => other !== name));
      const without = await server.follow('PUT', { ...upload, header: rest }, content);
      t.true([400, 403].includes(without.status), `without ${name}`);
    }
    const elsewhere = { ...upload, href: upload.href.replace(object.oid, oidOf(wrong)) };
    t.is((await server.follow('PUT', elsewhere, content)).status, 403, 'another key');
    t.is((await server.follow('POST', verify, object)).status, 404, 'nothing has arrived');

    t.is((await server.send('club/maps', content)).status, 200);
    t.is((await server.send('open/maps', wrong)).status, 200);
    const found = await server.call('GET', `${objects}/${object.oid}`, { as: bob });
    const { download } = found.body._links;
    const other = download.href.replace('club/maps', 'open/maps').replace(object.oid, oidOf(wrong));
    t.is((await server.follow('GET', { href: other })).status, 403);
    const unsigned = { href: download.href.split('?')[0] ?? '' };
    t.true([400, 403].includes((await server.follow('GET', unsigned)).status));
    const later = download.href.replace('X-Amz-Expires=600', 'X-Amz-Expires=6000');
    t.not(later, download.href);
    t.is((await server.follow('GET', { href: later })).status, 403);
  });

  test('what another repository, or one of this name before, has sent is not there', async (t) => {
    const server = await startTestObjects(t);
    t.is((await server.send('open/maps', content)).status, 200);
    const announced = await server.call('POST', objects, { as: ann, body: object });
    t.is(announced.status, 202);
    const { verify, upload } = announced.body._links;
    t.is((await server.follow('POST', verify, object)).status, 404);
    t.is((await server.follow('PUT', upload, content)).status, 200);
    const { directory } = server.admin;
    await directory.removeRepository((await directory.findRepository('club/maps'))!.id);
    await directory.addRepository('club', 'maps', false, 0);
    const { id } = (await directory.findRepository('club/maps'))!;
    await directory.grant((await directory.findUser('ann'))!.id, id, 'write');
    t.is((await server.follow('POST', verify, object)).status, 401, 'a link of the one before');
    const anew = await server.call('POST', objects, { as: ann, body: object });
    t.is(anew.status, 202);
    t.is((await server.follow('POST', anew.body._links.verify, object)).status, 404);
  });

  test('what is too large for one request goes through the server in parts, checked', async (t) => {
    const places = { bucket: await swift.newBucket(), largestDirect: 5 * 1_048_576 };
    const server = await startTestObjects(t, { places });
    const large = randomBytes(12_000_000);
    const body = { oid: oidOf(large), size: large.length };
    const { upload } = (await server.call('POST', objects, { as: ann, body })).body._links;
    t.true(upload.href.startsWith(server.url));
    const wrong = Buffer.from(large).fill(0, 11_999_999);
    t.is((await server.follow('PUT', upload, wrong)).status, 400);
    for await (const { oid } of (await server.admin.contents()).list()) t.fail(`${oid} is there`);
    t.is((await server.send('club/maps', large)).status, 200);
    const { download } = (await server.call('GET', `${objects}/${body.oid}`, { as: bob })).body
      ._links;
    t.true((await server.follow('GET', download)).bytes.equals(large));
    const contents = await server.admin.contents();
    const name = await contents.quarantine({ oid: body.oid, repository: 'club/maps' });
    t.is(await contents.of('club/maps').has(body.oid), undefined);
    await contents.restore(name ?? '');
    t.is(await contents.of('club/maps').has(body.oid), large.length);
  });

  test('slow writers, however many, keep nobody from the bucket', async (t) => {
    const server = await startTestObjects(t);
    await server.send('club/maps', content);
    const slow = await openPuts(server, 60, 10);
    t.teardown(() => slow.forEach(({ socket }) => socket.destroy()));
    await until(() => connectionsTo(swift.endpoint) >= 50);
    const read = () => server.call('GET', `${objects}/${object.oid}/content`, { as: bob });
    t.is((await read()).status, 200);
    slow.forEach(({ socket }) => socket.destroy());
    await until(() => connectionsTo(swift.endpoint) < 50);
    t.is((await read()).status, 200, 'and goes on when they are gone');
  });

  test('uploads in parts are so many at once, and the next is told to come back', async (t) => {
    const places = { bucket: await swift.newBucket(), largestDirect: 5 * 1_048_576 };
    const server = await startTestObjects(t, { places });
    const { directory } = server.admin;
    const { id } = (await directory.findRepository('club/maps'))!;
    await directory.grant((await directory.findUser('bob'))!.id, id, 'write');
    // Half of the sixteen, then half of what is left.
    for (const [as, most] of [
      [ann, 8],
      [bob, 4],
    ] as const) {
      const uploads = await openPuts(server, most, 6_000_000, as);
      t.teardown(() => uploads.forEach(({ socket }) => socket.destroy()));
      const [next] = await openPuts(server, 1, 6_000_001, as);
      const refused = await Promise.race([next!, ...uploads].map((upload) => upload.answer()));
      t.is(refused?.status, 429, as);
      t.true(Number(refused?.headers.get('retry-after')) >= 30);
    }
  });

  test('a client that vanishes or falls silent in an upload leaves nothing in the bucket', async (t) => {
    const places = { bucket: await swift.newBucket(), largestDirect: 5 * 1_048_576 };
    const server = await startTestObjects(t, { places, limits: { slowBodyMs: 600_000 } });
    const hasty = await startTestObjects(t, {
      places: { bucket: await swift.newBucket(), largestDirect: 5 * 1_048_576 },
      limits: { slowBodyMs: 400 },
    });
    const client = s3Client(t);
    const inParts = async ({ places: { bucket } }: TestObjects): Promise<number> => {
      const asked = new ListMultipartUploadsCommand({ Bucket: bucket?.bucket });
      return (await client.send(asked)).Uploads?.length ?? 0;
    };
    const ways = {
      FIN: ({ socket }: RawConnection) => socket.end(),
      RST: (upload: RawConnection) => upload.reset(),
      silence: () => {},
    };
    const stages = [
      ['in one request', 1_000_000, 10],
      ['in the first part', 12_000_000, 10],
      ['in the second part', 12_000_000, 6_000_000],
    ] as const;
    for (const [where, size, sent] of stages) {
      for (const [way, go] of Object.entries(ways)) {
        const one = way === 'silence' ? hasty : server;
        const { directory } = one.admin;
        const { id } = (await directory.findRepository('club/maps'))!;
        await directory.changeRepository(id, { quotaBytes: size + 5_000_000 });
        const announced = async () => {
          const body = { oid: oidOf(Buffer.from('other')), size: 6_000_000 };
          return (await one.call('POST', objects, { as: ann, body })).status;
        };
        const [upload] = await openPuts(one, 1, size);
        upload!.send(Buffer.alloc(sent));
        await until(async () => way === 'silence' || (await announced()) === 507);
        if (size === 12_000_000 && way !== 'silence')
          await until(async () => (await inParts(one)) === 1);
        go(upload!);
        const answer = await upload!.answer();
        t.is(answer?.status, { FIN: 400, RST: undefined, silence: 408 }[way], `${where}, ${way}`);
        await until(async () => (await announced()) === 202);
        await until(async () => (await inParts(one)) === 0);
      }
    }
    for (const one of [server, hasty])
      for await (const { oid } of (await one.admin.contents()).list()) t.fail(`${oid} is there`);
  });

  test('a start gives up only uploads in parts that can be its own', async (t) => {
    const { admin, places } = await startTestObjects(t);
    const { bucket: Bucket = '', prefix } = places.bucket ?? {};
    const client = s3Client(t);
    for (const name of [
      `club/maps/${object.oid}`,
      'film.iso',
      `.quarantine/club/maps/${object.oid}.1.a`,
    ])
      await client.send(new CreateMultipartUploadCommand({ Bucket, Key: `${prefix}/${name}` }));
    const left = async () =>
      (await client.send(new ListMultipartUploadsCommand({ Bucket }))).Uploads?.map(
        ({ Key }) => Key,
      );
    await (await admin.contents()).sweep(Date.now());
    t.is((await left())?.length, 3, 'young ones');
    await (await admin.contents()).sweep(Date.now() + 2 * 86_400_000);
    t.deepEqual(await left(), [`${prefix}/film.iso`]);
  });

  test('a check finds what is damaged or missing; garbage is set aside, and comes back where it is held', async (t) => {
    const server = await startTestObjects(t);
    const { admin } = server;
    const [other, lost] = [Buffer.from('another'), Buffer.from('lost')];
    for (const sent of [content, other, lost]) await server.send('club/maps', sent);
    const contents = await admin.contents();
    const setAside = async () =>
      (await contents.quarantine({ oid: oidOf(lost), repository: 'club/maps' })) ?? '';
    await setAside();
    t.like(await checkContents(admin, () => {}), { faults: [], restored: 1 });
    await contents.discard(await setAside());
    t.is(await setAside(), '', 'nothing is left there');
    t.deepEqual((await checkContents(admin, () => {})).faults, [
      { kind: 'missing', oid: oidOf(lost), repository: 'club/maps' },
    ]);
    t.is(
      (await server.call('POST', objects, { as: ann, body: { oid: oidOf(lost), size: 4 } })).status,
      202,
    );
    t.is((await server.send('club/maps', lost)).status, 200, 'a push mends it');
    const { id } = (await admin.directory.findRepository('club/maps'))!;
    await admin.holdings.remove(id, oidOf(other));
    const now = Date.now() + 60_000;
    const set = await collectGarbage(admin, { graceMs: 0, now, isDryRun: false });
    t.deepEqual([set.quarantined, set.deleted], [1, 0]);
    t.is(await contents.of('club/maps').has(oidOf(other)), undefined);
    t.is((await collectGarbage(admin, { graceMs: 0, now, isDryRun: false })).deleted, 1);
    t.deepEqual((await checkContents(admin, () => {})).faults, []);
  });

  test('a quota holds for what goes past the server', async (t) => {
    const server = await startTestObjects(t);
    const { directory } = server.admin;
    const { id } = (await directory.findRepository('club/maps'))!;
    await directory.changeRepository(id, { quotaBytes: 30 });
    const first = await server.call('POST', objects, { as: ann, body: object });
    const more = Buffer.from('more than is left over');
    const second = { oid: oidOf(more), size: more.length };
    t.is((await server.call('POST', objects, { as: ann, body: second })).status, 507, 'announced');
    await directory.changeRepository(id, { quotaBytes: null });
    const { upload, verify } = (await server.call('POST', objects, { as: ann, body: second })).body
      ._links;
    t.is((await server.follow('PUT', upload, more)).status, 200);
    await directory.changeRepository(id, { quotaBytes: 30 });
    const sent = await server.follow('PUT', first.body._links.upload, content);
    t.is(sent.status, 200);
    t.is((await server.follow('POST', first.body._links.verify, object)).status, 200);
    t.is((await server.follow('POST', verify, second)).status, 507, 'when it has arrived');
    t.is((await directory.findRepository('club/maps'))?.bytes, content.length);
    // 20 bytes are held, and 22 still announced.
    await directory.changeRepository(id, { quotaBytes: 55 });
    t.is((await announce(server, Buffer.alloc(14))).status, 507, 'beside both');
    t.is((await announce(server, Buffer.alloc(13))).status, 202);
  });

  const sweep = async ({ admin }: TestObjects, now: number) =>
    removeUnverified({ contents: await admin.contents(), holdings: admin.holdings }, now);

  async function setQuota({ admin }: TestObjects, quotaBytes: number): Promise<number> {
    const { id } = (await admin.directory.findRepository('club/maps'))!;
    await admin.directory.changeRepository(id, { quotaBytes });
    return id;
  }

  /** Bytes in the bucket, verified or not. */
  async function stored({ admin }: TestObjects): Promise<number> {
    let sum = 0;
    for await (const { size } of (await admin.contents()).list()) sum += size;
    return sum;
  }

  async function announce(server: TestObjects, sent: Buffer, as = ann) {
    const body = { oid: oidOf(sent), size: sent.length };
    return server.call('POST', objects, { as, body });
  }

  test('what was announced and never sent keeps its room as long as its link, on every server', async (t) => {
    const { clock, advance } = manualTime();
    const first = await startTestObjects(t, { clock });
    const { directory, places } = first;
    await setQuota(first, 30);
    const other = Buffer.from('other bytes');
    const isRefused = async (server: TestObjects) => (await announce(server, other)).status === 507;
    t.is((await announce(first, content)).status, 202);
    advance(959_999);
    await first.close();
    const second = await startTestObjects(t, { directory, places, clock });
    await sweep(second, clock.now());
    t.true(await isRefused(second));
    await second.close();
    advance(1);
    const third = await startTestObjects(t, { directory, places, clock });
    await until(async () => !(await isRefused(third)));
  });

  test('what was sent and never verified keeps its room until an hour after its link, and is removed then', async (t) => {
    const { clock, advance } = manualTime();
    const first = await startTestObjects(t, { clock });
    const { directory, places } = first;
    await setQuota(first, 30);
    const sent = await announce(first, content);
    t.is((await first.follow('PUT', sent.body._links.upload, content)).status, 200);
    const other = Buffer.from('other bytes');
    advance(4_199_999);
    await sweep(first, clock.now());
    await sweep(first, clock.now());
    t.deepEqual([(await announce(first, other)).status, await stored(first)], [507, 20]);
    await first.close();
    advance(1);
    const second = await startTestObjects(t, { directory, places, clock });
    await until(async () => (await stored(second)) === 0);
    await until(async () => (await announce(second, other)).status === 202);
    const { verify } = sent.body._links;
    const there = { ...verify, href: verify.href.replace(first.url, second.url) };
    t.is((await second.follow('POST', there, object)).status, 404);
  });

  test('to announce, send and never verify, again and again, never fills more than the quota', async (t) => {
    const { clock, advance } = manualTime();
    const server = await startTestObjects(t, { clock });
    await setQuota(server, 60);
    let [sent, refused] = [0, 0];
    for (let n = 0; n < 160; n += 1) {
      const bytes = randomBytes(20);
      const announced = await announce(server, bytes);
      if (announced.status === 202) {
        t.is((await server.follow('PUT', announced.body._links.upload, bytes)).status, 200);
        sent += 20;
      } else refused += 1;
      t.true((await stored(server)) <= 60);
      advance(61_000);
      await sweep(server, clock.now());
    }
    t.is(sent, 180, 'of three rounds');
    t.is(refused, 151);
  });

  test('cancel gives the room back at once; what is sent all the same is removed, and never more than another quota', async (t) => {
    const { clock, advance } = manualTime();
    const server = await startTestObjects(t, { clock });
    await setQuota(server, 60);
    const cancelled = [];
    for (let n = 0; n < 6; n += 1) {
      const bytes = randomBytes(20);
      const announced = await announce(server, bytes);
      t.is(announced.status, 202, `${n}`);
      const { cancel, upload, verify } = announced.body._links;
      cancelled.push({ bytes, upload, verify });
      t.is((await server.follow('DELETE', cancel)).status, 200);
      t.is((await server.follow('DELETE', { href: cancel.href })).status, 401);
    }
    t.is((await announce(server, randomBytes(20))).status, 507, 'three were given up, three not');
    for (const { upload, bytes } of cancelled)
      t.is((await server.follow('PUT', upload, bytes)).status, 200);
    const [kept, ...late] = cancelled;
    const body = { oid: oidOf(kept!.bytes), size: 20 };
    t.is((await server.follow('POST', kept!.verify, body)).status, 200, 'it was sent in the end');
    t.is((await server.follow('DELETE', kept!.verify)).status, 405);
    advance(4_200_000);
    await sweep(server, clock.now());
    t.is(await stored(server), 20);
    const path = `${objects}/${body.oid}/content`;
    t.deepEqual((await server.call('GET', path, { as: bob })).bytes, kept!.bytes);
    t.is((await announce(server, late[0]!.bytes)).status, 202);
    advance(960_000);
    await sweep(server, clock.now());
    for (let n = 0; n < 3; n += 1) {
      const { cancel } = (await announce(server, randomBytes(20))).body._links;
      t.is((await server.follow('DELETE', cancel)).status, 200, 'the links of the others are over');
    }
  });

  test('a late upload is removed after a day; one that is announced by another, or held, is not', async (t) => {
    const { clock, advance } = manualTime();
    const server = await startTestObjects(t, { clock });
    const id = await setQuota(server, 1_000);
    const { directory } = server.admin;
    await directory.grant((await directory.findUser('bob'))!.id, id, 'write');
    const [late, theirs, held] = [randomBytes(20), randomBytes(30), randomBytes(40)] as const;
    const links = [];
    for (const bytes of [late, theirs, held])
      links.push((await announce(server, bytes)).body._links);
    await server.follow('PUT', links[1]!.upload, theirs);
    await server.follow('PUT', links[2]!.upload, held);
    const verified = { oid: oidOf(held), size: 40 };
    t.is((await server.follow('POST', links[2]!.verify, verified)).status, 200);
    advance(4_100_000);
    await sweep(server, clock.now());
    const again = await announce(server, theirs, bob);
    t.is(again.status, 202);
    advance(100_000);
    await sweep(server, clock.now());
    t.is(await stored(server), 70, 'it may be verified yet');
    t.is(
      (await server.follow('POST', again.body._links.verify, { oid: oidOf(theirs), size: 30 }))
        .status,
      200,
    );
    // As a client whose upload has taken so long; the signature of its link is of the real time.
    await server.follow('PUT', links[0]!.upload, late);
    advance(86_400_000 - 4_200_001);
    await sweep(server, clock.now());
    t.is(await stored(server), 90);
    advance(1);
    await sweep(server, clock.now());
    t.is(await stored(server), 70);
    t.deepEqual(await server.admin.holdings.announcements(), []);
  });

  test('while a content is removed it is neither announced nor verified; a removal that was cut off is done again', async (t) => {
    const { clock, advance } = manualTime();
    const server = await startTestObjects(t, { clock });
    const { holdings } = server.admin;
    const id = await setQuota(server, 1_000);
    const { upload, verify } = (await announce(server, content)).body._links;
    await server.follow('PUT', upload, content);
    advance(4_200_000);
    // As a server does that is killed then.
    t.true(await holdings.beginRemoval(id, object.oid, clock.now()));
    const fresh = (await announce(server, Buffer.from('other'))).body._links;
    const header = { ...verify.header, Authorization: basic(ann) };
    for (const answer of [
      await announce(server, content),
      await server.follow('POST', { ...verify, header }, object),
      await server.call('PUT', `${objects}/${object.oid}/content`, { as: ann, body: content }),
    ]) {
      t.is(answer.status, 503);
      t.regex((answer.body as unknown as { message: string }).message, /is being removed/);
    }
    t.truthy(fresh.upload, 'others are not held up');
    advance(599_999);
    await sweep(server, clock.now());
    t.is((await announce(server, content)).status, 503);
    advance(1);
    await sweep(server, clock.now());
    t.is(await stored(server), 0);
    t.is((await server.send('club/maps', content)).status, 200);
    t.is(await stored(server), 20);
  });

  test('an upload counts in the quota once, also in the moment when it gets its row', async (t) => {
    const server = await startTestObjects(t);
    const { directory } = server.admin;
    for (let n = 0; n < rounds(100, 5); n += 1) {
      const { bytes } = (await directory.findRepository('club/maps'))!;
      await setQuota(server, bytes + 40);
      const [own, other] = [randomBytes(20), randomBytes(20)];
      let isOver = false;
      const sending = server.send('club/maps', own).finally(() => (isOver = true));
      while (!isOver) t.is((await announce(server, other)).status, 202);
      t.is((await sending).status, 200);
      await server.follow('DELETE', (await announce(server, other)).body._links.cancel);
    }
  });

  test('of one user and repository, 10,000 announcements may come to nothing in a day', async (t) => {
    const server = await startTestObjects(t);
    const { rows } = server.admin.database;
    const { id } = (await server.admin.directory.findRepository('club/maps'))!;
    const user = (await server.admin.directory.findUser('ann'))!.id;
    const row = { repository_id: id, user_id: user, size: 1, until_ms: Date.now() + 60_000 };
    for (let n = 0; n < 9_999; n += 1_000) {
      const oids = Array.from({ length: Math.min(1_000, 9_999 - n) }, (_, at) => `${n + at}`);
      const values = oids.map((oid) => ({ ...row, oid, is_given_up: (n / 1_000) % 2 }));
      await rows.insertInto('announcements').values(values).execute();
    }
    t.is((await announce(server, content)).status, 202);
    const refused = await announce(server, Buffer.from('other'));
    t.deepEqual([refused.status, refused.body.code], [429, 'busy']);
    t.is((await announce(server, content)).status, 202, 'again');
    t.is((await server.send('open/maps', content)).status, 200, 'another repository');
  });

  test('a client that is stopped in an upload gives its room back', async (t) => {
    const server = await startTestObjects(t);
    const large = randomBytes(3_000_000);
    await setQuota(server, large.length);
    const file = join(temporaryDirectory(t), 'large');
    writeFileSync(file, large);
    const client = new ObjectClient({
      baseUrl: `${server.url}/club/maps`,
      credentials: passwordCredentials('ann', 'ann-password'),
    });
    const stop = new AbortController();
    const upload = client.upload(
      file,
      { oid: oidOf(large), size: large.length },
      { signal: stop.signal, onProgress: () => stop.abort(new Error('stopped')) },
    );
    await t.throwsAsync(upload, { message: 'stopped' });
    t.is((await announce(server, randomBytes(large.length))).status, 202);
  });

  test('the statistics count what was announced, and what was sent and not verified', async (t) => {
    const server = await startTestObjects(t);
    await server.send('club/maps', content);
    const [sent, missing] = [randomBytes(1_000), randomBytes(2_000)];
    const { upload } = (await announce(server, sent)).body._links;
    await server.follow('PUT', upload, sent);
    await announce(server, missing);
    const cli = testCli(t);
    const env = { ...swift.env(server.places.bucket!), WAYPOINTD_OBJECTS_STORE: 's3' };
    const words = ['objects', 'stats', '--root', server.directory];
    const [club] = (await cli.json(words, { env })).repositories;
    t.like(club, { repository: 'club/maps', objects: 1, bytes: 20 });
    t.like(club, { unverified: { objects: 1, bytes: 1_000 }, reserved_bytes: 3_000 });
    t.regex(
      await cli.out(words, { env }),
      /sent and not verified: 1 object of 1 kB; announced: 3 kB/,
    );
  });

  test('what needs rows only goes on while the bucket is away', async (t) => {
    const server = await startTestObjects(t);
    const { directory, places } = server;
    await server.close();
    const bucket = { ...places.bucket!, endpoint: 'http://127.0.0.1:9' };
    const root = await openRoot(directory, { bucket, owner: 'command' });
    t.teardown(() => root.close());
    t.is((await root.directory.users()).length, 3);
    const away = await t.throwsAsync(root.contents(), { instanceOf: WaypointError });
    t.is(away.failure, 'bucket_unavailable');
  });

  test('a bucket that forbids, is not there or is away keeps a server from starting', async (t) => {
    const bucket = await swift.newBucket();
    const refusing = async (status: number): Promise<string> => {
      const port = await answering(t, (request, response) => {
        request.resume();
        response.writeHead(status).end();
      });
      return `http://127.0.0.1:${port}`;
    };
    const file = join(temporaryDirectory(t), 'keys');
    writeFileSync(file, '[default]\naws_access_key_id = test:tester\naws_secret_access_key = no\n');
    const tries = [
      [{ ...bucket, credentialsFile: file }, 'bucket_refuses'],
      [{ ...bucket, bucket: 'none' }, 'bucket_refuses'],
      [{ ...bucket, endpoint: 'http://127.0.0.1:9' }, 'bucket_unavailable'],
      [{ ...bucket, endpoint: await refusing(401) }, 'bucket_refuses'],
      [{ ...bucket, endpoint: await refusing(507) }, 'disk_full'],
    ] as const;
    for (const [place, failure] of tries) {
      const starting = startTestObjects(t, { places: { bucket: place } });
      t.is((await t.throwsAsync(starting, { instanceOf: WaypointError })).failure, failure);
    }
  });

  test.serial(
    'a bucket that stands still: 503, nothing acknowledged, and it goes on',
    async (t) => {
      const { clock, advance } = manualTime();
      const server = await startTestObjects(t, { clock });
      const { verify, upload } = (await server.call('POST', objects, { as: ann, body: object }))
        .body._links;
      await server.follow('PUT', upload, content);
      t.is((await server.call('GET', '/readyz')).status, 200);
      swift.pause();
      let isVerified = false;
      const verifying = server.follow('POST', verify, object).finally(() => (isVerified = true));
      advance(5_000);
      t.is((await server.call('GET', '/readyz')).status, 503);
      t.is((await server.call('GET', '/healthz')).status, 200);
      t.false(isVerified, 'that waits for the bucket, 15 s');
      t.is((await verifying).status, 503);
      t.is((await server.call('GET', `${objects}/${object.oid}`, { as: bob })).status, 404);
      swift.resume();
      t.is((await server.follow('POST', verify, object)).status, 200);

      const other = Buffer.from('another');
      swift.pause();
      t.teardown(swift.resume);
      const path = `${objects}/${oidOf(other)}/content`;
      const sent = t.throwsAsync(server.call('PUT', path, { as: ann, body: other }));
      await until(() => connectionsTo(swift.endpoint) > 0);
      t.is(await endOf(server), 'ended', 'although the bucket stands still');
      await sent;
    },
  );

  /** Begins uploads by hand, and sends no more than their beginnings. */
  async function openPuts(server: TestObjects, count: number, size: number, as = ann) {
    await server.call('GET', `${objects}/${object.oid}`, { as });
    return Promise.all(
      Array.from({ length: count }, (_, n) => {
        const path = `${objects}/${oidOf(Buffer.from(`${n}`))}/content`;
        const headers = [`Authorization: ${basic(as)}`, `Content-Length: ${size}`];
        return RawConnection.open(server.port, rawRequest(`PUT ${path}`, headers), 'x');
      }),
    );
  }
}

/** Connections of this machine to a server on it. */
function connectionsTo(endpoint: string): number {
  const port = Number(new URL(endpoint).port).toString(16).toUpperCase().padStart(4, '0');
  const isOpen = new RegExp(`^ *\\d+: \\S+ 0100007F:${port} 01 `, 'u');
  return readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .filter((line) => isOpen.test(line)).length;
}
