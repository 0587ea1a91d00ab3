/** The object store's commands: through processes, most of them beside a running server. */
import { spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { openRoot } from '../objects/root.ts';
import { finish, testCli, untilPrinted, type CliResult } from './helpers/cli.ts';
import { startTestDaemon } from './helpers/daemon.ts';
import { ann, basic, bob, oidOf, startTestObjects } from './helpers/objects.ts';
import { temporaryDirectory } from './helpers/temporary-directory.ts';
import { posix } from './helpers/where.ts';

const isWindows = process.platform === 'win32';

const objects = '/club/maps/objects';
const content = Buffer.from('a map of the harbour');
const oid = oidOf(content);

async function startAdmin(t: ExecutionContext) {
  const server = await startTestObjects(t);
  const cli = testCli(t);
  return {
    server,
    cli,
    /** Runs a command on the server's directory and reads its JSON. */
    run: async <T>(...words: string[]): Promise<T> => {
      const all = ['objects', ...words, '--root', server.directory, '--json'];
      const { code, stdout, stderr } = await cli.run(all);
      t.is(code, 0, stderr);
      return JSON.parse(stdout);
    },
  };
}

function stored(directory: string, of: string): string {
  return join(directory, 'objects', of.slice(0, 2), of.slice(2, 4), of);
}

test('from nothing to the first object: user, repository, grant, serve; a second server is refused', async (t) => {
  const cli = testCli(t);
  const root = join(cli.root, 'store');
  const on = ['--root', root];
  const added = await cli.run(['objects', 'repo', 'add', 'club/maps', ...on]);
  t.regex(added.stdout, /\[lfs\]\n\turl = http:\/\/127\.0\.0\.1:43099\/club\/maps\n/);
  await cli.out(['objects', 'user', 'add', 'Ann', '--password-stdin', ...on], {
    input: 'ann-password\n',
  });
  const again = await cli.run(['objects', 'user', 'add', 'ann', '--password-stdin', ...on], {
    input: 'x\n',
  });
  t.deepEqual([again.code, again.stderr.includes('There is a user')], [1, true]);
  const input = 'bea-password\n'.repeat(2);
  const untyped = await cli.run(['objects', 'user', 'add', 'bea', ...on], { input });
  t.deepEqual([untyped.code, /no terminal.* --password-stdin/.test(untyped.stderr)], [64, true]);
  await cli.run(['objects', 'grant', 'ann', 'CLUB/maps', 'write', ...on]);
  const words = ['objects', 'serve', '--listen', '127.0.0.1:0', ...on];
  const child = cli.start(words);
  const [url] = await untilPrinted(child.stdout, /http:\/\/127\.0\.0\.1:\d+/);
  const put = await fetch(`${url}${objects}/${oid}/content`, {
    method: 'PUT',
    headers: { authorization: basic(ann) },
    body: content,
  });
  t.is(put.status, 200);
  const second = await cli.run(words);
  t.is(second.code, 75);
  const more = await cli.run(['objects', 'repo', 'add', 'club/more', '--json', ...on]);
  t.is(
    JSON.parse(more.stdout).url,
    `${url}/club/more`,
    'where it is served, whatever --listen said',
  );
  child.kill('SIGTERM');
  const { code } = await finish(child);
  // Windows has neither signals nor modes.
  t.is(code, isWindows ? null : 0);
  for (const name of isWindows ? [] : ['secret', 'objects.sqlite'])
    t.is(statSync(join(root, name)).mode & 0o777, 0o600);
  t.false(readFileSync(join(root, 'objects.sqlite')).includes('ann-password'));
});

posix('a directory that others may enter is closed to them when it is served', async (t) => {
  const before = await startTestObjects(t);
  await before.close();
  const { directory } = before;
  for (const name of ['objects.sqlite', 'secret']) chmodSync(join(directory, name), 0o666);
  chmodSync(directory, 0o777);
  const { logged } = await startTestObjects(t, { directory });
  t.is(statSync(directory).mode & 0o777, 0o700);
  t.deepEqual(logged, ['objects.open_to_others {}']);
});

test('no empty database is made over contents whose own is gone', async (t) => {
  const { server, cli } = await startAdmin(t);
  await server.send('club/maps', content);
  await server.close();
  const database = join(server.directory, 'objects.sqlite');
  const refuses = async (...words: string[]) => {
    const { code, stderr } = await cli.run(['objects', ...words, '--root', server.directory]);
    t.is(code, 74);
    t.regex(stderr, /bring it back from a backup/);
  };
  rmSync(database);
  await refuses('repo', 'add', 'club/maps');
  await refuses('serve');
  t.false(existsSync(database));
  writeFileSync(database, '');
  await refuses('gc');
  t.is(readFileSync(database).length, 0);
  t.true(existsSync(stored(server.directory, oid)));
});

test('user names and passwords are accepted up to their limits, and nothing beyond', async (t) => {
  const cli = testCli(t);
  const root = join(cli.root, 'store');
  const add = async (name: string, password: string) => {
    const words = ['objects', 'user', 'add', name, '--password-stdin', '--root', root];
    return (await cli.run(words, { input: `${password}\n` })).code;
  };
  t.is(await add('u'.repeat(64), 'p'.repeat(512)), 0);
  t.is(await add('u'.repeat(65), 'p'), 64);
  t.is(await add('v', 'p'.repeat(513)), 64);
  t.is(await add('v', 'ä'.repeat(7)), 64);
  t.is(await add('v', 'ä'.repeat(8)), 0);
});

test('passwords do not cross a network in clear text unless somebody says so', async (t) => {
  const cli = testCli(t);
  const serve = (...words: string[]) => [
    'objects',
    'serve',
    '--root',
    join(cli.root, 'store'),
    ...words,
  ];
  const refused = await cli.run(serve('--listen', '0.0.0.0:0'));
  t.deepEqual([refused.code, refused.stderr.includes('clear text')], [78, true]);
  const child = cli.start(serve('--listen', '0.0.0.0:0', '--insecure-http', '--no-batch'));
  const [url] = await untilPrinted(child.stdout, /http:\/\/\S+/);
  t.is((await fetch(`${url}/club/maps/objects/batch`, { method: 'POST' })).status, 404);
  child.kill('SIGTERM');
  await finish(child);
});

test('the daemon runs an object server beside itself where the settings say so', async (t) => {
  const daemon = await startTestDaemon(t, {
    settings: { objects: true, objects_listen: '127.0.0.1:0' },
  });
  const line = daemon.logged.find((logged) => logged.startsWith('objects.ready'));
  const url = `http://127.0.0.1:${/"port":(\d+)/.exec(line ?? '')?.[1]}`;
  t.deepEqual(await (await fetch(`${url}/healthz`)).json(), { status: 'ok' });
  t.true(existsSync(join(daemon.paths.objects, 'objects.sqlite')));
  await daemon.close();
  await t.throwsAsync(fetch(`${url}/healthz`));
  const other = await daemon.restart();
  t.is((await other.get('/api/version')).status, 200, 'the store was let go of');
});

test('rights, limits and objects change beside a running server, which sees it at once and never waits', async (t) => {
  const { server, cli, run } = await startAdmin(t);
  await server.send('club/maps', content);
  let isOver = false;
  const asking = (async () => {
    for (let n = 0; !isOver; n += 1) {
      const body = Buffer.from(`object ${n}`);
      const sent = await server.send('open/maps', body);
      // Leaves the processor to the commands.
      await delay(20);
      if (sent.status !== 200) throw new Error(`${sent.status} ${sent.body.message}`);
    }
  })();
  const get = async (as = bob) => (await server.call('GET', `${objects}/${oid}`, { as })).status;
  t.is(await get(), 200);
  // Processes of their own, as an administrator's are; the other commands only look.
  const root = ['--root', server.directory];
  await cli.out(['objects', 'revoke', 'bob', 'club/maps', ...root]);
  t.is(await get(), 404);
  const limits = ['--quota', '20', '--max-object', '1K', '--json'];
  const set = JSON.parse(
    await cli.out(['objects', 'repo', 'set', 'club/maps', ...limits, ...root]),
  );
  t.deepEqual([set.quota_bytes, set.max_object_bytes], [20, 1_024]);
  for (const typed of ['1000', '500M', '1.5G', '20G', '2T', '20']) {
    await run('repo', 'set', 'club/maps', '--quota', typed);
    const listed = await cli.run(['objects', 'repo', 'list', ...root]);
    t.regex(listed.stdout, new RegExp(`club/maps .* ${typed.replace('.', '\\.')}\\s*$`, 'mu'));
  }
  t.is(
    (await server.call('POST', objects, { as: ann, body: { oid: '1'.repeat(64), size: 1 } }))
      .status,
    507,
  );
  await cli.out(
    ['objects', 'user', 'passwd', 'eve', '--password-stdin', '--root', server.directory],
    { input: 'other-password\n' },
  );
  t.deepEqual([await get('eve:eve-password'), await get('eve:other-password')], [401, 404]);
  t.deepEqual(await run('access', 'club/maps'), [
    { user: 'ann', repository: 'club/maps', access: 'write' },
  ]);

  const keep = await cli.out(
    ['objects', 'prune', 'club/maps', '--keep', '-', '--json', '--root', server.directory],
    { input: `${'0'.repeat(64)}\n` },
  );
  t.deepEqual(JSON.parse(keep), { objects: 1, bytes: 20, dry_run: true });
  t.is(await get(ann), 200, 'it only told');
  const bad = await cli.run(
    ['objects', 'prune', 'club/maps', '--keep', '-', '--yes', '--root', server.directory],
    { input: 'no oid\n' },
  );
  t.is(bad.code, 64);
  const gone = await cli.run([
    'objects',
    'rm',
    'club/maps',
    oid,
    '1'.repeat(64),
    '--json',
    '--root',
    server.directory,
  ]);
  t.deepEqual(
    [gone.code, JSON.parse(gone.stdout)],
    [1, { removed: [oid], absent: ['1'.repeat(64)] }],
  );
  t.is(await get(ann), 404);
  const collected = await run<{ quarantined: number }>('gc', '--grace-days', '0');
  t.is(collected.quarantined, 1);
  isOver = true;
  // Waiting for a command would end in a refusal.
  await t.notThrowsAsync(asking);
});

test('fsck finds what is damaged or missing, sets it aside, and a push mends it', async (t) => {
  const { server, cli, run } = await startAdmin(t);
  const [other, lost, aside] = ['another', 'lost', 'aside'].map((text) => Buffer.from(text)) as [
    Buffer,
    Buffer,
    Buffer,
  ];
  for (const sent of [content, other, lost, aside]) await server.send('club/maps', sent);
  const path = stored(server.directory, oid);
  chmodSync(path, 0o644);
  writeFileSync(path, 'A map of the harbour');
  const contents = await server.admin.contents();
  await contents.discard((await contents.quarantine({ oid: oidOf(lost) }))!);
  // As a collection leaves it that was cut off; another copy there is damaged.
  const name = (await contents.quarantine({ oid: oidOf(aside) }))!;
  const damaged = name.replace(/\d+\./u, '1.');
  writeFileSync(join(server.directory, 'quarantine', damaged), 'ASIDE');
  const result = await cli.run(['objects', 'fsck', '--json', '--root', server.directory]);
  t.is(result.code, 1);
  t.is(JSON.parse(result.stdout).restored, 1);
  t.is(await contents.of('club/maps').has(oidOf(aside)), 5);
  t.deepEqual(JSON.parse(result.stdout).faults, [
    { kind: 'damaged', oid },
    { kind: 'missing', oid: oidOf(lost) },
  ]);
  const announced = await server.call('POST', objects, {
    as: ann,
    body: { oid, size: content.length },
  });
  t.is(announced.status, 202, 'please upload');
  for (const sent of [content, lost]) t.is((await server.send('club/maps', sent)).status, 200);
  t.deepEqual(await run('fsck'), { contents: 4, bytes: 36, faults: [], restored: 0 });
  const stats = await run<{ stored: object; quarantine: { objects: number } }>('stats');
  t.deepEqual([stats.stored, stats.quarantine.objects], [{ objects: 4, bytes: 36 }, 2]);
});

test('backup and restore: a copy taken beside the server serves what was held then, damaged bytes left out', async (t) => {
  const { server, cli, run } = await startAdmin(t);
  const [second, damaged] = [Buffer.from('second'), Buffer.from('damaged')];
  await server.send('club/maps', content);
  const copy = join(cli.root, 'copy');
  t.deepEqual(await run('backup', copy), { copied: 1, copiedBytes: 20, present: 0, missing: [] });
  await server.send('club/maps', second);
  await server.send('club/maps', damaged);
  const path = stored(server.directory, oidOf(damaged));
  chmodSync(path, 0o644);
  writeFileSync(path, 'DAMAGED');
  const again = await cli.run(['objects', 'backup', copy, '--json', '--root', server.directory]);
  t.deepEqual(
    [again.code, JSON.parse(again.stdout)],
    [1, { copied: 1, copiedBytes: 6, present: 1, missing: [oidOf(damaged)] }],
  );
  if (!isWindows) t.is(statSync(join(copy, 'objects.sqlite')).mode & 0o777, 0o600);
  const { download } = (await server.call('GET', `${objects}/${oid}`, { as: bob })).body._links;
  await server.close();

  const restored = await startTestObjects(t, { directory: copy });
  const refused = await cli.run(['objects', 'backup', copy, '--root', server.directory]);
  t.is(refused.code, 1, 'a server runs on the copy');
  for (const held of [content, second]) {
    const got = await restored.call('GET', `${objects}/${oidOf(held)}/content`, { as: bob });
    t.deepEqual([got.status, got.bytes], [200, held]);
  }
  const link = { ...download, href: download.href.replace(server.url, restored.url) };
  t.is(
    (await restored.follow('GET', link)).status,
    200,
    'links and logins stay good: the key is there, too',
  );
  t.is((await restored.send('club/maps', damaged)).status, 200, 'what was damaged is asked for');
});

test('a backup never takes the place of another store, or of its backup', async (t) => {
  const { server, cli, run } = await startAdmin(t);
  await server.send('club/maps', content);
  const other = await startTestObjects(t);
  await other.send('club/maps', Buffer.from('another'));
  const copy = join(cli.root, 'copy');
  await run('backup', copy);
  const before = readFileSync(join(copy, 'objects.sqlite'));
  await other.close();
  const begun = join(cli.root, 'begun');
  await cli.out(['objects', 'repo', 'add', 'club/maps', '--root', begun]);
  for (const [from, to] of [
    [other.directory, copy],
    [server.directory, other.directory],
    [server.directory, begun],
  ] as const) {
    const result = await cli.run(['objects', 'backup', to, '--root', from]);
    t.is(result.code, 1);
    t.regex(result.stderr, /is another object store, or its backup/u);
  }
  t.deepEqual(readFileSync(join(copy, 'objects.sqlite')), before);
  t.is((await run<{ present: number }>('backup', copy)).present, 1, 'its own goes on');
});

test('import takes every file in, once, and follows no links', async (t) => {
  const { server, cli, run } = await startAdmin(t);
  const from = join(cli.root, 'from');
  mkdirSync(join(from, 'deep'), { recursive: true });
  writeFileSync(join(from, 'one'), content);
  writeFileSync(join(from, 'deep', 'same'), content);
  writeFileSync(join(from, 'deep', 'empty'), '');
  symlinkSync(join(server.directory, 'secret'), join(from, 'link'));
  const outcome = await run('import', 'club/maps', from);
  t.deepEqual(outcome, { added: 2, addedBytes: 20, present: 1, failed: [] });
  t.deepEqual((await server.call('GET', `${objects}/${oid}/content`, { as: bob })).bytes, content);
});

const authenticate = resolve(import.meta.dirname, '..', 'bin', 'x-lfs-authenticate.js');

posix(
  'as documented, a key of nobody gets no line, let alone one that lets in to everything',
  async (t) => {
    const { server, cli } = await startAdmin(t);
    const page = readFileSync(resolve(import.meta.dirname, '../docs/object-storage.md'), 'utf8');
    const [, lines = ''] = /```sh\n(# on the server.*?authorized_keys\n)npx/su.exec(page) ?? [];
    const home = join(cli.root, 'ssh-home');
    mkdirSync(join(home, '.ssh'), { recursive: true });
    const launcher = resolve(import.meta.dirname, '../bin/waypointd.js');
    const npx = `npx() { shift; "${process.execPath}" "${launcher}" "$@" --root "${server.directory}"; }\n`;
    const keys = join(home, '.ssh', 'authorized_keys');
    const add = (name: string): Promise<CliResult> =>
      finish(
        spawn('sh', ['-c', npx + lines.replace('ssh-line ann', `ssh-line ${name}`)], {
          env: { ...cli.env, HOME: home },
          stdio: ['ignore', 'pipe', 'pipe'],
        }),
      );
    t.regex((await add('anne')).stderr, /There is no user anne/u);
    t.false(existsSync(keys));
    await add('ann');
    t.regex(readFileSync(keys, 'utf8'), /^command=".* --user ann",restrict ssh-ed25519 AAAA/u);
  },
);

test('x-lfs-authenticate lets in over ssh, as a login and as a forced command', async (t) => {
  const { server, cli } = await startAdmin(t);
  await server.send('club/maps', content);
  const call = (words: readonly string[], env = {}): Promise<CliResult> => {
    const child = spawn(process.execPath, [authenticate, '--root', server.directory, ...words], {
      env: { ...cli.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return finish(child);
  };
  const forced = (command: string) => call(['--user', 'bob'], { SSH_ORIGINAL_COMMAND: command });
  const [login, byForce, unknown, asReader, foreign, outside] = await Promise.all([
    call(['--user', 'ann', '/club/maps.git', 'upload', oid]),
    forced(`git-lfs-authenticate 'club/maps.git' download`),
    call(['--user', 'ann', 'club/maps', 'destroy']),
    forced('x-lfs-authenticate club/maps upload'),
    forced('cat /etc/passwd'),
    call(['--user', 'eve', 'club/maps', 'download']),
  ]);
  t.is(login.code, 0, login.stderr);
  const { header, expires_in, href } = JSON.parse(login.stdout);
  t.deepEqual([expires_in, href], [1_800, 'http://127.0.0.1:43099/club/maps']);
  t.is(
    (await server.call('POST', objects, { headers: header, body: { oid, size: 20 } })).status,
    200,
  );
  t.is((await server.call('GET', `/open/maps/objects/${oid}`, { headers: header })).status, 401);
  t.is(byForce.code, 0, byForce.stderr);
  const reader = { headers: JSON.parse(byForce.stdout).header };
  t.is((await server.call('GET', `${objects}/${oid}`, reader)).status, 200);
  t.is((await server.call('POST', objects, { ...reader, body: { oid, size: 20 } })).status, 401);
  const eager = { headers: JSON.parse(asReader.stdout).header };
  t.is((await server.call('GET', '/club/maps/locks', eager)).status, 200);
  const sent = await server.call('POST', objects, { ...eager, body: { oid, size: 20 } });
  t.deepEqual([sent.status, sent.body.code], [403, 'forbidden']);
  for (const [refused, pattern] of [
    [unknown, /"destroy"/],
    [foreign, /git-lfs-authenticate only/],
    [outside, /no such repository/],
  ] as const) {
    t.not(refused.code, 0);
    t.is(refused.stdout, '');
    t.regex(refused.stderr, pattern);
  }
  const nobody = await cli.run(['objects', 'ssh-line', 'nobody', '--root', server.directory]);
  t.deepEqual([nobody.code, nobody.stdout], [1, '']);
  t.regex(nobody.stderr, /There is no user nobody/u);
  const line = await cli.run(['objects', 'ssh-line', 'bob', '--root', server.directory]);
  t.regex(line.stdout, /^command=".*x-lfs-authenticate\.js.* --user bob",restrict\n$/);
  if (process.platform === 'win32') return;
  const config = join(cli.root, 'objects.json');
  writeFileSync(config, JSON.stringify({ objects_public_url: 'https://objects.example.org' }));
  const other = await cli.out([
    'objects',
    'ssh-line',
    'bob',
    '--config',
    config,
    '--root',
    server.directory,
  ]);
  const told = /^command="(.*)",restrict\n$/u.exec(other)?.[1] ?? '';
  const ask = spawn('/bin/sh', ['-c', told.replaceAll(/\\(.)/gu, '$1')], {
    env: { ...cli.env, SSH_ORIGINAL_COMMAND: 'git-lfs-authenticate club/maps download' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const { stdout } = await finish(ask);
  t.is(JSON.parse(stdout).href, 'https://objects.example.org/club/maps', 'by that configuration');
});

test('a server whose bucket or database is away says what the system says of it', async (t) => {
  const cli = testCli(t);
  const keys = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' };
  const bucket = {
    WAYPOINTD_OBJECTS_STORE: 's3',
    WAYPOINTD_OBJECTS_S3_BUCKET: 'club-objects',
    WAYPOINTD_OBJECTS_S3_ENDPOINT: 'http://127.0.0.1:9',
  };
  const database = { WAYPOINTD_OBJECTS_DATABASE: 'postgres://user:secret@127.0.0.1:9/name' };
  for (const env of [{ ...keys, ...bucket }, database]) {
    const { code, stderr } = await cli.run(['objects', 'serve'], { env });
    t.is(code, 75, stderr);
    t.regex(stderr, /^waypointd: The [^\n]* try again later \(ECONNREFUSED\)\.\n$/u);
  }
});

test('two that open a new store at once share its key', async (t) => {
  const directory = join(temporaryDirectory(t), 'root');
  const opened = await Promise.all(
    [1, 2, 3, 4].map(() => openRoot(directory, { owner: 'command' })),
  );
  t.is(new Set(opened.map(({ secret }) => Buffer.from(secret).toString('hex'))).size, 1);
  await Promise.all(opened.map((root) => root.close()));
});
