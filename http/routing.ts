import Router from '@koa/router';
import { WaypointError, type FailureName } from '../model/failure.ts';
import { knownFields, parseInput } from '../model/schema.ts';
import { sendAnswer } from './answer.ts';
import { readBody, readJson } from './body.ts';
import { hasBody, type Context, type Middleware } from './context.ts';
import type { RequestState, ContextFields } from './context.ts';
import { RouteRequest, type Route } from './route.ts';

/** Finds the route of a request and lets it answer. Paths match as a whole, case and trailing slash included. */
export function routing(
  routes: readonly Route[],
  bodyTypes?: readonly string[],
): Router<RequestState, ContextFields> {
  const router = new Router<RequestState, ContextFields>({
    sensitive: true,
    strict: true,
    // A path without parameters goes before one with them.
    exclusive: 'specificity',
  });
  for (const route of routes) {
    const pattern = route.path.replaceAll(/\{(\w+)\}/g, ':$1');
    const layer = router.register(pattern, [route.method], endpoint(route, bodyTypes));
    // The router adds HEAD to every GET; this API answers it with 405.
    layer.methods = [route.method];
    // Comparing costs a tenth of matching the pattern, and every request asks every route.
    const end = route.path.slice(route.path.lastIndexOf('}') + 1);
    const regexp = layer.regexp as RegExp;
    layer.match =
      pattern === route.path
        ? (path: string) => path === pattern
        : (path: string) => path.endsWith(end) && regexp.test(path);
  }
  return router;
}

/** Below the prefix a known path with another method is 405; all outside it gets the one sentence for that. */
export function refuseUnknown(prefix: string, notFound: FailureName): Middleware {
  return (ctx) => {
    if (!ctx.path.startsWith(prefix)) throw new WaypointError(notFound);
    const allowed = ctx.matched?.flatMap(({ methods }) => methods) ?? [];
    if (allowed.length === 0) throw new WaypointError('not_found');
    throw new WaypointError('method_not_allowed', { headers: { Allow: allowed.join(', ') } });
  };
}

/** Reads and checks all input in the order type, size, JSON, schema, lets the route answer, and sends that. */
function endpoint(
  route: Route,
  bodyTypes: readonly string[] = ['application/json'],
): (ctx: Context) => Promise<void> {
  const { body: bodySchema, query: querySchema } = route;
  const known = querySchema === undefined ? [] : knownFields(querySchema);
  return async (ctx) => {
    ctx.state.route = route.path;
    let body: unknown;
    if (bodySchema !== undefined) body = await readJson(ctx, bodyTypes);
    else if (route.readsContent !== true && hasBody(ctx)) await readBody(ctx);
    const search = parseQuery(ctx.url.slice(ctx.path.length + 1), known);
    const query = querySchema && parseInput(querySchema, search);
    const checked = bodySchema && parseInput(bodySchema, body);
    const request = new RouteRequest(ctx, query, checked, parseParams(route, ctx));
    return sendAnswer(ctx, await route.handle(request));
  };
}

/** Refuses a malformed path parameter with 404, not 400: it names nothing that exists. */
function parseParams({ params: schema }: Route, { params }: Context): unknown {
  if (schema === undefined) return undefined;
  try {
    return parseInput(schema, params);
  } catch (cause) {
    throw new WaypointError('not_found', { cause });
  }
}

/**
 * Reads the known parameters of a query string: `+` is a blank, unknown parameters are not looked at.
 * @throws WaypointError repeated_parameter for a known name given twice; invalid for a malformed percent-encoding.
 */
function parseQuery(search: string, known: readonly string[]): Record<string, string> {
  const query: Record<string, string> = {};
  if (search === '' || known.length === 0) return query;
  for (const part of search.split('&')) {
    const equals = part.indexOf('=');
    const name = decode(equals === -1 ? part : part.slice(0, equals), undefined);
    if (!known.includes(name)) continue;
    if (Object.hasOwn(query, name)) throw new WaypointError('repeated_parameter', { field: name });
    query[name] = equals === -1 ? '' : decode(part.slice(equals + 1), name);
  }
  return query;
}

function decode(text: string, field: string | undefined): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch (cause) {
    throw new WaypointError('invalid', { field, cause });
  }
}
