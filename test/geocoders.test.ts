/**
 * Geocoding servers: through the API against a server of our own that does what the test says; what takes minutes on the
 * parts with a time that the test moves.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import Database from 'better-sqlite3';
import { checkedFetch } from '../daemon/geocoders/checked-fetch.ts';
import { nominatimLookup } from '../daemon/geocoders/nominatim.ts';
import { OnlineGeocoder } from '../daemon/geocoders/online-geocoder.ts';
import { photonLookup } from '../daemon/geocoders/choose-geocoders.ts';
import { ServerFailed } from '../daemon/geocoders/server-failed.ts';
import { findPlaces } from '../daemon/geocoders/find-places.ts';
import type { GeocodeAnswer } from '../daemon/geocoders/geocoder.ts';
import { resolveSettings } from '../daemon/settings.ts';
import { ExitError } from '../model/exit-error.ts';
import { programVersion } from '../daemon/version-info.ts';
import type { Suggestion } from '../model/search.ts';
import type { Settings } from '../model/settings.ts';
import { GeocodeCache } from '../storage/geocode-cache.ts';
import { startTestDaemon, type TestDaemon } from './helpers/daemon.ts';
import { rowsOf } from './helpers/fields.ts';
import { silentLog } from './helpers/logs.ts';
import { manualTime } from './helpers/manual-time.ts';
import { temporaryDirectory } from './helpers/temporary-directory.ts';
import { answerWhen, until } from './helpers/until.ts';
import { posix } from './helpers/where.ts';
import { answering } from './helpers/local-server.ts';

const osm = '© OpenStreetMap contributors';
const never = new AbortController().signal;

interface Asked {
  readonly at: number;
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
}

type Answer = (request: IncomingMessage, response: ServerResponse, text: string) => void;

/** A geocoding server. */
async function startServer(t: ExecutionContext, answer: Answer) {
  const asked: Asked[] = [];
  const port = await answering(t, (request, response) => {
    const url = new URL(request.url ?? '', 'http://server');
    asked.push({ at: performance.now(), url, headers: request.headers });
    answer(request, response, url.searchParams.get('q') ?? '');
  });
  return { base: `http://127.0.0.1:${port}`, asked };
}

function sendJson(response: ServerResponse, value: unknown, status = 200): void {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(text);
}

/** An answer of Nominatim that names what was asked. */
function nominatimPlaces(text: string): object[] {
  return [
    { lat: '52.5', lon: '13.4', display_name: `${text}, Somewhere`, class: 'place', type: 'city' },
  ];
}

const echo: Answer = (_, response, text) => sendJson(response, nominatimPlaces(text));

function startGeocoding(t: ExecutionContext, geocoder_url: string, changes: object = {}) {
  const settings: Partial<Settings> = { geocoder: 'nominatim', geocoder_url, ...changes };
  const geodata = { builtinPath: join(temporaryDirectory(t), 'none.sqlite') };
  return startTestDaemon(t, { settings, options: { geodata } });
}

function suggest(daemon: TestDaemon, text: string) {
  return daemon.get(`/api/suggest?q=${encodeURIComponent(text)}`);
}

/** Asks again, as a user interface does, while the answer says that more may come. */
async function untilFound(daemon: TestDaemon, text: string) {
  return (
    await answerWhen(
      () => suggest(daemon, text),
      ({ body }) => body.pending !== true,
    )
  ).body;
}

test('nominatim: what is typed is looked up meanwhile, with our name, and is there the next time', async (t) => {
  const { base, asked } = await startServer(t, (_, response) => {
    sendJson(response, [
      { lat: '0', lon: '-0', display_name: 'Null\u0007Island', category: 'place', type: 'island' },
      { lat: '91', lon: '0', display_name: 'Too far north' },
      { lat: '', lon: '0', display_name: 'Nowhere' },
      { lat: 1.5, lon: 2.5, display_name: 'x'.repeat(600), address: { country_code: 'de' } },
      { display_name: 'Nothing else' },
      null,
      7,
    ]);
  });
  const daemon = await startGeocoding(t, `${base}/nominatim/`, {
    geocoder_contact: 'me@host.example',
  });
  await daemon.call('POST', '/api/bookmarks', { name: 'Canary Hut', lat: 42, lon: 7 });
  const hut = { name: 'Canary Hut', lat: 42, lon: 7, source: 'bookmark' };
  const { body } = await suggest(daemon, ' Canary HUT ');
  t.deepEqual(body, { query: 'Canary HUT', suggestions: [hut], pending: true });
  t.deepEqual(await untilFound(daemon, 'canary hut'), {
    query: 'canary hut',
    suggestions: [
      hut,
      { name: 'Null Island', lat: 0, lon: 0, source: 'geocode', class: 'place', type: 'island' },
      { name: 'x'.repeat(512), lat: 1.5, lon: 2.5, source: 'geocode', class: '', type: '' },
    ],
    attributions: [osm],
  });
  // A machine with much else to do is asked again when 1.5 s are over.
  t.is(new Set(asked.map(({ url }) => url.search)).size, 1);
  t.is(asked[0]?.url.pathname, '/nominatim/search');
  const sent = { q: 'canary hut', limit: '12', format: 'json', addressdetails: '1' };
  t.deepEqual(Object.fromEntries(asked[0]?.url.searchParams ?? []), sent);
  const agent = `waypointd/${programVersion()} (+me@host.example)`;
  t.like(asked[0]?.headers, { 'user-agent': agent, 'accept-encoding': 'identity' });
  t.is(asked[0]?.headers.cookie, undefined);
  t.true((await daemon.get('/api/version')).body.features.includes('online-geocoding'));
  t.notRegex(daemon.logged.join('\n'), /canary|island/i);
});

test('photon: addresses are put together, and the cache outlives the daemon without holding what was typed', async (t) => {
  const feature = (coordinates: unknown, properties: unknown) => ({
    type: 'Feature',
    geometry: { type: 'Point', coordinates },
    properties,
  });
  const { base, asked } = await startServer(t, (_, response) => {
    const street = { street: 'Ring', housenumber: '5', city: 'Bern', country: 'Schweiz' };
    sendJson(response, {
      features: [
        feature([7.5, 47, 500], { name: 'Zoo', ...street, osm_key: 'tourism', osm_value: 'zoo' }),
        feature([7.5, 47], { name: 'Bern', city: 'Bern', state: 7, country: 'Schweiz' }),
        feature([200, 47], { name: 'Nowhere' }),
        feature([7.5, 47], {}),
        null,
      ],
    });
  });
  const daemon = await startGeocoding(t, base, { geocoder: 'photon' });
  const found = await untilFound(daemon, 'zzzoogarten');
  t.deepEqual(found.suggestions, [
    {
      name: 'Zoo, Ring 5, Bern, Schweiz',
      lat: 47,
      lon: 7.5,
      source: 'geocode',
      class: 'tourism',
      type: 'zoo',
    },
    { name: 'Bern, Schweiz', lat: 47, lon: 7.5, source: 'geocode', class: '', type: '' },
  ]);
  t.is(asked[0]?.url.pathname, '/api');
  t.is(asked[0]?.headers['user-agent'], `waypointd/${programVersion()}`);
  const next = await daemon.restart();
  t.deepEqual((await suggest(next, 'ZZZoogarten')).body.suggestions, found.suggestions);
  t.is(asked.length, 1);
  await next.close();
  const file = next.paths.geocodeDatabase;
  t.false(readFileSync(file).includes('zzzoo'));
  if (process.platform !== 'win32') t.is(statSync(file).mode & 0o777, 0o600);
  // Another server is not answered for.
  const { base: other, asked: otherAsked } = await startServer(t, (_, response) =>
    sendJson(response, { features: [] }),
  );
  const moved = await startTestDaemon(t, {
    root: next.root,
    settings: { geocoder: 'photon', geocoder_url: other },
  });
  t.deepEqual((await untilFound(moved, 'zzzoogarten')).suggestions, []);
  t.is(otherAsked.length, 1);
});

test('under 50 keystrokes a second the server sees at most one request in any second, each with our name', async (t) => {
  const { base, asked } = await startServer(t, echo);
  const daemon = await startGeocoding(t, base);
  const words = ['first', 'second', 'third'].map((word) => `the ${word} place`);
  const begun = performance.now();
  for (const word of words) {
    const answers = [];
    for (let length = 1; length <= word.length; length += 1) {
      answers.push(suggest(daemon, word.slice(0, length)));
      await delay(20);
    }
    for (const { status } of await Promise.all(answers)) t.is(status, 200);
    // Longer than the quiet time: each word may be asked for.
    await delay(350);
  }
  t.is((await untilFound(daemon, words[2]!)).suggestions[0]?.name, `${words[2]}, Somewhere`);
  t.true(asked.length >= 2);
  // From the beginning, not from each to the next: on a busy machine one may have been long on its way.
  asked.forEach(({ at }, before) =>
    t.true(at - begun >= before * 1_000, `${before}: ${at - begun}`),
  );
  t.true(asked.every(({ headers }) => headers['user-agent'] === `waypointd/${programVersion()}`));
});

test('a server that hangs neither delays nor spoils the local part, and closing does not wait for it', async (t) => {
  const { base, asked } = await startServer(t, () => {});
  const daemon = await startGeocoding(t, base);
  await daemon.call('POST', '/api/bookmarks', { name: 'Canary Hut', lat: 42, lon: 7 });
  t.true((await suggest(daemon, 'canary')).body.pending);
  await until(() => asked.length === 1);
  t.is((await suggest(daemon, 'canary')).body.suggestions.length, 1);
  await daemon.close();
  t.notRegex(daemon.logged.join('\n'), /canary/i);
});

test('tag queries and texts below 3 code points ask no server', async (t) => {
  const { base, asked } = await startServer(t, echo);
  const daemon = await startGeocoding(t, base);
  for (const text of ['tag:canary', 'tag:a AND b', 'ab', ' 🏔️', '🏔🏔', '']) {
    t.is((await suggest(daemon, text)).body.pending, undefined, text);
  }
  t.true((await suggest(daemon, '🏔🏔🏔')).body.pending);
  await until(() => asked.length === 1);
  t.is(asked[0]?.url.searchParams.get('q'), '🏔🏔🏔');
});

function html(response: ServerResponse, status: number): void {
  response.writeHead(status, { 'content-type': 'text/html' }).end('<p>You asked for canary');
}

function withHead(head: Record<string, string | number>, body: string | Buffer): Answer {
  return (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json', ...head }).end(body);
  };
}

const large = JSON.stringify(
  Array.from({ length: 3_000 }, () => ({ display_name: 'x'.repeat(80) })),
);
const whole = `[${' '.repeat(262_142)}]`;
const bomb = gzipSync(Buffer.alloc(20_000_000, ' '));

const badAnswers: readonly [what: string, answer: Answer, code: string, status?: number][] = [
  ['is too large', (_, response) => sendJson(response, large), 'too_large'],
  ['is one byte too large', (_, response) => sendJson(response, `${whole} `), 'too_large'],
  ['says that it is too large', withHead({ 'content-length': 262_145 }, ''), 'too_large'],
  ['is 429', (_, response) => sendJson(response, [], 429), 'status', 429],
  ['is 403 with a page', (_, response) => html(response, 403), 'status', 403],
  ['is 500 with an empty list', (_, response) => sendJson(response, [], 500), 'status', 500],
  ['is 204', (_, response) => response.writeHead(204).end(), 'status', 204],
  ['is a page', (_, response) => html(response, 200), 'content_type'],
  ['has no type', (_, response) => response.end('[]'), 'content_type'],
  ['is packed', withHead({ 'content-encoding': 'gzip' }, bomb), 'encoding'],
  [
    'leads elsewhere',
    (_, response) => response.writeHead(302, { location: '/other' }).end(),
    'redirect',
    302,
  ],
  ['is cut off', (request) => request.socket.destroy(), 'unreachable'],
  [
    'ends too early',
    (request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': 10 });
      response.write('[');
      setImmediate(() => request.socket.destroy());
    },
    'unreachable',
  ],
];

const fetchText = checkedFetch({ userAgent: 'test', now: () => Date.UTC(2024, 0, 1) });

for (const [what, answer, code, status] of badAnswers) {
  test(`an answer that ${what} is refused as ${code}`, async (t) => {
    const { base, asked } = await startServer(t, answer);
    const error = await t.throwsAsync(fetchText(new URL(base), never), {
      instanceOf: ServerFailed,
    });
    t.like(error, { code, status });
    t.is(asked.length, 1);
  });
}

test('an answer of the greatest size is read; one without a server, or without an end, is not', async (t) => {
  const { base } = await startServer(t, (_, response) => sendJson(response, whole));
  t.is(await fetchText(new URL(base), never), whole);
  await t.throwsAsync(fetchText(new URL('http://127.0.0.1:1'), never), { message: 'unreachable' });
  const drip = await startServer(t, (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write('[');
  });
  const abort = new AbortController();
  const work = fetchText(new URL(drip.base), abort.signal);
  await until(() => drip.asked.length === 1);
  abort.abort();
  await t.throwsAsync(work, { message: 'timeout' });
});

test('Retry-After is read as seconds or as a date', async (t) => {
  const cases: [string, number | undefined][] = [
    ['120', 120_000],
    ['Mon, 01 Jan 2024 00:05:00 GMT', 300_000],
    ['Sun, 31 Dec 2023 00:00:00 GMT', 0],
    ['soon', undefined],
  ];
  for (const [value, retryAfterMs] of cases) {
    const { base } = await startServer(t, (_, response) =>
      response.writeHead(429, { 'retry-after': value }).end(),
    );
    const error = await t.throwsAsync(fetchText(new URL(base), never), {
      instanceOf: ServerFailed,
    });
    t.is(error.retryAfterMs, retryAfterMs, value);
  }
});

test('JSON that is not what the server promises is refused, whatever node-geocoder makes of it', async (t) => {
  for (const wrong of [
    'null',
    '{}',
    '{"error":"canary"}',
    '"text"',
    '7',
    '{"features":null}',
    '[{',
  ]) {
    for (const lookupOf of [nominatimLookup, photonLookup]) {
      const lookup = lookupOf('http://server', () => Promise.resolve(wrong));
      await t.throwsAsync(lookup('text', 12, never), { message: 'format' });
    }
  }
  const usual = await nominatimLookup('http://a', () =>
    Promise.resolve('[null, [], 7, {"lat": 1}]'),
  )('127.0.0.1', 12, never);
  t.deepEqual(usual, []);
});

test('two geocoders of one process ask their own servers', async (t) => {
  const targets: string[] = [];
  const lookupAt = (base: string) =>
    nominatimLookup(base, (url) => {
      targets.push(url.host);
      return Promise.resolve('[]');
    });
  const [a, b] = [lookupAt('https://a.example'), lookupAt('https://b.example')];
  await b('text', 12, never);
  await a('text', 12, never);
  t.deepEqual(targets, ['b.example', 'a.example']);
});

/** A geocoder whose server the test plays, in a time that the test moves. */
function geocoding(t: ExecutionContext, cachePath = join(temporaryDirectory(t), 'cache.sqlite')) {
  const time = manualTime();
  const asked: { text: string; signal: AbortSignal }[] = [];
  let answer: () => Promise<Suggestion[]> = () => Promise.resolve([]);
  const geocoder = new OnlineGeocoder({
    lookup: (text, _, signal) => {
      asked.push({ text, signal });
      return answer();
    },
    answers: new GeocodeCache({ path: cachePath, server: 'server', clock: time.clock }),
    attribution: osm,
    ...time,
    log: silentLog,
  });
  t.teardown(() => geocoder.close());
  return {
    time,
    asked,
    geocoder,
    texts: () => asked.map(({ text }) => text),
    answerWith: (next: typeof answer) => (answer = next),
    /** Has a text looked up, whatever comes of it. */
    look: async (text: string): Promise<void> => {
      t.true(geocoder.find(text, 12).isPending, text);
      time.advance(1_000);
      await settled();
    },
  };
}

/** Lets promises that are settled run to their end. */
async function settled(): Promise<void> {
  for (let i = 0; i < 10; i += 1) await Promise.resolve();
}

const place: Suggestion = { name: 'Bern', lat: 47, lon: 7, source: 'geocode', class: '', type: '' };

test('a text is asked for after 300 ms without a newer one, a second after the end of the last request', async (t) => {
  const { time, geocoder, texts, answerWith } = geocoding(t);
  const first = Promise.withResolvers<Suggestion[]>();
  answerWith(() => first.promise);
  geocoder.find('ber', 12);
  time.advance(299);
  geocoder.find('bern', 12);
  time.advance(200);
  geocoder.find('bern', 12);
  time.advance(99);
  t.deepEqual(texts(), []);
  time.advance(1);
  t.deepEqual(texts(), ['bern']);
  // While one is asked for, and in the second after it, the newest of the others waits.
  t.true(geocoder.find('zug', 12).isPending);
  t.true(geocoder.find('basel', 12).isPending);
  time.advance(1_000);
  first.resolve([place]);
  await settled();
  t.deepEqual(geocoder.find('bern', 12), { places: [place], attribution: osm });
  time.advance(999);
  t.deepEqual(texts(), ['bern']);
  time.advance(1);
  t.deepEqual(texts(), ['bern', 'basel']);
});

test('a request is given up after 1.5 s', async (t) => {
  const { time, geocoder, asked, answerWith } = geocoding(t);
  answerWith(() => new Promise(() => {}));
  geocoder.find('bern', 12);
  time.advance(300);
  time.advance(1_499);
  t.false(asked[0]?.signal.aborted);
  time.advance(1);
  t.true(asked[0]?.signal.aborted);
});

test('after three failures in a row the server is left alone for 60 s, then after each one', async (t) => {
  const { time, geocoder, asked, look, answerWith } = geocoding(t);
  const fail = () => Promise.reject(new ServerFailed('unreachable'));
  answerWith(fail);
  await look('one');
  await look('two');
  answerWith(() => Promise.resolve([]));
  await look('works');
  answerWith(fail);
  await look('three');
  await look('four');
  await look('five');
  t.is(asked.length, 6);
  t.false(geocoder.find('six', 12).isPending);
  time.advance(59_999);
  t.false(geocoder.find('six', 12).isPending);
  time.advance(1);
  await look('six');
  t.is(asked.length, 7);
  t.false(geocoder.find('seven', 12).isPending);
  time.advance(60_000);
  answerWith(() => Promise.resolve([place]));
  await look('seven');
  await look('eight');
  t.is(asked.length, 9);
  // Nothing of what failed was kept as an answer.
  t.true(geocoder.find('one', 12).isPending);
});

test('a server that refuses is left alone as long as it says, at most a day, or 15 minutes', async (t) => {
  const cases: [status: number, retryAfterMs: number | undefined, pauseMs: number][] = [
    [429, 5_000, 5_000],
    [429, undefined, 900_000],
    [403, undefined, 900_000],
    [403, 1e12, 86_400_000],
  ];
  for (const [status, retryAfterMs, pauseMs] of cases) {
    const { time, geocoder, look, answerWith } = geocoding(t);
    answerWith(() => Promise.reject(new ServerFailed('status', { status, retryAfterMs })));
    await look('text');
    time.advance(pauseMs - 1);
    t.false(geocoder.find('text', 12).isPending, `${status} ${retryAfterMs}`);
    time.advance(1);
    t.true(geocoder.find('text', 12).isPending);
  }
});

test('places are known for 30 days, empty answers for one', async (t) => {
  const path = join(temporaryDirectory(t), 'cache.sqlite');
  const { time, geocoder, look, answerWith } = geocoding(t, path);
  answerWith(() => Promise.resolve([place]));
  await look('bern');
  answerWith(() => Promise.resolve([]));
  await look('nowhere');
  const fresh = new GeocodeCache({ path, server: 'server', clock: time.clock });
  t.teardown(() => fresh.close());
  t.is(fresh.get('bern')?.length, 1);
  const day = 86_400_000;
  time.advance(day - 1_001);
  t.deepEqual(geocoder.find('nowhere', 12), { places: [] });
  time.advance(1_001);
  t.true(geocoder.find('nowhere', 12).isPending);
  time.advance(29 * day - 1_001 - 1_000);
  t.is(geocoder.find('bern', 12).places.length, 1);
  t.is(fresh.get('bern')?.length, 1);
  time.advance(1_001);
  t.is(fresh.get('bern'), undefined);
  t.true(geocoder.find('bern', 12).isPending);
});

test('places of the server come first, each once, with the credit for those that are there', async (t) => {
  const places = (...names: [name: string, lat: number][]): Suggestion[] =>
    names.map(([name, lat]) => ({ ...place, name, lat }));
  const geocoder = (answer: GeocodeAnswer) => ({
    find: () => answer,
    close: () => Promise.resolve(),
  });
  const offline = geocoder({
    places: places(['BERN', 47.05], ['Bern', 47.2], ['Berne', 47]),
    attribution: 'GeoNames',
  });
  const online = geocoder({ places: places(['Bern, Schweiz', 47]), attribution: osm });
  const both = await findPlaces([online, offline], 'bern', 12, true);
  t.deepEqual(rowsOf(both.places, 'name', 'lat'), [
    ['Bern, Schweiz', 47],
    ['Bern', 47.2],
    ['Berne', 47],
  ]);
  t.deepEqual(both.attributions, [osm, 'GeoNames']);
  const one = await findPlaces([online, offline], 'bern', 1, true);
  t.deepEqual(one, {
    places: places(['Bern, Schweiz', 47]),
    attributions: [osm],
    isPending: false,
  });
  const waiting = geocoder({ places: [], attribution: osm, isPending: true });
  const meanwhile = await findPlaces([waiting, offline], 'bern', 2, true);
  t.like(meanwhile, { attributions: ['GeoNames'], isPending: true });
  t.is(meanwhile.places.length, 2);
  t.deepEqual(await findPlaces([online], 'bern', 0, true), {
    places: [],
    attributions: [],
    isPending: false,
  });
});

/** A cache, and how many rows its file has. */
function openCache(t: ExecutionContext, bounds: { maxRows?: number; maxBytes?: number } = {}) {
  const path = join(temporaryDirectory(t), 'geocode.sqlite');
  const time = manualTime();
  const cache = new GeocodeCache({ path, server: 'server', clock: time.clock, ...bounds });
  t.teardown(() => cache.close());
  return {
    path,
    time,
    cache,
    put: (text: string, places: Suggestion[] = []): void => {
      cache.put(text, places);
      time.advance(1);
    },
    count: (): unknown => {
      const db = new Database(path, { readonly: true });
      try {
        return db.prepare('SELECT count(*) FROM answers').pluck().get();
      } finally {
        db.close();
      }
    },
  };
}

test('the cache keeps the newest answers within its rows and bytes', (t) => {
  const rows = openCache(t, { maxRows: 3 });
  for (const name of ['a', 'b', 'c', 'a', 'd']) rows.put(name);
  t.deepEqual(
    ['a', 'b', 'c', 'd'].map((name) => rows.cache.get(name)),
    [[], undefined, [], []],
  );
  t.is(rows.count(), 3);
  const bytes = openCache(t, { maxBytes: 4 });
  for (const name of ['a', 'b', 'c']) bytes.put(name);
  t.deepEqual(
    ['a', 'b', 'c'].map((name) => bytes.cache.get(name)),
    [undefined, [], []],
  );
  bytes.put('d', [place]);
  t.is(bytes.cache.get('d'), undefined);
});

test('what has expired, or was kept while the clock was far ahead, leaves the file', (t) => {
  const { time, put, cache, count } = openCache(t);
  put('short');
  put('long', [place]);
  time.advance(86_400_000);
  t.is(cache.get('short'), undefined);
  t.is(count(), 2);
  put('other');
  t.is(count(), 2);
});

test('the cache may be deleted, damaged, of another version or a directory', (t) => {
  for (const spoil of [
    (path: string) => rmSync(path),
    (path: string) => writeFileSync(path, 'x'.repeat(8_192)),
    (path: string) => new Database(path).exec('PRAGMA user_version = 99').close(),
    (path: string) => new Database(path).exec('DROP TABLE answers').close(),
    (path: string) => {
      rmSync(path);
      mkdirSync(path);
    },
  ]) {
    const { path, put, cache, time } = openCache(t);
    put('a');
    cache.close();
    t.is(cache.get('a'), undefined);
    spoil(path);
    const again = new GeocodeCache({ path, server: 'server', clock: time.clock });
    t.is(again.get('a'), undefined);
    again.put('b', []);
    t.deepEqual(again.get('b'), []);
    again.close();
  }
  t.false(existsSync(':memory:'));
});

posix('the cache goes on while its file is deleted under it', (t) => {
  const { path, put, cache } = openCache(t);
  put('a');
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
  t.notThrows(() => {
    put('b');
    cache.get('a');
  });
});

const refusedUrls: readonly [url: string, why: RegExp][] = [
  ['https://nominatim.openstreetmap.org', /usage policy.*while it is typed/],
  ['https://Nominatim.OpenStreetMap.org./search', /usage policy/],
  ['https://nominatim.osm.org', /usage policy/],
  ['http://geocoder.example', /begins with https/],
  ['http://192.168.1.5:8080', /begins with https/],
  ['http://localhost.example', /begins with https/],
  ['ftp://geocoder.example', /is a URL such as/],
  ['geocoder.example', /is a URL such as/],
  ['https://geocoder.example/?key=canary', /neither/],
];

test('addresses of servers that must not be used are refused with the reason, and are not repeated', (t) => {
  const cwd = temporaryDirectory(t);
  const resolve = (geocoder_url: string) =>
    resolveSettings({
      flags: {},
      env: { WAYPOINTD_GEOCODER_URL: geocoder_url },
      configFile: 'none',
      cwd,
    });
  for (const [url, why] of refusedUrls) {
    const error = t.throws(() => resolve(url), { message: why }, url);
    t.like(error, { exitCode: 78 });
    t.notRegex(error?.message ?? '', /canary/);
  }
  for (const url of [
    'https://geocoder.example/nominatim',
    'https://notopenstreetmap.org',
    'http://127.0.0.1:8080',
    'http://localhost',
    'http://[::1]:1',
  ]) {
    t.is(resolve(url).settings.geocoder_url, url);
  }
});

test('settings that need another one refuse the start with exit code 78 and name it', async (t) => {
  const cases: [Partial<Settings>, RegExp][] = [
    [{ geocoder: 'nominatim' }, /geocoder_url/],
    [{ geocoder: 'photon' }, /geocoder_url/],
    [{ location_provider: 'command' }, /location_command/],
    [{ location_provider: 'static' }, /location_static/],
  ];
  for (const [settings, sentence] of cases) {
    const error = await t.throwsAsync(startTestDaemon(t, { settings }), {
      instanceOf: ExitError,
    });
    t.is(error.exitCode, 78);
    t.regex(error.message, sentence);
  }
});

test('bad values of the location and geocoder settings are refused and not repeated', (t) => {
  const cwd = temporaryDirectory(t);
  const cases: [string, string, RegExp][] = [
    ['WAYPOINTD_LOCATION_STATIC', '47.25', /lat,lon/],
    ['WAYPOINTD_LOCATION_STATIC', '47.25,180.1', /lat,lon/],
    ['WAYPOINTD_LOCATION_STATIC', '47.25,7,9', /lat,lon/],
    ['WAYPOINTD_LOCATION_COMMAND', '"canary', /quotes/],
    ['WAYPOINTD_LOCATION_PROVIDER', 'canary', /auto, off/],
    ['WAYPOINTD_GEOCODER', 'canary', /offline, off, nominatim, photon/],
    ['WAYPOINTD_GEOCODER_CONTACT', 'canary\r\nX: y', /ASCII/],
    ['WAYPOINTD_GEOCODER_CONTACT', 'c'.repeat(201), /200/],
  ];
  for (const [name, value, why] of cases) {
    const error = t.throws(
      () => resolveSettings({ flags: {}, env: { [name]: value }, configFile: 'none', cwd }),
      { message: why },
    );
    t.notRegex(error?.message ?? '', /47\.25|canary/);
  }
});
