/** Two object servers behind nginx, their rows in PostgreSQL and their contents in a bucket; git-lfs in front. */
import { spawnSync, type ChildProcess } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { hashPassword } from '../../objects/passwords.ts';
import { openRoot } from '../../objects/root.ts';
import { testCli } from '../helpers/cli.ts';
import { amongSlow, slowRequests } from '../helpers/crowd.ts';
import { rounds } from '../helpers/effort.ts';
import { Desk } from '../helpers/git-desk.ts';
import { ann, basic, oidOf, startTestObjects, xLfs } from '../helpers/objects.ts';
import { nginxProgram, startNginx } from '../helpers/nginx.ts';
import { startSharedPlaces } from '../helpers/shared-places.ts';
import { freePort } from '../helpers/local-server.ts';
import { temporaryDirectory } from '../helpers/temporary-directory.ts';
import { until } from '../helpers/until.ts';

const tools = ['git', 'git-lfs'].find((tool) => spawnSync(tool, ['--version']).status !== 0);
const shared = await startSharedPlaces(existsSync(nginxProgram) ? tools : 'nginx');
if (shared !== undefined) {
  const { newPlaces, swift } = shared;

  test.serial('git-lfs pushes and clones while one server is killed and comes back', async (t) => {
    t.timeout(600_000);
    // TEST_EFFORT=10 for 2,000 files and one of 1 GB.
    const [files, large] = [Math.min(2_000, rounds(200)), Math.min(1_000, rounds(100)) * 1_000_000];
    const root = temporaryDirectory(t);
    const cli = testCli(t, root);
    const places = await newPlaces();
    const [front, ...ports] = [await freePort(), await freePort(), await freePort()];
    const url = `http://127.0.0.1:${front}`;
    const env = {
      ...swift.env(places.bucket),
      WAYPOINTD_OBJECTS_DATABASE: places.database,
      WAYPOINTD_OBJECTS_STORE: 's3',
      WAYPOINTD_OBJECTS_PUBLIC_URL: url,
    };
    const serve = async (port: number | undefined): Promise<ChildProcess> => {
      const child = cli.start(['objects', 'serve', '--listen', `127.0.0.1:${port}`], { env });
      let told = '';
      child.stderr?.on('data', (piece) => (told += String(piece)));
      await new Promise((ready) => child.once('exit', ready).stdout?.once('data', ready));
      t.is(child.exitCode, null, told);
      return child;
    };
    const admin = await openRoot(root, { ...places, owner: 'command' });
    t.teardown(() => admin.close());
    const { directory } = admin;
    await directory.addUser('ann', await hashPassword('ann-password'), 0);
    await directory.addRepository('club', 'maps', false, 0);
    await directory.grant(1, 1, 'write');
    const stored = async () => (await directory.findRepository('club/maps'))?.objects ?? 0;
    const servers = await Promise.all(ports.map((port) => serve(port)));
    const proxy = startNginx(root, front, ports);
    t.teardown(() => proxy.kill('SIGTERM'));

    const desk = new Desk(temporaryDirectory(t), { url, port: front }, ann);
    const contents: Record<string, Buffer> = {};
    for (let n = 0; n < files; n += 1) contents[`${n}.bin`] = randomBytes(500 + n);
    await desk.work(t, { ...contents, 'large.bin': randomBytes(large) }, [
      `lfs.url=${url}/club/maps`,
    ]);
    const killAndStart = async (n: number) => {
      servers[n]?.kill('SIGKILL');
      await until(() => servers[n]?.signalCode !== null);
      servers[n] = await serve(ports[n]);
    };
    let isOver = false;
    const pushing = desk.push().finally(() => (isOver = true));
    await until(async () => isOver || (await stored()) > files / 10);
    t.false(isOver, 'it is killed in the middle');
    await killAndStart(0);
    const { code, output } = await pushing;
    t.is(code, 0, output);
    t.is(await stored(), files + 1);

    isOver = false;
    const remote = join(desk.root, 'remote.git');
    const cloning = desk.run(t, '.', 'clone', '-q', remote, 'clone').finally(() => (isOver = true));
    const fetched = join(desk.root, 'clone', '.git', 'lfs', 'objects');
    await until(() => isOver || existsSync(fetched));
    await killAndStart(1);
    await cloning;
    for (const [name, content] of Object.entries(contents))
      t.true(readFileSync(join(desk.root, 'clone', name)).equals(content), name);
    t.is(
      hashOf(join(desk.root, 'clone', 'large.bin')),
      hashOf(join(desk.root, 'work', 'large.bin')),
    );

    const sum = (await directory.findRepository('club/maps'))?.bytes ?? 0;
    await directory.changeRepository(1, { quotaBytes: sum + 10_000 });
    const sending = Array.from({ length: 20 }, () => send(url, randomBytes(1_000)));
    const statuses = (await Promise.all(sending)).toSorted((a, b) => a - b);
    t.deepEqual(statuses, [...Array<number>(10).fill(200), ...Array<number>(10).fill(507)]);
    t.is((await directory.findRepository('club/maps'))?.bytes, sum + 10_000, 'exact');
  });

  for (const [client, request] of Object.entries(slowRequests)) {
    test.serial(
      `600 slow connections of one ${client} through nginx keep no other user out`,
      async (t) => {
        const server = await startTestObjects(t, {
          places: {},
          config: { trustedProxy: '127.0.0.1' },
        });
        const front = await freePort();
        const unbuffered = 'proxy_request_buffering off;';
        const proxy = startNginx(temporaryDirectory(t), front, [server.port], unbuffered);
        t.teardown(() => proxy.kill('SIGTERM'));
        const isUp = () =>
          fetch(`http://127.0.0.1:${front}/healthz`).then(
            ({ ok }) => ok,
            () => false,
          );
        await until(isUp);
        t.deepEqual(await amongSlow(t, server, front, request), Array<number>(20).fill(404));
      },
    );
  }

  async function send(url: string, content: Buffer): Promise<number> {
    const body = { oid: oidOf(content), size: content.length };
    const headers = { authorization: basic(ann), 'content-type': xLfs };
    const post = { method: 'POST', headers, body: JSON.stringify(body) };
    const announced = await fetch(`${url}/club/maps/objects`, post);
    const answer = (await announced.json()) as {
      _links: Record<'upload' | 'verify', { href: string; header: Record<string, string> }>;
    };
    if (announced.status !== 202) return announced.status;
    const { upload, verify } = answer._links;
    const sent = await fetch(upload.href, { method: 'PUT', headers: upload.header, body: content });
    if (sent.status !== 200) return sent.status;
    const told = { ...post, headers: { ...headers, ...verify.header } };
    delete (told.headers as Record<string, string>)['authorization'];
    return (await fetch(verify.href, told)).status;
  }

  function hashOf(path: string): string {
    return createHash('sha256').update(readFileSync(path)).digest('hex');
  }
}
