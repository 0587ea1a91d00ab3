/** `waypointd objects push|pull|verify` as processes, against our own object server. */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import test from 'ava';
import { testCli } from './helpers/cli.ts';
import {
  json,
  send,
  stallAfter,
  startMisbehavingServer,
  type Act,
} from './helpers/misbehaving-server.ts';
import { startObjectRepository } from './helpers/object-repository.ts';
import { oidOf } from './helpers/objects.ts';
import { until } from './helpers/until.ts';
import { posix } from './helpers/where.ts';

test('files are pushed once, seen and pulled back', async (t) => {
  const cli = testCli(t);
  const { url, user, password } = await startObjectRepository(t, { isPublic: false });
  const remote = ['--repo', url, '--user', user, '--password-stdin'];
  const input = { input: `${password}\n` };
  const contents = [randomBytes(300_000), Buffer.from('second')] as const;
  const [one, two] = [join(cli.root, 'one'), join(cli.root, 'two')];
  writeFileSync(one, contents[0]);
  writeFileSync(two, contents[1]);
  const [oid, secondOid] = [oidOf(contents[0]), oidOf(contents[1])];
  t.is(await cli.out(['objects', 'push', one, ...remote], input), `${oid}  ${one}\n`);
  t.deepEqual(await cli.json(['objects', 'push', one, two, ...remote], input), [
    { file: one, oid, size: 300_000, sent: false },
    { file: two, oid: secondOid, size: 6, sent: true },
  ]);
  t.is(await cli.out(['objects', 'verify', oid, ...remote], input), `${oid}  0.3 MB\n`);
  const pulled = await cli.out(['objects', 'pull', oid, '-o', 'back', ...remote], input);
  t.is(pulled, `Fetched 0.3 MB into ${join(cli.root, 'back')}\n`);
  t.is(oidOf(readFileSync(join(cli.root, 'back'))), oid);
  const again = await cli.run(['objects', 'pull', oid, '-o', 'back', ...remote], input);
  t.is(again.code, 64);
  t.regex(again.stderr, /back is there already/);
  const unknown = await cli.run(['objects', 'verify', '0'.repeat(64), '--json', ...remote], input);
  t.is(unknown.code, 1);
  t.deepEqual(JSON.parse(unknown.stdout), { oid: '0'.repeat(64), held: false });
  const wrong = await cli.run(['objects', 'verify', oid, ...remote], { input: 'wrong\n' });
  t.is(wrong.code, 1);
  t.notRegex(wrong.stderr, / at |wrong\n/);
  t.is(wrong.stdout, '');
});

posix('without --user and --login the password is that of git', async (t) => {
  const cli = testCli(t);
  const { url, user, password } = await startObjectRepository(t, { isPublic: false });
  const helper = `"!f() { echo username=${user}; echo password=${password}; }; f"`;
  writeFileSync(join(cli.root, 'home', '.gitconfig'), `[credential]\n\thelper = ${helper}\n`);
  const file = join(cli.root, 'file');
  writeFileSync(file, 'content');
  const printed = await cli.out(['objects', 'push', file, '--repo', url]);
  t.is(printed, `${oidOf(Buffer.from('content'))}  ${file}\n`);
});

test('many files go four at a time, are told in their order, and go on where a push was stopped', async (t) => {
  const cli = testCli(t);
  const { url, user, password } = await startObjectRepository(t, { isPublic: false });
  const remote = ['--repo', url, '--user', user, '--password-stdin'];
  const input = { input: `${password}\n` };
  const files = Array.from({ length: 30 }, (_, n) => join(cli.root, `file ${n}`));
  for (const [n, file] of files.entries()) writeFileSync(file, randomBytes(1_000 + n * 777));
  await cli.out(['objects', 'push', ...files.slice(0, 7), ...remote], input);
  const told = await cli.out(['objects', 'push', ...files, ...remote], input);
  const lines = files.map(
    (file, n) => `${oidOf(readFileSync(file))}  ${file}${n < 7 ? '  (was there)' : ''}\n`,
  );
  t.is(told, lines.join(''));

  // Four announcements wait; only then is one of them answered.
  const waiting: ServerResponse[] = [];
  const refuseFourth: Act = (response) => {
    waiting.push(response);
    if (waiting.length === 4) json(413, { message: 'Too large.' })(response, server.heard[0]!);
  };
  const announce = Array.from({ length: 30 }, () => refuseFourth);
  const server = await startMisbehavingServer(t, { script: { announce } });
  const to = ['--repo', server.url, '--user', 'me', '--password-stdin'];
  const refused = await cli.run(['objects', 'push', ...files, ...to], { input: 'secret\n' });
  t.deepEqual([refused.code, refused.stdout], [1, '']);
  t.is(refused.stderr, 'waypointd: Too large.\n');
  t.is(server.heard.length, 4, 'the others are not begun, or ended');
});

test('what a server objects to is shown as it says it, without its escape codes', async (t) => {
  const cli = testCli(t);
  const file = join(cli.root, 'file');
  writeFileSync(file, 'content');
  const refusal = {
    message: 'Too \u001B[31mlarge.',
    documentation_url: 'https://example.org/limits',
    request_id: 'r1',
  };
  const server = await startMisbehavingServer(t, {
    script: {
      announce: [json(413, refusal)],
      find: [json(404, refusal), json(404, refusal), send(404, '')],
    },
  });
  const remote = ['--repo', server.url, '--user', 'me', '--password-stdin'];
  const input = { input: 'secret\n' };
  const refused = await cli.run(['objects', 'push', file, ...remote], input);
  t.is(refused.code, 1);
  t.regex(
    refused.stderr,
    /^waypointd: Too .\[31mlarge\.\nSee https:\/\/example\.org\/limits\nRequest ID: r1\n$/,
  );
  // oxlint-disable-next-line no-control-regex
  t.notRegex(refused.stderr, /\u001B/);
  const missing = await cli.run(['objects', 'pull', '0'.repeat(64), ...remote], input);
  t.is(missing.code, 1);
  t.is(missing.stderr, refused.stderr);
  const asked = await cli.run(['objects', 'verify', '0'.repeat(64), ...remote], input);
  t.is(asked.code, 1);
  t.is(`waypointd: ${asked.stderr}`, refused.stderr);
  const silent = await cli.run(['objects', 'verify', '0'.repeat(64), ...remote], input);
  t.regex(silent.stderr, /There is no such object or repository, or you may not see it/);
});

posix('a pull that is stopped leaves its part for the next one', async (t) => {
  const cli = testCli(t);
  const content = randomBytes(100_000);
  const oid = oidOf(content);
  const server = await startMisbehavingServer(t, {
    content,
    script: { get: [stallAfter(content, 40_000)] },
  });
  const pull = ['objects', 'pull', oid, '--repo', server.url, '-o', 'file'];
  const child = cli.start(pull);
  const part = join(cli.root, 'file.part');
  await until(() => existsSync(part) && readFileSync(part).length >= 40_000);
  const ended = new Promise((done) => child.once('close', done));
  child.kill('SIGINT');
  t.is(await ended, 130);
  t.is(
    await cli.out([...pull, '--json']),
    `${JSON.stringify({ oid, size: 100_000, file: join(cli.root, 'file') })}\n`,
  );
  t.is(server.of('get')[1]?.headers.range, 'bytes=40000-');
  t.is(oidOf(readFileSync(join(cli.root, 'file'))), oid);
});

test('a mistake in the call is told before anything is asked or sent', async (t) => {
  const cli = testCli(t);
  mkdirSync(join(cli.root, 'folder'));
  const server = await startMisbehavingServer(t);
  const repo = ['--repo', server.url];
  const mistakes: [words: string[], code: number, message: RegExp][] = [
    [['push', 'folder', ...repo], 1, /There is no file folder\. Nothing was sent\./],
    [['pull', 'ABC', ...repo], 64, /oid/],
    [['verify', '0'.repeat(64), '--repo', 'ftp://host/a/b'], 64, /--repo is the URL/],
    [['verify', '0'.repeat(64), '--password-stdin', ...repo], 64, /password of a --user/],
  ];
  for (const [words, code, message] of mistakes) {
    const { code: ended, stderr } = await cli.run(['objects', ...words]);
    t.is(ended, code, stderr);
    t.regex(stderr, message);
  }
  t.is(server.heard.length, 0);
});
