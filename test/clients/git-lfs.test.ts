/** Debian's git-lfs, unmodified, against the object server. */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { Desk } from '../helpers/git-desk.ts';
import { ann, oidOf, startTestObjects, type TestObjects } from '../helpers/objects.ts';
import { temporaryDirectory } from '../helpers/temporary-directory.ts';
import { testUnless } from '../helpers/where.ts';

const missing = ['git', 'git-lfs'].find((tool) => spawnSync(tool, ['--version']).status !== 0);
// One after the other: each alone keeps both processors of a small machine busy.
const testLfs = testUnless(missing && `no ${missing}`, test.serial);

function startDesk(t: ExecutionContext, server: TestObjects, login = 'ann:ann-password', env = {}) {
  return new Desk(temporaryDirectory(t), server, login, env);
}

/** Uploads that the server has taken so far. */
function uploads({ logged }: TestObjects): number {
  return logged.filter((line) => line.startsWith('objects.received')).length;
}

/** PUT requests, also refused ones. */
function puts({ logged }: TestObjects): number {
  return logged.filter((line) => line.startsWith('http.request') && line.includes('"PUT"')).length;
}

testLfs('push new, push again, clone and pull', async (t) => {
  const server = await startTestObjects(t);
  const desk = startDesk(t, server);
  const files = {
    'a.bin': randomBytes(3_000_000),
    'b.bin': Buffer.from('plain text\n'),
    'c.txt': Buffer.from('c\n'),
  };
  await desk.work(t, files, [`lfs.url=${server.url}/club/maps`]);
  t.is((await desk.push()).code, 0);
  t.is(uploads(server), 2);
  await desk.run(t, 'work', 'lfs', 'push', '--all', 'origin');
  t.is(puts(server), 2, 'nothing was sent again');
  await desk.run(t, '.', 'clone', '-q', join(desk.root, 'remote.git'), 'clone');
  for (const [name, content] of Object.entries(files)) {
    t.true(readFileSync(join(desk.root, 'clone', name)).equals(content), name);
  }
  rmSync(join(desk.root, 'clone', '.git', 'lfs'), { recursive: true });
  await desk.run(t, 'clone', 'lfs', 'pull');
  t.regex(await desk.run(t, 'clone', 'lfs', 'fsck'), /OK/);
  // The other form of the same base URL.
  await desk.run(t, 'clone', 'config', 'lfs.url', `${server.url}/club/maps.git/info/lfs`);
  rmSync(join(desk.root, 'clone', '.git', 'lfs'), { recursive: true });
  await desk.run(t, 'clone', 'lfs', 'pull');
});

testLfs('a broken download is resumed', async (t) => {
  const server = await startTestObjects(t);
  const desk = startDesk(t, server);
  const big = randomBytes(5_000_000);
  await desk.work(t, { 'big.bin': big }, [`lfs.url=${server.url}/club/maps`]);
  await desk.push();
  rmSync(join(desk.root, 'work', '.git', 'lfs', 'objects'), { recursive: true });
  const incomplete = join(desk.root, 'work', '.git', 'lfs', 'incomplete');
  mkdirSync(incomplete, { recursive: true });
  writeFileSync(join(incomplete, `${oidOf(big)}.part`), big.subarray(0, 3_000_000));
  await desk.run(t, 'work', 'lfs', 'fetch');
  const sent = server.logged.filter((line) => line.startsWith('objects.sent'));
  t.deepEqual(
    sent.map((line) => JSON.parse(line.slice('objects.sent '.length)).bytes),
    [2_000_000],
  );
  await desk.run(t, 'work', 'lfs', 'fsck');
});

testLfs('refusals are shown: wrong password, read-only user, missing repository', async (t) => {
  const server = await startTestObjects(t);
  const tries: [string, string, RegExp][] = [
    ['ann:wrong', 'club/maps', /Authentication|credentials|password/i],
    ['bob:bob-password', 'club/maps', /You may read this repository but not write to it/],
    ['ann:ann-password', 'club/none', /There is nothing here by that name/],
  ];
  for (const [login, repository, pattern] of tries) {
    const desk = startDesk(t, server, login);
    await desk.work(t, { 'a.bin': randomBytes(1_000) }, [`lfs.url=${server.url}/${repository}`]);
    const { code, output } = await desk.push();
    t.not(code, 0, login);
    t.regex(output, pattern);
  }
  t.is(puts(server), 0);
});

testLfs('a quota stops a push before the bytes; what fits is there', async (t) => {
  const server = await startTestObjects(t);
  const { directory } = server.admin;
  await directory.changeRepository((await directory.findRepository('club/maps'))!.id, {
    quotaBytes: 250_000,
  });
  const desk = startDesk(t, server);
  const files = Object.fromEntries([1, 2, 3, 4].map((n) => [`${n}.bin`, randomBytes(100_000)]));
  await desk.work(t, files, [`lfs.url=${server.url}/club/maps`]);
  const { code, output } = await desk.push();
  t.not(code, 0);
  t.regex(output, /quota of this repository/);
  t.true(puts(server) <= 2, `${puts(server)} uploads`);
});

testLfs('a content that is not what its pointer says is sent at most twice', async (t) => {
  const server = await startTestObjects(t);
  const desk = startDesk(t, server);
  const content = randomBytes(100_000);
  await desk.work(t, { 'a.bin': content }, [`lfs.url=${server.url}/club/maps`]);
  const oid = oidOf(content);
  const local = join(
    desk.root,
    'work',
    '.git',
    'lfs',
    'objects',
    oid.slice(0, 2),
    oid.slice(2, 4),
    oid,
  );
  chmodSync(local, 0o644);
  writeFileSync(local, randomBytes(100_000));
  const { code } = await desk.push();
  t.not(code, 0);
  t.is(puts(server), 2, 'the third time it is told in advance');
});

testLfs('200 files in 8 transfers at once, and back', async (t) => {
  const server = await startTestObjects(t);
  const desk = startDesk(t, server);
  const files = Object.fromEntries(
    Array.from({ length: 200 }, (_, n) => [`${n}.bin`, randomBytes(1_000 + n * 100)]),
  );
  await desk.work(t, files, [`lfs.url=${server.url}/club/maps`, 'lfs.concurrenttransfers=8']);
  t.is((await desk.push()).code, 0);
  t.is(uploads(server), 200);
  await desk.run(t, '.', 'clone', '-q', join(desk.root, 'remote.git'), 'clone');
  const names = readdirSync(join(desk.root, 'clone')).filter((name) => name.endsWith('.bin'));
  t.is(names.length, 200);
  for (const name of names) {
    t.true(
      readFileSync(join(desk.root, 'clone', name)).equals(files[name] ?? Buffer.alloc(0)),
      name,
    );
  }
});

testLfs(
  'files are locked: lock, locks, unlock --force, and no push of what another has locked',
  async (t) => {
    const server = await startTestObjects(t);
    const { directory } = server.admin;
    const bob = (await directory.findUser('bob'))!.id;
    await directory.grant(bob, (await directory.findRepository('club/maps'))!.id, 'write');
    const url = `${server.url}/club/maps`;
    const desks = [startDesk(t, server), startDesk(t, server, 'bob:bob-password')] as const;
    const [anns, bobs] = desks;
    for (const desk of desks) {
      await desk.work(t, { 'a.bin': randomBytes(1_000) }, [`lfs.url=${url}`]);
      await desk.run(t, 'work', 'config', `lfs.${url}.locksverify`, 'true');
    }
    t.is((await bobs.push()).code, 0, 'nothing is locked');
    t.regex(await anns.run(t, 'work', 'lfs', 'lock', 'a.bin'), /Locked a\.bin/);
    t.regex(await bobs.run(t, 'work', 'lfs', 'locks'), /a\.bin\s+ann\s+ID:1/);
    const taken = await bobs.try('work', 'lfs', 'lock', 'a.bin');
    t.not(taken.code, 0);
    t.regex(taken.output, /This file is locked already/);

    writeFileSync(join(bobs.root, 'work', 'a.bin'), randomBytes(1_000));
    await bobs.run(t, 'work', 'commit', '-qam', 'changed');
    const refused = await bobs.push();
    t.not(refused.code, 0);
    t.regex(refused.output, /a\.bin - ann/);
    t.regex(
      (await bobs.try('work', 'lfs', 'unlock', 'a.bin')).output,
      /Another user has locked this/,
    );
    t.regex(await bobs.run(t, 'work', 'lfs', 'unlock', '--force', 'a.bin'), /Unlocked a\.bin/);
    t.is((await bobs.push()).code, 0);
    // Its owner may push, and unlock it without force.
    await anns.run(t, 'work', 'lfs', 'lock', 'a.bin');
    t.is((await anns.push()).code, 0);
    await anns.run(t, 'work', 'lfs', 'unlock', 'a.bin');
    t.is(await anns.run(t, 'work', 'lfs', 'locks'), '');
  },
);

testLfs('a file of 300 MB', async (t) => {
  const server = await startTestObjects(t);
  const desk = startDesk(t, server);
  await desk.work(t, {}, [`lfs.url=${server.url}/club/maps`]);
  const big = join(desk.root, 'work', 'big.bin');
  const file = openSync(big, 'w');
  const piece = randomBytes(1_000_000);
  for (let n = 0; n < 300; n += 1) writeSync(file, piece, n, 1_000_000 - n);
  closeSync(file);
  truncateSync(big, 300_000_000);
  await desk.run(t, 'work', 'add', '.');
  await desk.run(t, 'work', 'commit', '-qm', 'big');
  t.is((await desk.push()).code, 0);
  rmSync(join(desk.root, 'work', '.git', 'lfs', 'objects'), { recursive: true });
  rmSync(big);
  await desk.run(t, 'work', 'lfs', 'fetch');
  await desk.run(t, 'work', 'lfs', 'fsck');
});

/** A desk whose user logs in over ssh, by a forced command; the commands that it asks for go to a file. */
async function startSshDesk(t: ExecutionContext, server: TestObjects, user: string) {
  const directory = temporaryDirectory(t);
  const [ssh, asked] = [join(directory, 'ssh'), join(directory, 'asked')];
  const program = resolve(import.meta.dirname, '../../bin/x-lfs-authenticate.js');
  const word = (value: string): string => `'${value}'`;
  const settings = `WAYPOINTD_OBJECTS_PUBLIC_URL=${server.url} HOME=${word(directory)}`;
  const call = [process.execPath, program, '--root', server.directory, '--user', user]
    .map(word)
    .join(' ');
  // What sshd does with a forced command: all but the last word are the client's options and the host.
  writeFileSync(
    ssh,
    `#!/bin/sh\nfor last; do :; done\necho "$last" >> ${word(asked)}\ncase "$last" in *git-lfs-authenticate*) SSH_ORIGINAL_COMMAND="$last" ${settings} exec ${call};; esac\nexit 127\n`,
    { mode: 0o755 },
  );
  const desk = startDesk(t, server, `${user}:wrong`, { GIT_SSH: ssh });
  await desk.work(t, { 'a.bin': randomBytes(2_000) }, []);
  await desk.run(t, 'work', 'remote', 'set-url', 'origin', 'ssh://git@example.org/club/maps.git');
  return { desk, asked };
}

testLfs('a login over ssh needs no password', async (t) => {
  const server = await startTestObjects(t);
  const { desk, asked } = await startSshDesk(t, server, 'ann');
  await desk.run(t, 'work', 'lfs', 'push', '--all', 'origin');
  t.is(uploads(server), 1);
  t.true(existsSync(asked));
  t.regex(readFileSync(asked, 'utf8'), /git-lfs-authenticate '?\/?club\/maps\.git'? upload/);
});

testLfs(
  'a reader who has logged in over ssh lists locks, and can neither lock nor push',
  async (t) => {
    const server = await startTestObjects(t);
    await server.call('POST', '/club/maps/locks', { as: ann, body: { path: 'harbour.map' } });
    const { desk } = await startSshDesk(t, server, 'bob');
    t.regex(await desk.run(t, 'work', 'lfs', 'locks'), /harbour\.map\s+ann/);
    for (const words of [
      ['lfs', 'lock', 'a.bin'],
      ['lfs', 'push', '--all', 'origin'],
    ]) {
      const { code, output } = await desk.try('work', ...words);
      t.not(code, 0);
      t.regex(output, /You may read this repository but not write to it/);
    }
    t.is(uploads(server), 0);
  },
);
