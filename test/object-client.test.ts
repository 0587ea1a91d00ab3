/** The object client against a server that does what servers do, and then against our own. Nothing waits: pauses are recorded. */
import { createHash, randomBytes } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { setDefaultCACertificates, getCACertificates } from 'node:tls';
import { gzipSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import {
  commandCredentials,
  firstOf,
  identifyFile,
  ObjectClient,
  ObjectClientError,
  passwordCredentials,
  type ConnectionOptions,
  type CredentialSource,
} from '../client/objects/index.ts';
import { makeCertificate } from './helpers/certificate.ts';
import { gate } from './helpers/http-server.ts';
import {
  cutAfter,
  early,
  hangUp,
  json,
  redirect,
  send,
  serve,
  silence,
  stallAfter,
  startMisbehavingServer,
  type Act,
  type MisbehavingOptions,
  type MisbehavingServer,
  type Script,
  type Step,
} from './helpers/misbehaving-server.ts';
import { temporaryDirectory } from './helpers/temporary-directory.ts';

const content = randomBytes(200_000);
const oid = sha256(content);
const size = content.length;
const wrong = randomBytes(size);
const mine = `Basic ${Buffer.from('me:secret').toString('base64')}`;
const credentials = passwordCredentials('me', 'secret');

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function clientOf({ url }: { url: string }, options: Partial<ConnectionOptions> = {}) {
  const waits: number[] = [];
  const wait = async (ms: number, signal: AbortSignal | undefined): Promise<void> => {
    waits.push(ms);
    signal?.throwIfAborted();
  };
  return {
    client: new ObjectClient({ baseUrl: url, stallMs: 20_000, wait, ...options }),
    /** Pauses that it would have made, ms. */
    waits,
  };
}

/** A server that does as it is told, and a client of it. */
async function against(
  t: ExecutionContext,
  options: MisbehavingOptions = {},
  own: Partial<ConnectionOptions> = {},
) {
  const server = await startMisbehavingServer(t, options);
  return { server, ...clientOf(server, own) };
}

/** What came of something: `done`, or the kind of the error, with the status where there is one. */
async function outcome(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'done';
  } catch (error) {
    if (!(error instanceof ObjectClientError)) return String(error);
    return error.status === undefined ? error.failure : `${error.failure} ${error.status}`;
  }
}

async function pull(client: ObjectClient, path: string, signal?: AbortSignal): Promise<void> {
  const object = await client.find(oid, { ...(signal && { signal }) });
  if (object === undefined) throw new Error('not there');
  await client.download(object, path, { ...(signal && { signal }) });
}

const rangesOf = (server: MisbehavingServer): (string | undefined)[] =>
  server.of('get').map(({ headers }) => headers.range);

const bytes = (range: number): string => `bytes=${range}-`;
const part = (start: number, headers: object = {}): Act =>
  send(206, content.subarray(start), {
    'content-length': size - start,
    'content-range': `bytes ${start}-${size - 1}/${size}`,
    ...headers,
  });

type DownloadCase = readonly [
  gets: readonly Act[],
  ends: string,
  ranges: readonly (string | undefined)[],
  /** `left` are the bytes of the part file afterwards; undefined when there is none. */
  more?: { readonly waits?: readonly number[]; readonly left?: number },
];

const whole = undefined;
const goingOn = [whole, bytes(1_000)];
const again = [...goingOn, whole];

/** What a server does after a connection that broke at 1,000 bytes, how that ends, and what it was asked for. */
const continued: Readonly<Record<string, [then: Act, ends: string, ranges: typeof goingOn]>> = {
  'a part that begins elsewhere': [part(999), 'done', again],
  'a part that ends elsewhere': [
    send(206, content.subarray(1_000, 2_000), { 'content-range': `bytes 1000-1999/${size}` }),
    'done',
    again,
  ],
  'a part of another whole': [
    part(1_000, { 'content-range': `bytes 1000-${size - 1}/9` }),
    'done',
    again,
  ],
  'a part without a place': [
    send(206, content.subarray(1_000), { 'content-length': size - 1_000 }),
    'done',
    again,
  ],
  'a part of an unknown whole': [
    part(1_000, { 'content-range': `bytes 1000-${size - 1}/*` }),
    'done',
    goingOn,
  ],
  'nothing to be had from there': [send(416, ''), 'done', again],
  'everything where a part was asked for': [send(200, content), 'done', goingOn],
  'a page where a part was asked for': [
    send(200, 'Welcome to our hotel', { 'content-length': 20 }),
    'mismatch',
    goingOn,
  ],
  'a link that is refused when it is new': [send(403, ''), 'http 403', goingOn],
};

const downloads: Readonly<Record<string, DownloadCase>> = {
  'a good server': [[], 'done', [whole]],
  'faults of the server, then fine': [
    [500, 502, 503, 504].map((status) => send(status, 'a page')),
    'done',
    [whole, whole, whole, whole, whole],
    { waits: [1_000, 2_000, 4_000, 8_000] },
  ],
  'faults of the server without end': [
    Array.from({ length: 5 }, () => send(503, '')),
    'http 503',
    [whole, whole, whole, whole, whole],
    { waits: [1_000, 2_000, 4_000, 8_000] },
  ],
  'what is not implemented is not tried again': [[send(501, '')], 'http 501', [whole]],
  'created (201)': [[send(201, content)], 'done', [whole]],
  'wrong bytes once': [[serve(wrong)], 'done', [whole, whole]],
  'wrong bytes twice': [[serve(wrong), serve(wrong)], 'mismatch', [whole, whole]],
  'fewer bytes than the object has, announced': [[serve(content.subarray(1))], 'mismatch', [whole]],
  'more bytes than the object has, announced': [
    [serve(Buffer.concat([content, wrong]))],
    'mismatch',
    [whole],
  ],
  'fewer bytes, not announced': [
    [send(200, content.subarray(0, 5_000), { 'transfer-encoding': 'chunked' })],
    'done',
    [whole, bytes(5_000)],
    { waits: [1_000] },
  ],
  'more bytes, not announced, twice': [
    [0, 1].map(() =>
      send(200, Buffer.concat([content, wrong]), { 'transfer-encoding': 'chunked' }),
    ),
    'mismatch',
    [whole, whole],
  ],
  'a connection that breaks again and again, but always brings something': [
    Array.from({ length: 7 }, () => cutAfter(content, 10_000)),
    'done',
    [whole, ...[1, 2, 3, 4, 5, 6, 7].map((at) => bytes(at * 10_000))],
    { waits: Array.from({ length: 7 }, () => 1_000) },
  ],
  'a connection that breaks at the same place': [
    [cutAfter(content, 10_000), ...Array.from({ length: 4 }, () => cutAfter(content, 0))],
    'stalled',
    [whole, ...Array.from({ length: 4 }, () => bytes(10_000))],
    { waits: [1_000, 2_000, 4_000, 8_000], left: 10_000 },
  ],
  'no answer at all': [[hangUp], 'done', [whole, whole], { waits: [1_000] }],
  'a part that nobody asked for': [[part(0)], 'http 206', [whole]],
  'compressed bytes': [
    [send(200, gzipSync(content), { 'content-encoding': 'gzip' })],
    'protocol',
    [whole],
  ],
  'a link whose time is over': [[send(403, '')], 'done', [whole, whole]],
  'too many requests': [
    [send(429, '', { 'retry-after': '60' })],
    'done',
    [whole, whole],
    { waits: [60_000] },
  ],
  'too many requests, for too long': [
    [send(429, '', { 'retry-after': '61' })],
    'http 429',
    [whole],
  ],
  'too many requests, without a time': [
    [send(429, '')],
    'done',
    [whole, whole],
    { waits: [1_000] },
  ],
  'a fault with a time': [
    [send(503, '', { 'retry-after': new Date(0).toUTCString() })],
    'done',
    [whole, whole],
    { waits: [0] },
  ],
  ...Object.fromEntries(
    Object.entries(continued).map(([title, [then, ends, ranges]]): [string, DownloadCase] => [
      title,
      [
        [cutAfter(content, 1_000), then],
        ends,
        ranges,
        { waits: [1_000], ...(ends !== 'done' && { left: 1_000 }) },
      ],
    ]),
  ),
  ...Object.fromEntries(
    [301, 302, 303, 307, 308].map((status): [string, DownloadCase] => [
      `a redirection (${status})`,
      [[redirect(status, '/other')], `http ${status}`, [whole]],
    ]),
  ),
};

test('a download ends with the right bytes or with an error, whatever the server does', async (t) => {
  for (const [title, [gets, ends, ranges, more = {}]] of Object.entries(downloads)) {
    const { waits = [], left } = more;
    const path = join(temporaryDirectory(t), 'file');
    const server = await startMisbehavingServer(t, { content, script: { get: gets } });
    const pulling = clientOf(server);
    t.is(await outcome(pull(pulling.client, path)), ends, title);
    t.deepEqual(rangesOf(server), ranges, title);
    t.deepEqual(pulling.waits, waits, title);
    t.is(existsSync(path), ends === 'done', title);
    if (ends === 'done') t.is(sha256(readFileSync(path)), oid, title);
    const leftPath = `${path}.part`;
    t.is(existsSync(leftPath) ? readFileSync(leftPath).length : undefined, left, title);
    t.is(server.of('other').length, 0, title);
  }
});

test.serial('a server that falls silent is given up, and asked again', async (t) => {
  const directory = temporaryDirectory(t);
  const { file } = fileIn(t);
  const cases: [Script, requests: Partial<Record<Step, number>>][] = [
    [{ find: [silence] }, { find: 2 }],
    [{ find: [stallAfter(content, 10)] }, { find: 2 }],
    [{ get: [silence] }, { find: 2, get: 2 }],
    [{ get: [stallAfter(content, 3_000)] }, { find: 2, get: 2 }],
    [{ announce: [silence] }, { announce: 2, put: 1 }],
    [{ put: [silence] }, { announce: 2, put: 2 }],
    [{ put: [early(silence)] }, { announce: 2, put: 2 }],
    [{ verify: [silence] }, { announce: 1, put: 1, verify: 2 }],
  ];
  const work = cases.map(async ([script, requests], at) => {
    const server = await startMisbehavingServer(t, { content, script });
    // The one wait that is real, long enough for a busy machine.
    const { client, waits } = clientOf(server, { stallMs: 2_000, answerMs: 2_000 });
    const path = join(directory, String(at));
    await ('announce' in requests ? client.upload(file, { oid, size }) : pull(client, path));
    t.deepEqual(waits, [1_000], String(at));
    for (const [step, count] of Object.entries(requests)) {
      t.is(server.of(step as Step).length, count, `${at} ${step}`);
    }
    if (!('announce' in requests)) t.is(sha256(readFileSync(path)), oid);
    return rangesOf(server);
  });
  t.deepEqual((await Promise.all(work))[3], [whole, bytes(3_000)]);
});

/** Answers to the question for an object, and what comes of it. */
const finds: Readonly<Record<string, [find: readonly Act[], ends: string, requests: number]>> = {
  'it is there': [[], 'done', 1],
  'it is not there': [[json(404, { message: 'No.' })], 'Error: not there', 1],
  'it has no link': [[json(200, { oid, size })], 'Error: not there', 1],
  'it has an upload link only': [
    [json(200, { oid, size, _links: { upload: { href: 'http://127.0.0.1' } } })],
    'Error: not there',
    1,
  ],
  'it is another one': [[json(200, { oid: sha256(wrong), size, _links: {} })], 'protocol', 1],
  'it is a page': [[send(200, '<html>')], 'protocol', 1],
  'it is compressed': [[send(200, gzipSync('{}'), { 'content-encoding': 'gzip' })], 'protocol', 1],
  'it does not end': [[send(200, Buffer.alloc(262_145, ' '))], 'protocol', 1],
  'it breaks off': [[cutAfter(Buffer.alloc(1_000, ' '), 10)], 'done', 2],
  'a fault, then fine': [[send(500, ''), send(502, '')], 'done', 3],
  'a refusal': [[json(403, { message: 'No.' })], 'http 403', 1],
  'moved for good (308)': [[redirect(308, '/owner/name/objects/x')], 'http 308', 1],
  'moved to nowhere': [[redirect(302, 'http://')], 'protocol', 1],
  'moved to a file': [[redirect(302, 'file:///etc/passwd')], 'protocol', 1],
  'moved with a name in the URL': [[redirect(302, 'http://a:b@127.0.0.1/')], 'protocol', 1],
  'moved without a place': [[send(302, '')], 'http 302', 1],
};

test('what a server says of an object is believed only when it makes sense', async (t) => {
  for (const [title, [find, ends, requests]] of Object.entries(finds)) {
    const { server, client } = await against(t, { content, script: { find } });
    t.is(await outcome(pull(client, join(temporaryDirectory(t), 'file'))), ends, title);
    t.is(server.of('find').length, requests, title);
    t.is(server.of('get').length, ends === 'done' ? 1 : 0, title);
  }
});

/** What other servers say of an object, which is what ours says in other words. */
const ways: Readonly<Record<string, (url: string) => object>> = {
  'nothing more than is needed': (href) => ({ _links: { download: { href } } }),
  'null for nothing': (href) => ({
    authenticated: null,
    _links: { self: null, upload: null, download: { href, header: null, expires_at: null } },
  }),
  'other truths': (href) => ({ authenticated: false, _links: { download: { href } } }),
  'more than is known': (href) => ({
    authenticated: 'yes',
    expires_in: 'soon',
    _links: {
      self: { href: '/owner/name/objects/x' },
      delete: { href: 7 },
      upload: 'none',
      download: { href, header: { 'x-a': 'b', 'x-b': null } },
    },
  }),
  'a path of the same server': (href) => ({
    _links: { download: { href: new URL(href).pathname } },
  }),
  'a path from where it was asked': () => ({ _links: { download: { href: '../../../content' } } }),
};

test('an object is understood in every way in which servers describe it', async (t) => {
  const { file } = fileIn(t);
  for (const [title, describe] of Object.entries(ways)) {
    // The server knows its own URL only once it runs.
    const server = await startMisbehavingServer(t, { content });
    const answer = (response: ServerResponse): unknown =>
      json(200, { oid, size, ...describe(server.contentUrl) })(response, server.heard[0]!);
    const asked = await startMisbehavingServer(t, { script: { find: [answer] }, content });
    const path = join(temporaryDirectory(t), 'file');
    t.is(await outcome(pull(clientOf(asked).client, path)), 'done', title);
    t.is(sha256(readFileSync(path)), oid, title);
  }
  const links = { upload: { href: '/content', header: null }, verify: { href: '../../verify' } };
  const script = {
    announce: [json(202, { oid: null, size: null, authenticated: 0, _links: links })],
  };
  const server = await startMisbehavingServer(t, { script });
  t.is(await outcome(clientOf(server).client.upload(file, { oid, size })), 'done');
  t.deepEqual([server.of('put').length, server.of('verify').length], [1, 1]);
});

test('what a server says of an object that is not there is told', async (t) => {
  const said = { message: 'It was deleted on purpose.', request_id: 'r3' };
  const script = { find: [json(404, said), json(404, said), send(404, '')] };
  const { client } = await against(t, { script });
  t.is(await client.find(oid), undefined);
  t.like(await t.throwsAsync(client.locate(oid)), {
    status: 404,
    message: 'It was deleted on purpose.',
    requestId: 'r3',
  });
  t.regex((await t.throwsAsync(client.locate(oid)))?.message ?? '', /no such object/);
});

test('a server may think about an upload that it has whole for longer than it may be silent otherwise', async (t) => {
  const { file } = fileIn(t);
  const waiting = gate<ServerResponse>();
  const think: Act = (response) => waiting.resolve(response);
  const { server, client, waits } = await against(
    t,
    { script: { put: [think] } },
    { stallMs: 500, answerMs: 60_000 },
  );
  const done = client.upload(file, { oid, size });
  const response = await waiting.promise;
  // Longer than the silence that is allowed; what is looked at is only that nothing was sent again.
  const other = clientOf(await startMisbehavingServer(t, { script: { find: [silence] } }), {
    stallMs: 1_500,
    pausesMs: [],
  });
  t.is(await outcome(other.client.find(oid)), 'stalled');
  response.end();
  await done;
  t.deepEqual([waits, server.of('put').length], [[], 1]);
});

const hrefs = [
  'ftp://127.0.0.1/x',
  'file:///etc/passwd',
  'http://me:secret@127.0.0.1/x',
  'javascript:1',
];

test('a link that leads nowhere is not followed, and one with impossible headers neither', async (t) => {
  const answers = [
    ...hrefs.map((href) => ({ href })),
    { href: 'http://127.0.0.1:9/', header: { 'x-a': 'b\r\nhost: c' } },
    { href: 'http://127.0.0.1:9/', header: { 'a b': 'c' } },
  ].map((download) => ({ oid, size, _links: { download } }));
  for (const answer of answers) {
    const { server, client } = await against(t, { script: { find: [json(200, answer)] } });
    const path = join(temporaryDirectory(t), 'file');
    t.is(await outcome(pull(client, path)), 'protocol', JSON.stringify(answer));
    t.is(server.heard.length, 1);
  }
});

test('an object whose size changes under way is not what was wanted', async (t) => {
  const other = { oid, size: size + 1, _links: { download: { href: 'http://127.0.0.1:9/' } } };
  for (const [answer, ends] of [
    [json(200, other), 'mismatch'],
    [json(404, {}), 'http 404'],
  ] as const) {
    const { client } = await against(t, { content, script: { get: [send(500, '')] } });
    const object = await client.find(oid);
    const again = await startMisbehavingServer(t, { content, script: { find: [answer] } });
    // The same client, asked to go on elsewhere.
    const elsewhere = clientOf(again).client;
    const path = join(temporaryDirectory(t), 'file');
    t.is(await outcome(elsewhere.download(object!, path)), ends);
  }
});

test('GET follows 301, 302, 303 and 307, POST only 307, with all headers and the body', async (t) => {
  const { file } = fileIn(t);
  for (const status of [301, 302, 303, 307, 308]) {
    const target = await startMisbehavingServer(t, { content });
    const script: Script = {
      find: [redirect(status, `${target.url}/objects/${oid}`)],
      announce: [redirect(status, `${target.url}/objects`)],
    };
    const { server, client } = await against(t, { script }, { credentials });
    t.is(await outcome(client.find(oid)), status === 308 ? 'http 308' : 'done');
    t.is(target.of('find').length, status === 308 ? 0 : 1, String(status));
    t.is(
      await outcome(client.upload(file, { oid, size })),
      status === 307 ? 'done' : `http ${status}`,
    );
    t.is(target.of('announce').length, status === 307 ? 1 : 0, String(status));
    for (const { headers } of [...target.of('find'), ...target.of('announce')]) {
      t.is(headers.accept, 'application/vnd.x-lfs+json');
      t.is(headers.authorization, undefined, 'not for another host');
    }
    for (const { body, headers } of target.of('announce')) {
      t.deepEqual(JSON.parse(body.toString()), { oid, size });
      t.is(headers['content-type'], 'application/vnd.x-lfs+json');
    }
    t.is(server.of('find')[0]?.headers.authorization, mine);
  }
});

test('credentials go along on the same host, five redirections far', async (t) => {
  for (const [hops, ends] of [
    [5, 'done'],
    [6, 'protocol'],
    [100, 'protocol'],
  ] as const) {
    const find = Array.from({ length: hops }, () => redirect(302, `?again`));
    const { server, client } = await against(t, { content, script: { find } }, { credentials });
    t.is(await outcome(client.find(oid)), ends);
    const heard = server.of('find');
    t.is(heard.length, 6);
    t.true(heard.every(({ headers }) => headers.authorization === mine));
  }
});

test('whatever a login command gives out is not told to another host', async (t) => {
  const target = await startMisbehavingServer(t, { content });
  const find = [redirect(307, `${target.url}/objects/${oid}`)];
  const server = await startMisbehavingServer(t, { script: { find } });
  const login: CredentialSource = async () => ({ cookie: 'secret', 'x-token': 'secret' });
  await clientOf(server, { credentials: login }).client.find(oid);
  t.is(server.of('find')[0]?.headers['x-token'], 'secret');
  t.notRegex(JSON.stringify(target.heard), /secret/);
});

test('a client that is told where it may go goes nowhere else', async (t) => {
  const target = await startMisbehavingServer(t, { content });
  const find = [
    redirect(307, `${target.url}/objects/${oid}`),
    json(200, { oid, size, _links: { download: { href: target.contentUrl } } }),
  ];
  const server = await startMisbehavingServer(t, { script: { find } });
  const { client } = clientOf(server, { origins: [server.origin] });
  t.is(await outcome(client.find(oid)), 'protocol');
  t.is(await outcome(pull(client, join(temporaryDirectory(t), 'file'))), 'protocol');
  t.is(target.heard.length, 0);
});

test('from https a client goes to https only', async (t) => {
  const tls = makeCertificate();
  setDefaultCACertificates([...getCACertificates('default'), tls.cert]);
  const path = join(temporaryDirectory(t), 'file');
  const clear = await startMisbehavingServer(t, { content });
  const secure = await startMisbehavingServer(t, {
    content,
    tls,
    script: {
      find: [
        redirect(302, `${clear.url}/objects/${oid}`),
        json(200, { oid, size, _links: { download: { href: clear.contentUrl } } }),
      ],
    },
  });
  const { client } = clientOf(secure);
  t.is(await outcome(client.find(oid)), 'protocol');
  t.is(await outcome(pull(client, path)), 'protocol');
  t.is(clear.heard.length, 0);
  t.is(await outcome(pull(client, path)), 'done');
  t.is(sha256(readFileSync(path)), oid);
  const stranger = await startMisbehavingServer(t, { content, tls: makeCertificate() });
  const other = clientOf(stranger);
  t.is(
    await outcome(other.client.find(oid)),
    'unreachable',
    'whose certificate nobody vouches for',
  );
  t.deepEqual([other.waits, stranger.heard], [[], []]);
});

test('a link gets our credentials on our host only, and only if it has none', async (t) => {
  const foreign = await startMisbehavingServer(t, { content });
  const link = { href: foreign.contentUrl };
  const abroad = json(200, { oid, size, _links: { download: link } });
  const cases: [MisbehavingOptions, expected: string | undefined][] = [
    [{}, mine],
    [{ header: { 'X-Other': 'a' } }, mine],
    [{ header: { Authorization: 'Bearer b' } }, 'Bearer b'],
    [{ header: { authorization: 'Bearer b' } }, 'Bearer b'],
    [{ script: { find: [abroad] } }, undefined],
  ];
  for (const [options, expected] of cases) {
    const { server, client } = await against(t, { content, ...options }, { credentials });
    await pull(client, join(temporaryDirectory(t), 'file'));
    const [get] = [...server.of('get'), ...foreign.heard];
    t.is(get?.headers.authorization, expected);
    t.is(get?.headers['x-other'], options.header?.['X-Other']);
    t.is(get?.headers['accept-encoding'], 'identity');
  }
});

test('a source that has to ask is asked once the server wants to know, and the others come first', async (t) => {
  const refuse = json(401, { message: 'Who?' });
  const script: Script = { find: [refuse], get: [refuse] };
  const asked: string[] = [];
  const lazy: CredentialSource = async ({ isAsked, operation }) => {
    asked.push(`${operation} ${isAsked}`);
    return isAsked ? { authorization: 'lazy' } : undefined;
  };
  const { server, client, waits } = await against(
    t,
    { content, script },
    { credentials: firstOf(async () => undefined, lazy) },
  );
  t.is((await client.find(oid))?.size, size);
  await client.find(oid);
  t.deepEqual(
    server.of('find').map(({ headers }) => headers.authorization),
    [undefined, 'lazy', 'lazy'],
  );
  t.deepEqual(asked, ['download false', 'download true', 'download true']);
  t.deepEqual(waits, []);
  const known = await startMisbehavingServer(t, { script });
  const eager = clientOf(known, { credentials: firstOf(credentials, lazy) });
  t.is(await outcome(eager.client.find(oid)), 'http 401');
  t.is(known.heard.length, 1, 'wrong ones are not tried again');
});

test('a login command is run for each request; its reason is shown', async (t) => {
  const log = join(temporaryDirectory(t), 'log');
  const program = `
    const [log, ...words] = process.argv.slice(1);
    require('node:fs').appendFileSync(log, words.join(' ') + '\\n');
    console.log(JSON.stringify({ header: { Authorization: 'Bearer ' + words.at(-2) } }));`;
  const run = (script: string) => commandCredentials([process.execPath, '-e', script, log, 'a/b']);
  const server = await startMisbehavingServer(t, { content });
  await pull(clientOf(server, { credentials: run(program) }).client, `${log}.file`);
  t.is(readFileSync(log, 'utf8'), `a/b download ${oid}\n`.repeat(2));
  for (const step of ['find', 'get'] as const) {
    t.is(server.of(step)[0]?.headers.authorization, 'Bearer download');
  }
  const failing: [script: string, message: RegExp, failure: string][] = [
    [
      'console.error("no such \\u001brepository"); process.exit(2)',
      /^no such .repository$/,
      'http',
    ],
    ['process.exit(1)', /^The login command failed.$/, 'http'],
    ['console.log("Welcome!")', /printed no headers/, 'protocol'],
    ['console.log(JSON.stringify({header: {a: 1}}))', /printed no headers/, 'protocol'],
  ];
  for (const [script, message, failure] of failing) {
    const { client } = clientOf(server, { credentials: run(script) });
    await t.throwsAsync(client.find(oid), { message });
    t.is((await outcome(client.find(oid))).split(' ')[0], failure);
  }
  const missing = clientOf(server, { credentials: commandCredentials([join(log, 'missing')]) });
  t.is(await outcome(missing.client.find(oid)), 'unreachable');
});

test('a refusal says what the server says', async (t) => {
  const all = { message: 'Too large.', documentation_url: 'https://a/b', request_id: 'r1' };
  const texts: [Act, Partial<ObjectClientError>][] = [
    [
      json(413, all),
      { status: 413, message: 'Too large.', documentationUrl: 'https://a/b', requestId: 'r1' },
    ],
    [json(403, { message: 'No.' }), { status: 403, message: 'No.', requestId: undefined }],
    [
      json(403, { message: 'No.', documentation_url: null, request_id: 7 }),
      { status: 403, message: 'No.', documentationUrl: undefined, requestId: undefined },
    ],
    [
      json(403, { message: null, request_id: 'r2' }),
      { status: 403, message: 'You may not write to this repository.', requestId: 'r2' },
    ],
    [json(403, { text: 'No.' }), { status: 403, message: 'You may not write to this repository.' }],
    [send(401, '<html>'), { status: 401, message: 'User name or password are wrong.' }],
    [send(418, ''), { status: 418, message: 'The server answered with HTTP status 418.' }],
    [send(509, ''), { status: 509, message: 'The bandwidth limit of the server is exceeded.' }],
    [cutAfter(Buffer.alloc(50), 5), { failure: 'protocol' }],
  ];
  const { file } = fileIn(t);
  for (const [act, expected] of texts) {
    const script = { announce: [act] };
    const { server, client } = await against(t, { script }, { pausesMs: [] });
    const error = await t.throwsAsync(client.upload(file, { oid, size }), {
      instanceOf: ObjectClientError,
    });
    if (expected.failure === undefined) t.like(error, { ...expected, failure: 'http' });
    else t.is(error?.failure, 'stalled');
    t.is(server.heard.length, 1);
  }
});

test('a download that is refused leaves no part behind, and takes none away', async (t) => {
  for (const left of ['', 'the beginning']) {
    const path = join(temporaryDirectory(t), 'file');
    if (left !== '') writeFileSync(`${path}.part`, left);
    const script = { get: [json(404, { message: 'No.' })] };
    const server = await startMisbehavingServer(t, { script, content });
    await t.throwsAsync(pull(clientOf(server, { pausesMs: [] }).client, path), { message: 'No.' });
    t.is(existsSync(`${path}.part`), left !== '');
  }
});

test('nobody there is an error at once; a server that goes away is waited for', async (t) => {
  const gone = clientOf({ url: 'http://127.0.0.1:1/a/b' });
  t.is(await outcome(gone.client.find(oid)), 'unreachable');
  t.deepEqual(gone.waits, []);
  const error = await t.throwsAsync(gone.client.find(oid));
  t.is(error?.message, 'The server cannot be reached (ECONNREFUSED).');
  const { server, client, waits } = await against(t, {
    script: {
      find: [
        json(200, { oid, size, _links: { download: { href: 'http://127.0.0.1:1/' } } }),
        json(200, { oid, size, _links: { download: { href: 'http://127.0.0.1:1/' } } }),
      ],
      get: [cutAfter(content, 10)],
    },
    content,
  });
  const path = join(temporaryDirectory(t), 'file');
  const download = { href: server.contentUrl };
  t.is(await outcome(client.download({ oid, size, download }, path)), 'done');
  t.deepEqual(waits, [1_000, 2_000, 4_000]);
});

function fileIn(t: ExecutionContext, bytesOf: Uint8Array = content): { file: string } {
  const file = join(temporaryDirectory(t), 'source');
  writeFileSync(file, bytesOf);
  return { file };
}

type UploadCase = readonly [
  script: Script,
  ends: string,
  /** Announcements, PUTs, confirmations. */
  requests: readonly [number, number, number],
  more?: {
    readonly waits?: readonly number[];
    readonly header?: Readonly<Record<string, string>>;
  },
];

const noLinks = json(202, { _links: {} });
const uploads: Readonly<Record<string, UploadCase>> = {
  'a good server': [{}, 'done', [1, 1, 1]],
  'it is there': [{ announce: [json(200, {})] }, 'done', [1, 0, 0]],
  'faults, then fine': [
    { announce: [send(503, '')], put: [send(500, ''), hangUp], verify: [send(504, '')] },
    'done',
    [4, 3, 2],
    { waits: [1_000, 2_000, 4_000, 1_000] },
  ],
  'it is there after a fault': [
    {
      announce: [json(202, { _links: { upload: { href: 'http://127.0.0.1:1/' } } }), json(200, {})],
    },
    'unreachable',
    [1, 0, 0],
  ],
  'no place to send it': [{ announce: [noLinks] }, 'protocol', [1, 0, 0]],
  'another object': [
    { announce: [json(202, { oid: sha256(wrong), _links: {} })] },
    'protocol',
    [1, 0, 0],
  ],
  'accepted as something else (201)': [{ announce: [json(201, {})] }, 'protocol', [1, 0, 0]],
  'created (201)': [{ put: [send(201, '')] }, 'done', [1, 1, 1]],
  'no content (204) is no success': [{ put: [send(204, '')] }, 'http 204', [1, 1, 0]],
  'the confirmation fails': [
    { verify: [json(404, { message: 'It is not there.' })] },
    'http 404',
    [1, 1, 1],
  ],
  'refused before the bytes': [
    { put: [early(json(413, { message: 'Too large.' }, { connection: 'close' }))] },
    'http 413',
    [1, 1, 0],
  ],
  'redirected while sending': [{ put: [redirect(307, '/other')] }, 'http 307', [1, 1, 0]],
  'in chunks': [{}, 'done', [1, 1, 1], { header: { 'Transfer-Encoding': 'chunked' } }],
  'a length of the server’s own': [
    {},
    'done',
    [1, 1, 1],
    { header: { 'Content-Length': '5', Host: 'example.org', Connection: 'upgrade' } },
  ],
};

test('an upload is announced, sent and confirmed, or an error', async (t) => {
  const { file } = fileIn(t);
  for (const [title, [script, ends, requests, more = {}]] of Object.entries(uploads)) {
    const { header, waits = [] } = more;
    if (process.platform === 'win32' && title === 'refused before the bytes') {
      t.log(
        `skipped: ${title} (Windows drops an answer that was not read when its connection is reset)`,
      );
      continue;
    }
    const server = await startMisbehavingServer(t, { script, ...(header && { header }) });
    const uploading = clientOf(server, { credentials });
    t.is(await outcome(uploading.client.upload(file, { oid, size })), ends, title);
    const counts = (['announce', 'put', 'verify'] as const).map((step) => server.of(step).length);
    t.deepEqual(counts, [...requests], title);
    t.deepEqual(uploading.waits, waits, title);
    if (ends !== 'done' || requests[1] === 0) continue;
    const sent = server.of('put').at(-1)!;
    t.is(sha256(sent.body), oid, title);
    const isChunked = header?.['Transfer-Encoding'] !== undefined;
    t.is(sent.headers['content-length'], isChunked ? undefined : String(size), title);
    t.is(sent.headers['content-type'], 'application/octet-stream', title);
    t.regex(sent.headers.host ?? '', /^127/, title);
    const confirmed = server.of('verify').at(-1)!;
    t.deepEqual(JSON.parse(confirmed.body.toString()), { oid, size }, title);
    t.is(confirmed.headers['content-type'], 'application/vnd.x-lfs+json', title);
    t.is(confirmed.headers.accept, 'application/vnd.x-lfs+json', title);
  }
});

test('what is refused early is not sent on behind the back', async (t) => {
  t.timeout(8_000);
  const large = Buffer.alloc(20_000_000);
  const { file } = fileIn(t, large);
  const closed = gate();
  const refuse = early((response, heard) => {
    response.socket?.once('close', closed.resolve);
    return json(403, { message: 'No.' })(response, heard);
  });
  const server = await startMisbehavingServer(t, { script: { put: [refuse] } });
  const seen: number[] = [];
  const options = { onProgress: (sent: number) => void seen.push(sent) };
  const object = { oid: sha256(large), size: large.length };
  const { client } = clientOf(server);
  t.is(await outcome(client.upload(file, object, options)), 'http 403');
  await closed.promise;
  t.true((seen.at(-1) ?? 0) < large.length);
});

test('without a link for it, nothing is confirmed', async (t) => {
  const { file } = fileIn(t);
  const target = await startMisbehavingServer(t);
  const announce = [json(202, { _links: { upload: { href: target.contentUrl } } })];
  const server = await startMisbehavingServer(t, { script: { announce } });
  await clientOf(server).client.upload(file, { oid, size });
  t.deepEqual([server.heard.length, target.heard.length], [1, 1]);
});

test('a file that is not what it was is not sent as if it were', async (t) => {
  const changes: [change: (file: string) => void, ends: RegExp][] = [
    [(file) => truncateSync(file, size - 1), /^mismatch$/],
    [(file) => appendFileSync(file, 'more'), /^mismatch$/],
    [(file) => rmSync(file), /ENOENT/],
  ];
  for (const [change, ends] of changes) {
    const { file } = fileIn(t);
    const object = await identifyFile(file);
    t.deepEqual(object, { oid, size });
    change(file);
    const { server, client, waits } = await against(t);
    t.regex(await outcome(client.upload(file, object)), ends);
    t.deepEqual(waits, []);
    t.is(server.of('verify').length, 0);
  }
});

test('an empty object is one like any other', async (t) => {
  const { file } = fileIn(t, Buffer.alloc(0));
  const object = await identifyFile(file);
  const { server, client } = await against(t);
  t.true((await client.upload(file, object)).isSent);
  t.is(server.of('put')[0]?.headers['content-length'], '0');
  const found = await client.find(object.oid);
  await client.download(found!, `${file}.2`);
  t.is(readFileSync(`${file}.2`).length, 0);
  t.is(server.of('get').length, 0, 'nothing to fetch');
});

test('what is stopped ends at once with the reason, and goes on later with no byte twice', async (t) => {
  const path = join(temporaryDirectory(t), 'file');
  const { server, client, waits } = await against(
    t,
    {
      content,
      script: { get: [stallAfter(content, 50_000)] },
    },
    { stallMs: 60_000 },
  );
  const object = (await client.find(oid))!;
  const stop = new AbortController();
  const reason = new Error('enough');
  const onProgress = (there: number): void => {
    if (there === 50_000) stop.abort(reason);
  };
  const stopped = client.download(object, path, { signal: stop.signal, onProgress });
  t.is(await t.throwsAsync(stopped), reason);
  t.is(readFileSync(`${path}.part`).length, 50_000);
  const seen: number[] = [];
  await client.download(object, path, { onProgress: (there) => seen.push(there) });
  t.deepEqual(rangesOf(server), [undefined, bytes(50_000)]);
  t.deepEqual([seen[0], seen.at(-1)], [50_000, size]);
  t.is(sha256(readFileSync(path)), oid);
  t.deepEqual(waits, []);
});

test('every step can be stopped', async (t) => {
  const { file } = fileIn(t);
  const scripts: Script[] = [
    { find: [silence] },
    { find: [stallAfter(content, 10)] },
    { find: [send(503, '')] },
    { announce: [silence] },
    { put: [early(silence)] },
    { verify: [silence] },
    { announce: [send(503, '')] },
  ];
  for (const script of scripts) {
    const stop = new AbortController();
    const server = await startMisbehavingServer(t, {
      script: Object.fromEntries(
        Object.entries(script).map(([step, [act]]) => [
          step,
          [
            (...seen: Parameters<Act>) => {
              act?.(...seen);
              // When the answer has been on its way for a moment.
              setTimeout(() => stop.abort(), 5);
            },
          ],
        ]),
      ),
    });
    const { signal } = stop;
    const client = new ObjectClient({ baseUrl: server.url });
    const work =
      'find' in script
        ? client.find(oid, { signal })
        : client.upload(file, { oid, size }, { signal });
    t.is(await outcome(work), 'AbortError: This operation was aborted', JSON.stringify(script));
  }
  const client = new ObjectClient({ baseUrl: 'http://127.0.0.1:1/a/b' });
  const signal = AbortSignal.abort();
  t.regex(await outcome(client.find(oid, { signal })), /^AbortError/);
});

test('what lies in the part file is believed only as far as it is right', async (t) => {
  const parts: [left: Buffer, ranges: (string | undefined)[]][] = [
    [content, []],
    [content.subarray(0, size - 1), [bytes(size - 1)]],
    [wrong, [undefined]],
    [wrong.subarray(0, 100), [bytes(100), undefined]],
    [Buffer.concat([content, wrong]), [undefined]],
    [Buffer.alloc(0), [undefined]],
  ];
  for (const [left, ranges] of parts) {
    const path = join(temporaryDirectory(t), 'file');
    writeFileSync(`${path}.part`, left);
    const server = await startMisbehavingServer(t, { content });
    await pull(clientOf(server).client, path);
    t.deepEqual(rangesOf(server), ranges);
    t.is(sha256(readFileSync(path)), oid);
    t.false(existsSync(`${path}.part`));
  }
});

test('trouble with the disk is told as it is', async (t) => {
  const directory = temporaryDirectory(t);
  const { server, client, waits } = await against(t, { content });
  const object = (await client.find(oid))!;
  t.regex(await outcome(client.download(object, join(directory, 'missing', 'file'))), /ENOENT/);
  mkdirSync(join(directory, 'file.part'));
  t.regex(await outcome(client.download(object, join(directory, 'file'))), /EISDIR/);
  // Windows opens a directory, and refuses what is written to it.
  const asked = process.platform === 'win32' ? 1 : 0;
  t.deepEqual([waits.length, server.of('get').length], [0, asked]);
});

test('the URL of a repository may end with a slash and be that of a whole server, and no more', async (t) => {
  const server = await startMisbehavingServer(t, { content });
  t.true(await clientOf({ url: `${server.url}//` }).client.exists(oid));
  t.false(await clientOf({ url: server.origin }).client.exists(oid));
  t.is(server.of('other')[0]?.path, `/objects/${oid}`);
  for (const url of ['a/b', 'ftp://host/a/b', 'https://me:pw@host/a/b', 'https://host/a/b?c=d']) {
    t.throws(() => clientOf({ url }), { instanceOf: TypeError }, url);
  }
});

test('an object of another size is not the object', async (t) => {
  const { client } = await against(t, { content });
  t.true(await client.verify({ oid, size }));
  t.false(await client.verify({ oid, size: size + 1 }));
});
