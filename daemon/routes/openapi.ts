import { route, type Route } from '../../http/route.ts';
import { describeApi, openApiSchema, type OpenApiDocument } from '../../model/openapi.ts';

/**
 * `GET /api/openapi.json`: describes the given routes and itself.
 * @param version The program's version.
 */
export function openApiRoute(routes: readonly Route[], version: string): Route {
  let document: OpenApiDocument | undefined;
  const self = route({
    method: 'GET',
    path: '/api/openapi.json',
    summary: 'Describes this API as an OpenAPI 3.1 document.',
    answers: { 200: openApiSchema },
    handle: () => {
      // Made on demand: it takes longer than starting the server does, and most never ask.
      document ??= describeApi([...routes, self], {
        title: 'waypointd',
        version,
        privatePrefix: '/api/',
      });
      return { status: 200, json: document };
    },
  });
  return self;
}
