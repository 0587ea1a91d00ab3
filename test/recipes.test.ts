/**
 * ARCHITECTURE.md's recipes for a route and for a file format, followed: what is declared once is found wherever it has to
 * show. The recipe for a command is followed in cli-reference.test.ts.
 */
import { Buffer } from 'node:buffer';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import test from 'ava';
import { z } from 'zod';
import { openApiRoute } from '../daemon/routes/all.ts';
import type { Format } from '../formats/format.ts';
import { findFormat, formats } from '../formats/registry.ts';
import { route } from '../http/route.ts';
import { formatNames, isLookedInto, promisedFormat } from '../model/recorder-formats.ts';
import { queryInteger, text } from '../model/schema.ts';
import { valuesOf } from './helpers/fields.ts';
import { startHttpServer } from './helpers/http-server.ts';
import { validateAnswer } from './helpers/openapi.ts';
import { rawRequest } from './helpers/raw-http.ts';
import { Recording } from '../formats/points/recording.ts';
import { nullSink, type RecordingSink } from '../model/recording.ts';

test('a route that is added is answered, described and refused by its own schemas, with no other list', async (t) => {
  const moons = route({
    method: 'POST',
    path: '/api/moons/{planet}',
    summary: 'Counts moons.',
    params: z.object({ planet: z.string().regex(/^[a-z]+$/u) }),
    query: z.object({ brightness: queryInteger(1, 9).optional() }),
    body: z.object({ observer: text(8) }),
    answers: {
      200: z.object({ planet: z.string(), brightness: z.number(), observer: z.string() }),
    },
    handle: ({ params, query, body }) => ({
      status: 200,
      json: { ...params, brightness: query.brightness ?? 5, ...body },
    }),
  });
  const { ask } = await startHttpServer(t, { routes: [moons, openApiRoute([moons], '1.2.3')] });
  const post = (path: string, body: string) =>
    ask(
      rawRequest(`POST ${path}`, [
        'Content-Type: application/json',
        `Content-Length: ${Buffer.byteLength(body)}`,
      ]),
      body,
    );

  const document = JSON.parse((await ask(rawRequest('GET /api/openapi.json'))).body);
  const { post: described } = document.paths['/api/moons/{planet}'];
  t.is(described.summary, 'Counts moons.');
  t.deepEqual(valuesOf(described.parameters, 'name'), ['planet', 'brightness']);

  const answer = await post('/api/moons/jupiter?brightness=9', '{"observer":"Galileo"}');
  t.deepEqual(JSON.parse(answer.body), {
    planet: 'jupiter',
    brightness: 9,
    observer: 'Galileo',
  });
  validateAnswer(document, 'POST', '/api/moons/jupiter', 200, JSON.parse(answer.body));

  const refusals: readonly [path: string, body: string, status: number, field?: string][] = [
    ['/api/moons/jupiter?brightness=10', '{"observer":"Galileo"}', 400, 'brightness'],
    ['/api/moons/jupiter', '{"observer":"nine char"}', 400, 'observer'],
    ['/api/moons/J', '{"observer":"Galileo"}', 404],
  ];
  for (const [path, body, status, field] of refusals) {
    const refused = await post(path, body);
    t.is(refused.status, status, path);
    t.is(JSON.parse(refused.body).field, field, path);
  }
});

const root = path.resolve(import.meta.dirname, '..');

for (const name of formatNames) {
  test(`the format ${name} is registered, described and has files that prove it`, (t) => {
    t.is(formats.filter((format) => format.name === name).length, 1);
    const docs = readFileSync(path.join(root, 'docs/formats.md'), 'utf8');
    t.regex(docs, new RegExp(`^\\| \`${name}\` \\|`, 'mu'));
    const folder = path.join('fixtures', name);
    const files = readdirSync(path.join(root, folder));
    t.true(files.some((file) => file.startsWith('truncated')));
  });
}

test('a format that is added is found by its content, or by its ending where the content shows none', (t) => {
  const moon: Format = {
    // Names are a closed list: the fixture borrows one.
    name: 'gpx',
    recognises: (head) => head.toString('latin1').startsWith('MOON'),
    read(source, sink) {
      const recording = new Recording(sink);
      for (const bytes of source) recording.trackPoint(bytes.length, 0, Number.NaN, 0);
      return recording.summary();
    },
  };
  const found = (head: string, file: string) => findFormat(Buffer.from(head), file, [moon]);
  t.is(found('MOON 1', 'a.anything'), moon);
  t.is(found('', 'A.GPX'), moon);
  t.is(found('SUN', 'a.json'), undefined);
  t.is(promisedFormat('gpx'), undefined);
  t.deepEqual(
    ['a.b.gpx', 'a.GpX', 'agpx', 'a.gpx.bak'].map((file) => isLookedInto(file)),
    [true, true, false, false],
  );
  const points: number[][] = [];
  const sink: RecordingSink = {
    ...nullSink,
    trackPoint: (...[lat, lon, ele, timeMs]) => void points.push([lat, lon, ele, timeMs]),
    waypoint: () => t.fail(),
  };
  const summary = moon.read([Buffer.from('MOON 1')], sink, {});
  t.like(summary, { observations: 1 });
  t.deepEqual(points, [[6, 0, Number.NaN, 0]]);
});
