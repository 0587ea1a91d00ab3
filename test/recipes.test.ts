/**
 * ARCHITECTURE.md's recipe for a route, followed: what is declared once is found wherever it has to show. The recipe for a
 * command is followed in cli-reference.test.ts.
 */
import test from 'ava';
import { z } from 'zod';
import { openApiRoute } from '../daemon/routes/openapi.ts';
import { route } from '../http/route.ts';
import { queryInteger, text } from '../model/schema.ts';
import { startHttpServer } from './helpers/http-server.ts';
import { validateAnswer } from './helpers/openapi.ts';
import { rawRequest } from './helpers/raw-http.ts';

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
  t.deepEqual(
    described.parameters.map(({ name }: { name: string }) => name),
    ['planet', 'brightness'],
  );

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
