/** The OpenAPI document: made from the schemas that check requests, and good enough to check answers with. */
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import test from 'ava';
import { z } from 'zod';
import { programVersion } from '../daemon/version-info.ts';
import { route, type Route } from '../http/route.ts';
import { describeApi, type OpenApiDocument } from '../model/openapi.ts';
import { healthSchema } from '../model/process.ts';
import { queryBbox, queryBoolean, queryInteger } from '../model/schema.ts';
import { newBookmarkSchema, waypointSchema, waypointsSchema } from '../model/waypoint.ts';
import { startTestDaemon } from './helpers/daemon.ts';
import { validateAnswer } from './helpers/openapi.ts';

const info = { title: 'test', version: '1', privatePrefix: '/api/' };
const handle: Route['handle'] = () => ({ status: 204 });
const routes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/waypoints',
    summary: 'Lists.',
    query: z.object({
      emoji: queryBoolean.optional(),
      bbox: queryBbox.optional(),
      limit: queryInteger(1, 200),
    }),
    answers: { 200: waypointsSchema, 304: null },
    handle,
  }),
  route({
    method: 'POST',
    path: '/api/bookmarks',
    summary: 'Adds.',
    body: newBookmarkSchema,
    answers: { 201: waypointSchema },
    handle,
  }),
  route({
    method: 'DELETE',
    path: '/api/timelines/{id}',
    summary: 'Cancels.',
    answers: { 202: z.object({ status: z.literal('cancelling') }), 204: null },
    handle,
  }),
  route({
    method: 'GET',
    path: '/healthz',
    summary: 'Lives.',
    answers: { 200: healthSchema },
    handle,
  }),
];

/** Follows keys into the document. */
function at(document: OpenApiDocument, ...keys: string[]): unknown {
  let value: unknown = document;
  for (const key of keys) value = Reflect.get(Object(value), key);
  return value;
}

const waypoint = { name: 'Camp', lat: 1, lon: 2, bookmark: true };

test('query parameters are described by what they mean, not by the text they arrive as', (t) => {
  const document = describeApi(routes, info);
  t.deepEqual(at(document, 'paths', '/api/waypoints', 'get', 'parameters'), [
    { name: 'emoji', in: 'query', required: false, schema: { type: 'boolean' } },
    {
      name: 'bbox',
      in: 'query',
      required: false,
      schema: { type: 'string', description: 'west,south,east,north in degrees' },
    },
    {
      name: 'limit',
      in: 'query',
      required: true,
      schema: { type: 'integer', minimum: 1, maximum: 200 },
    },
  ]);
});

test('path parameters are named even where a route has no schema for them', (t) => {
  const document = describeApi(routes, info);
  t.deepEqual(at(document, 'paths', '/api/timelines/{id}', 'delete', 'parameters'), [
    { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
  ]);
  t.is(
    at(document, 'paths', '/api/timelines/{id}', 'delete', 'operationId'),
    'deleteTimelinesById',
  );
});

test('named schemas are components, referred to from everywhere', (t) => {
  const document = describeApi(routes, info);
  t.deepEqual(Object.keys(document.components.schemas).sort(), ['Failure', 'Tag', 'Waypoint']);
  t.deepEqual(at(document, 'paths', '/api/bookmarks', 'post', 'responses', '201', 'content'), {
    'application/json': { schema: { $ref: '#/components/schemas/Waypoint' } },
  });
  t.false(JSON.stringify(document).includes('$defs'));
  const clash = z.object({ other: z.string() }).meta({ id: 'Clash' });
  const schemas = { 200: z.object({ clash }), 201: clash };
  t.notThrows(() => describeApi([{ ...routes[0]!, answers: schemas }], info));
  const transformed = z.string().transform(Number).pipe(z.number()).meta({ id: 'Twice' });
  const twice = { ...routes[1]!, body: transformed, answers: { 200: transformed } };
  t.throws(() => describeApi([twice], info), { message: /Twice has two meanings/ });
});

test('an answer that is not always JSON has each of its media types', (t) => {
  const document = describeApi(routes, info);
  const content = at(document, 'paths', '/api/waypoints', 'get', 'responses', '200', 'content');
  t.deepEqual(Object.keys(Object(content)), ['application/json', 'application/geo+json']);
  t.false(JSON.stringify(document).includes('mediaTypes'));
});

test('everything below /api/ needs the token, and every operation may fail', (t) => {
  const document = describeApi(routes, info);
  t.deepEqual(at(document, 'security'), [{ bearer: [] }]);
  t.is(at(document, 'paths', '/api/waypoints', 'get', 'security'), undefined);
  t.deepEqual(at(document, 'paths', '/healthz', 'get', 'security'), []);
  for (const operations of Object.values(document.paths)) {
    for (const operation of Object.values(operations)) {
      t.deepEqual(Reflect.get(Object(operation), 'responses').default, {
        $ref: '#/components/responses/Failure',
      });
    }
  }
});

test('the document names every reference it makes and is valid JSON Schema throughout', (t) => {
  const document = describeApi(routes, info);
  const text = JSON.stringify(document);
  for (const [, path = ''] of text.matchAll(/"\$ref":"#\/([^"]+)"/g)) {
    t.not(at(document, ...path.split('/')), undefined, path);
  }
  const ajv = new Ajv2020({ strict: false });
  for (const schema of Object.values(document.components.schemas)) {
    t.true(ajv.validateSchema(Object(schema)));
  }
});

test('every operation of the daemon names refusals of its own', async (t) => {
  const daemon = await startTestDaemon(t);
  const { body } = await daemon.get('/api/openapi.json');
  t.like(body, { openapi: '3.1.0', info: { title: 'waypointd' }, servers: [{ url: '/' }] });
  t.is(body.info.version, programVersion());
  const operations = Object.values<Record<string, { responses: object }>>(body.paths).flatMap(
    (methods) => Object.values(methods),
  );
  t.true(operations.length > 40);
  for (const { responses } of operations) t.true(Object.keys(responses).includes('421'));
});

test('every route of the daemon has its row in docs/api.md, and every row its route', async (t) => {
  const daemon = await startTestDaemon(t);
  const { body } = await daemon.get('/api/openapi.json');
  const routesThere = Object.entries<object>(body.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const rows = readFileSync('docs/api.md', 'utf8').matchAll(/^\| `([A-Z]+ \/[^`]*)` \|/gmu);
  t.deepEqual([...rows].map(([, name = '']) => name).toSorted(), routesThere.toSorted());
});

test('answers are checked against the document', (t) => {
  const document = JSON.parse(JSON.stringify(describeApi(routes, info)));
  const check = (method: string, path: string, status: number, body: unknown) => () =>
    validateAnswer(document, method, path, status, body);
  const failure = { message: 'No.', code: 'invalid', request_id: '0' };
  t.notThrows(check('GET', '/api/waypoints?emoji=1', 200, [waypoint]));
  t.notThrows(check('GET', '/api/waypoints', 304, undefined));
  t.notThrows(check('GET', '/api/waypoints', 400, failure));
  t.notThrows(check('GET', '/api/unknown', 404, failure));
  t.notThrows(check('DELETE', '/api/timelines/12', 202, { status: 'cancelling' }));
  t.notThrows(check('DELETE', '/api/timelines/{id}', 204, undefined));
  t.throws(check('GET', '/api/waypoints', 200, [{ ...waypoint, extra: 1 }]));
  t.throws(check('GET', '/api/waypoints', 200, [{ ...waypoint, lat: 91 }]));
  t.throws(check('POST', '/api/bookmarks', 201, { ...waypoint, time: 'yesterday' }));
  t.throws(check('GET', '/api/waypoints', 200, undefined));
  t.throws(check('GET', '/api/waypoints', 304, {}));
  t.throws(check('GET', '/api/waypoints', 201, []));
  t.throws(check('GET', '/api/unknown', 200, {}));
  t.throws(check('GET', '/api/waypoints', 400, { ...failure, path: '/x' }));
  t.throws(check('DELETE', '/api/timelines/12/x', 202, { status: 'cancelling' }));
});
