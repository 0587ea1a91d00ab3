/** File locks: git-lfs's locking API, what an administrator sees of them, and their limits. */
import { randomBytes } from 'node:crypto';
import test from 'ava';
import { objectLimits } from '../model/objects.ts';
import { testCli } from './helpers/cli.ts';
import { ann, bob, gitLfs, startTestObjects, type TestObjects } from './helpers/objects.ts';

const locks = '/club/maps/locks';

interface Lock {
  readonly id: string;
  readonly path: string;
  readonly owner: { readonly name: string };
}

interface Answer {
  readonly status: number;
  readonly type: string | null;
  readonly message: string;
  readonly lock: Lock;
  readonly locks: readonly Lock[];
  readonly ours: readonly Lock[];
  readonly theirs: readonly Lock[];
  readonly next_cursor?: string;
}

/** ann and bob may write. */
async function startLocks(t: Parameters<typeof startTestObjects>[0]) {
  const server = await startTestObjects(t);
  const { directory } = server.admin;
  const id = async (name: string) => (await directory.findUser(name))?.id ?? 0;
  const club = (await directory.findRepository('club/maps'))?.id ?? 0;
  await directory.grant(await id('bob'), club, 'write');
  const ask = async (as: string, path: string, body?: unknown, type?: string): Promise<Answer> => {
    const headers = type === undefined ? {} : { accept: type };
    const method = body === undefined ? 'GET' : 'POST';
    const answer = await server.call(method, `${locks}${path}`, { as, body, headers });
    return { ...(answer.body as unknown as Answer), status: answer.status, type: answer.type };
  };
  return { server, club, ask, id };
}

const paths = (found: readonly Lock[]): string[] => found.map(({ path }) => path);

test('a lock is made once, listed, told apart by whose it is, and taken away by its owner or by force', async (t) => {
  const { ask } = await startLocks(t);
  const made = await ask(
    ann,
    '',
    { path: 'maps/harbour.map', ref: { name: 'refs/heads/main' } },
    gitLfs,
  );
  t.is(made.status, 201);
  t.is(made.type, gitLfs);
  t.like(made.lock, { path: 'maps/harbour.map', owner: { name: 'ann' } });
  const taken = await ask(bob, '', { path: 'maps/harbour.map' });
  t.is(taken.status, 409);
  t.is(taken.message, 'This file is locked already.');
  t.deepEqual(taken.lock, made.lock);
  const retried = await ask(ann, '', { path: 'maps/harbour.map' });
  t.is(retried.status, 409, 'as git-lfs has it');
  t.deepEqual(retried.lock, made.lock);
  const other = await ask(bob, '', { path: 'Maps/harbour.map' });
  t.is(other.status, 201, 'a path is compared as it is');

  t.deepEqual(paths((await ask(ann, '')).locks), ['maps/harbour.map', 'Maps/harbour.map']);
  const asked: [query: string, found: string[]][] = [
    [`?path=${encodeURIComponent('Maps/harbour.map')}`, ['Maps/harbour.map']],
    [`?id=${made.lock.id}&refspec=refs/heads/main`, ['maps/harbour.map']],
    ['?id=none', []],
    ['?path=none', []],
  ];
  for (const [query, found] of asked)
    t.deepEqual(paths((await ask(ann, query)).locks), found, query);

  const verified = await ask(ann, '/verify', {
    ref: { name: 'refs/heads/main' },
    cursor: '',
    limit: 0,
  });
  t.deepEqual(
    [paths(verified.ours), paths(verified.theirs)],
    [['maps/harbour.map'], ['Maps/harbour.map']],
  );

  const refused = await ask(bob, `/${made.lock.id}/unlock`, {});
  t.is(refused.status, 403);
  t.regex(refused.message, /Another user has locked this file/);
  t.is((await ask(bob, `/${made.lock.id}/unlock`, { force: true })).status, 200);
  t.is((await ask(bob, `/${made.lock.id}/unlock`, { force: true })).status, 404);
  t.is((await ask(bob, `/${other.lock.id}/unlock`, { force: false })).status, 200);
  for (const id of ['none', '0', '9'.repeat(20)]) {
    t.is((await ask(bob, `/${id}/unlock`, {})).status, 404, id);
  }
  t.is((await ask(ann, '', { path: 'maps/harbour.map' })).status, 201, 'and again');
});

test('a lock of one repository is none of another, and goes with its user', async (t) => {
  const { server, ask } = await startLocks(t);
  const { lock } = await ask(ann, '', { path: 'a' });
  const elsewhere = await server.call('POST', `/open/maps/locks/${lock.id}/unlock`, {
    as: ann,
    body: { force: true },
  });
  t.is(elsewhere.status, 404);
  await ask(bob, '', { path: 'b' });
  await server.admin.directory.removeUser('ann');
  t.deepEqual(paths((await ask(bob, '')).locks), ['b']);
});

test('a list comes in pages of at most 100, each lock once', async (t) => {
  const { server, club, ask, id } = await startLocks(t);
  await addMany(server, { repositoryId: club, userId: await id('ann'), count: 205 });
  const seen: string[] = [];
  const sizes: number[] = [];
  for (let cursor = ''; ;) {
    const page = await ask(bob, `?limit=1000${cursor}`);
    seen.push(...paths(page.locks));
    sizes.push(page.locks.length);
    if (page.next_cursor === undefined) break;
    cursor = `&cursor=${page.next_cursor}`;
  }
  t.deepEqual(sizes, [100, 100, 5]);
  t.is(new Set(seen).size, 205);
  const verified = await ask(ann, '/verify', { limit: 2, cursor: '3' });
  t.deepEqual([paths(verified.ours), verified.next_cursor], [['file 3', 'file 4'], '5']);
  for (const query of ['?limit=0', '?limit=x', '?cursor=x']) {
    t.is((await ask(ann, query)).status, 400, query);
  }
});

test('the longest path and the last lock are taken, and nothing beyond', async (t) => {
  const { server, club, ask, id } = await startLocks(t);
  const { lockPathBytes, locks: most } = objectLimits;
  // Nothing that an index could make shorter.
  const long = randomBytes(lockPathBytes).toString('base64').slice(4);
  t.is((await ask(ann, '', { path: '𝄞'.repeat(lockPathBytes / 4) })).status, 201);
  t.is((await ask(ann, '', { path: long.slice(0, lockPathBytes) })).status, 201);
  t.is((await ask(ann, '', { path: long.slice(0, lockPathBytes + 1) })).status, 400);
  for (const path of ['', 'a\nb', 'a\u0000', 'a\ud800', 7, null])
    t.is((await ask(ann, '', { path })).status, 400);
  t.is((await ask(ann, '?path=a%00')).status, 400);
  await addMany(server, { repositoryId: club, userId: await id('ann'), count: most - 3 });
  t.is((await ask(ann, '', { path: 'the last' })).status, 201);
  const refused = await ask(ann, '', { path: 'one more' });
  t.deepEqual([refused.status, refused.lock], [409, undefined]);
  t.regex(refused.message, /as many locks as it may/);
  t.is(
    (await ask(bob, '', { path: 'the last' })).lock.path,
    'the last',
    'what is there is still told',
  );
});

test('of many who lock one file at once, one has it', async (t) => {
  const { ask } = await startLocks(t);
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, n) => ask(n % 2 === 0 ? ann : bob, '', { path: 'one' })),
  );
  const statuses = answers.map(({ status }) => status);
  const again = { 201: 1, 409: 7 };
  for (const [status, times] of Object.entries(again))
    t.is(statuses.filter((other) => other === Number(status)).length, times, status);
  t.is(new Set(answers.map(({ lock }) => lock.id)).size, 1);
});

test('an administrator sees the locks, and takes one away', async (t) => {
  const { server, ask } = await startLocks(t);
  const cli = testCli(t);
  const { database } = server.places;
  const env = database === undefined ? {} : { WAYPOINTD_OBJECTS_DATABASE: database };
  const run = (...words: string[]) =>
    cli.run(['objects', 'locks', 'club/maps', ...words, '--root', server.directory], { env });
  t.is((await run()).stderr, 'Nothing is locked.\n');
  await ask(ann, '', { path: 'a.map' });
  await ask(bob, '', { path: 'b.map' });
  const listed = JSON.parse((await run('--json')).stdout);
  t.like(listed[1], { path: 'b.map', owner: 'bob' });
  t.regex((await run()).stdout, /^PATH +USER +SINCE\na\.map +ann +\d{4}-/u);
  t.is((await run('--unlock', 'b.map')).stdout, 'Unlocked b.map.\n');
  t.is((await run('--unlock', 'b.map')).code, 1);
  t.deepEqual((await ask(bob, '')).locks.length, 1);
});

async function addMany(
  { admin }: TestObjects,
  { repositoryId, userId, count }: { repositoryId: number; userId: number; count: number },
): Promise<void> {
  const values = { repository_id: repositoryId, user_id: userId, locked_ms: 0 };
  for (let n = 0; n < count; n += 500) {
    const some = Array.from({ length: Math.min(500, count - n) }, (_, at) => `file ${n + at}`);
    const rows = some.map((path) => ({ ...values, path }));
    await admin.database.rows.insertInto('locks').values(rows).execute();
  }
}
