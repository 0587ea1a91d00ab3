/**
 * Hostile requests at a whole daemon with data, and at the object server beside it: every route with values that its schema
 * takes, refuses or never thought of. None may be answered with 5xx or not at all, and the daemon is well afterwards.
 */
import { randomInt } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Random } from '../../bench/random.ts';
import {
  callOf,
  everyOperation,
  refusedBy,
  type Field,
  type RouteOperation,
} from '../helpers/every-route.ts';
import { RawConnection, rawRequest } from '../helpers/raw-http.ts';
import { contentOf, oidOf } from './script.ts';
import {
  basic,
  makeObjectStore,
  siteIn,
  start,
  upload,
  type FaultOptions,
  type Running,
} from './site.ts';

/** Longer than any answer takes here. */
const patienceMs = 120_000;
const workers = 4;

const words = ['Camp', 'camp', 'tag:home', 'tag:home AND tag:"a b"', 'a'.repeat(300), 'né 🏕', ' '];
const odd = [
  '',
  '\0',
  '\ud800',
  '\u202e',
  '%',
  '../../x',
  "'; DROP TABLE tags; --",
  'x'.repeat(9_000),
];
const numbers = [0, -0, 1, -1, 0.5, 47.1, 91, -181, 2 ** 31, 2 ** 53, -(2 ** 63), 1e308, 5e-324];
const texts = [
  'NaN',
  'true',
  '1',
  '-1',
  '1e400',
  '2024-02-29',
  '2023-02-29',
  '9999-12-31',
  '0000-00-00',
];
const boxes = ['0,40,20,50', '170,-90,-170,90', '0,0,0,0', '20,50,0,40', ',,,', '1,2,3,4,5'];
const nested = JSON.parse(`${'['.repeat(2_000)}${']'.repeat(2_000)}`);
const rest = [null, true, false, [], {}, [[]], ['a', 'a'], { lat: 1 }, nested];
const all: readonly unknown[] = [...words, ...odd, ...numbers, ...texts, ...boxes, ...rest];

const content = contentOf('a', 1);
const oid = oidOf(content);
const objectPaths = [
  'objects/batch',
  'verify',
  'locks',
  'locks/verify',
  'locks/1/unlock',
  'nowhere',
];
const brokenHeaders = ['Range: bytes=5-2', 'Range: bytes=-0', 'If-None-Match: "', 'Expect: 200-ok'];
const brokenBodies = [
  '',
  '{',
  '"x"',
  'null',
  '[1,',
  '{"a":1,"a":2}',
  '\ufeff{}',
  '{"__proto__":{"x":1}}',
];
const headers = [
  ...brokenHeaders,
  'Accept: image/png',
  'Accept-Encoding: gzip;q=0, *;q=2',
  'Accept-Language: xx-yy;q=9',
  'Content-Type: text/plain',
  'Transfer-Encoding: chunked',
  'Content-Length: 3',
  'Content-Length: -1',
  'Origin: http://example.com',
  'Host: example.com',
  'Authorization: Basic Og==',
  'Cookie: =;=',
  'If-Modified-Since: never',
  `X-Long: ${'x'.repeat(20_000)}`,
];

const framing = /^(?:Transfer-Encoding|Content-Length)/u;

/** Files and bookmarks, so that routes find something; known values of fields, so that they reach it. */
async function fill(daemon: Running, source: string): Promise<Record<string, unknown[]>> {
  const points = Array.from({ length: 400 }, (_, at) => {
    const time = new Date(Date.UTC(2024, 1, 27, 0, at * 10)).toISOString();
    return `<trkpt lat="${47 + at / 1e4}" lon="${8 + at / 1e4}"><time>${time}</time></trkpt>`;
  });
  const place = '<wpt lat="47.1" lon="8.1"><name>Camp</name></wpt>';
  const text = `<gpx>${place}<trk><trkseg>${points.join('')}</trkseg></trk></gpx>`;
  mkdirSync(source);
  writeFileSync(join(source, 'a.gpx'), text);
  writeFileSync(join(source, 'b.gpx'), text.replaceAll('47.', '48.'));
  await daemon.done('POST', '/api/import', { dir: source });
  await daemon.done('POST', '/api/bookmarks', {
    name: 'Camp',
    lat: 47.1,
    lon: 8.1,
    tags: ['home'],
  });
  const job = JSON.parse(
    await daemon.done('POST', '/api/timelines', {
      start_date: '2024-02-27',
      end_date: '2024-03-01',
    }),
  );
  return {
    dir: [source, join(source, 'a.gpx'), join(source, 'none'), 'relative', '/dev/null'],
    id: [job.job_id, '1', '2', '3', '0', '-1'],
    job_id: [job.job_id],
    path: ['a.gpx', 'b.gpx', 'none.gpx'],
    ids: [[1], [2], [1, 1], [99]],
    files: [['a.gpx'], ['b.gpx', 'none.gpx']],
    ...Object.fromEntries(['name', 'oldName'].map((name) => [name, ['Camp']])),
    lat: [47.1, 48.1],
    lon: [8.1],
    tag: ['home'],
    z: [0, 5, 14, 16, 40],
    start_date: ['2024-02-27'],
    end_date: ['2024-03-01', '2024-02-27'],
  };
}

/** Draws requests. */
class Fuzz {
  readonly #random: Random;
  readonly #operations: readonly RouteOperation[];
  readonly #known: Readonly<Record<string, readonly unknown[]>>;

  constructor(
    random: Random,
    operations: readonly RouteOperation[],
    known: Readonly<Record<string, readonly unknown[]>>,
  ) {
    this.#random = random;
    this.#operations = operations;
    this.#known = known;
  }

  #value({ name, schema }: Field): unknown {
    const known = this.#known[name] ?? [];
    const kind = this.#random.unit();
    if (kind < 0.5 && known.length > 0) return this.#random.pick(known);
    if (kind < 0.7) return this.#random.pick(refusedBy(schema));
    // A directory that is drawn may be the root of this machine.
    return this.#random.pick(name === 'dir' ? ['', '\0', 5, 'a\nb', ...rest] : all);
  }

  #values(fields: readonly Field[]): Record<string, unknown> {
    const drawn = fields.filter(() => this.#random.unit() < 0.4);
    return Object.fromEntries(drawn.map((field) => [field.name, this.#value(field)]));
  }

  /** A request of the API, with a broken one now and then. */
  request(token: string): string {
    const operation = this.#random.pick(this.#operations);
    const { params, query, body } = operation;
    const known = this.#values([...params, ...query, ...body]);
    const call = callOf(
      operation,
      { query: this.#values(query), body: this.#values(body) },
      { known },
    );
    const method = this.#random.unit() < 0.03 ? 'TRACE' : call.method;
    return this.#dressed(`${method} ${this.#bent(call.path)}`, `Bearer ${token}`, call.body);
  }

  /** A request of the object server. */
  objectRequest(login: string): string {
    const random = this.#random;
    const base = random.pick([
      '/club/maps',
      '/club/maps',
      '/club',
      '/none/none',
      '/club/maps/info/lfs',
    ]);
    const hash = random.pick([oid, oid, 'f'.repeat(64), oid.slice(1), oid.toUpperCase(), '..']);
    const contents = ['GET', 'HEAD', 'PUT', 'DELETE', 'POST'].map((method) => [
      method,
      `objects/${hash}${random.pick(['', '/content', '/content', '/verify'])}`,
    ]);
    const asked = objectPaths.map((path) => [random.pick(['GET', 'POST', 'POST']), path]);
    const [method, path] = random.pick([...contents, ...asked]);
    const objects = [{ oid: hash, size: random.pick([0, 1, -1, 2 ** 60, 'x']) }];
    const operation = random.pick(['download', 'upload', 'x']);
    const body = {
      operation,
      objects,
      oid: hash,
      size: 5,
      path: random.pick(all),
      id: '1',
      force: random.pick(all),
    };
    const search = random.pick([
      '',
      '',
      '?limit=1',
      '?limit=-1',
      '?cursor=x',
      '?path=%',
      '?token=x',
    ]);
    return this.#dressed(this.#bent(`${method} ${base}/${path}${search}`), login, body);
  }

  #bent(path: string): string {
    const random = this.#random;
    if (random.unit() > 0.05) return path;
    return random.pick([
      `${path}/`,
      path.replaceAll('=', '=%'),
      `/${path}`,
      `${path}#x`,
      `${path}?&&=`,
      path.slice(0, -3),
    ]);
  }

  #dressed(line: string, authorization: string, body?: unknown): string {
    const random = this.#random;
    const isStrange = random.unit() < 0.1;
    const text = isStrange
      ? random.pick(brokenBodies)
      : body === undefined
        ? ''
        : JSON.stringify(body);
    const type = text === '' ? [] : ['Content-Type: application/json'];
    const login = random.unit() < 0.03 ? [] : [`Authorization: ${authorization}`];
    const drawn = random.unit() < 0.15 ? [random.pick(headers), random.pick(headers)] : [];
    // The server rightly waits for a body that is announced.
    const extra = drawn.filter((header) => text !== '' || !framing.test(header));
    return rawRequest(line, ['Connection: close', ...login, ...type, ...extra], text);
  }
}

/** @returns the status; undefined without an answer */
async function send(port: number, request: string): Promise<number | undefined> {
  const connection = await RawConnection.open(port, request);
  connection.socket.setTimeout(patienceMs, () => connection.socket.destroy());
  const status = (await connection.answer())?.status;
  connection.socket.destroy();
  return status;
}

interface FuzzOptions extends FaultOptions {
  readonly requests: number;
  /** Drawn and printed, where it is not given. */
  readonly seed?: number;
}

/** @returns how many requests were answered, by their status */
export async function fuzzRequests(options: FuzzOptions) {
  const { directory, requests, seed = randomInt(2 ** 31), onFault } = options;
  console.log(`fuzz: seed ${seed}`);
  const site = siteIn(directory);
  await makeObjectStore(site);
  const daemon = await start(site);
  await upload(daemon, oid, Buffer.from(content));
  const known = await fill(daemon, join(directory, 'source'));
  const operations = everyOperation(JSON.parse(await daemon.done('GET', '/api/openapi.json')));
  const fuzz = new Fuzz(new Random(seed), operations, known);
  const ports = [daemon.url, daemon.objectsUrl].map((url) => Number(new URL(url).port));
  const counts: Record<string, number> = {};
  let sent = 0;
  const work = async (): Promise<void> => {
    while (sent < requests && daemon.child.exitCode === null) {
      const which = sent % 5 === 4 ? 1 : 0;
      sent += 1;
      const request = which === 0 ? fuzz.request(daemon.token) : fuzz.objectRequest(basic);
      const status = await send(ports[which]!, request).catch(() => undefined);
      counts[status ?? 'none'] = (counts[status ?? 'none'] ?? 0) + 1;
      if (status === undefined || status >= 500) {
        onFault(`${status ?? 'no answer'}: ${request.slice(0, 1_000)}`);
      }
    }
  };
  await Promise.all(Array.from({ length: workers }, work));
  await daemon.done('GET', '/api/waypoints');
  const code = await daemon.end();
  if (code !== 0) onFault(`the daemon ended with ${code}`);
  return counts;
}
