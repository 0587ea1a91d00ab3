import Router from '@koa/router';
import Koa from 'koa';
import { WaypointError, type FailureName } from '../model/failure.ts';
import type { Log } from '../model/process.ts';
import { knownFields, parseInput } from '../model/schema.ts';
import { sendAnswer } from './answer.ts';
import { contentOf, ignoreBody, readJson } from './body.ts';
import { describeError } from './error-description.ts';
import { Exchange, type Guard, type RequestHead } from './exchange.ts';
import { answerFailure, bearerFailures, type FailureStyle } from './failures.ts';
import type { HttpLimits } from './http-limits.ts';
import { parseQuery } from './query.ts';
import type { Answer, RequestContent, Route, RouteRequest } from './route.ts';

export interface ApplicationOptions {
  readonly routes: readonly Route[];
  /** Asked in this order, before anything else. */
  readonly guards: readonly Guard[];
  /** Where the API lives: `/api/`. Below it unknown paths and methods are 404 and 405. */
  readonly prefix: string;
  /** The answer to whatever else lies outside the prefix. */
  readonly notFound: FailureName;
  readonly log: Log;
  /** Media types of JSON bodies; `application/json` by default. */
  readonly bodyTypes?: readonly string[];
  /** How failures are worded for the clients of this API. */
  readonly failureStyle?: FailureStyle;
}

interface State {
  exchange: Exchange;
  answer?: Answer;
}

/** What @koa/router reads from and leaves in the context. */
interface RouterPath {
  /** The path to match, when set. */
  newRouterPath?: string;
  /** Routes of this path, whatever their method. */
  matched?: readonly { readonly methods: readonly string[] }[];
}

type Context = Koa.ParameterizedContext<State, RouterPath>;

/** Builds the Koa application: errors and guards first, the router last. */
export function createApplication(
  options: ApplicationOptions,
  limits: HttpLimits,
): Koa<State, RouterPath> {
  const { log } = options;
  const app = new Koa<State, RouterPath>();
  // Koa's own error answer and error print would show messages of foreign errors.
  app.context.onerror = (error: unknown) => {
    if (error !== null && error !== undefined) log.debug('http.socket', describeError(error));
  };
  app.on('error', (error: unknown) => log.error('http.koa', describeError(error)));
  app.use((ctx, next) => answerRequest(ctx, next, options, limits));
  app.use(routerOf(options, limits).routes());
  return app;
}

async function answerRequest(
  ctx: Context,
  next: Koa.Next,
  options: ApplicationOptions,
  limits: HttpLimits,
): Promise<void> {
  const { guards, log, failureStyle = bearerFailures } = options;
  const exchange = new Exchange(ctx.req, ctx.res);
  ctx.respond = false;
  ctx.state.exchange = exchange;
  // Koa's own path would unpack absolute-form targets and more; routes match what was really sent.
  ctx.newRouterPath = exchange.path;
  let status: number;
  try {
    for (const guard of guards) guard(exchange);
    // Nothing of the body is read before this.
    await next();
    const answer = ctx.state.answer ?? refuseUnknown(ctx, options);
    status = answer.status;
    await sendAnswer(exchange, answer, limits);
  } catch (error) {
    ({ status } = await answerFailure(exchange, error, { limits, log, style: failureStyle }));
  }
  log.debug('http.request', {
    request_id: exchange.requestId,
    method: exchange.method,
    route: exchange.route,
    status,
    ms: Math.round((performance.now() - exchange.startedAt) * 10) / 10,
  });
}

/** Paths match as a whole, case and trailing slash included. */
function routerOf(
  { routes, bodyTypes = ['application/json'] }: ApplicationOptions,
  limits: HttpLimits,
): Router<State, RouterPath> {
  const router = new Router<State, RouterPath>({ sensitive: true, strict: true });
  for (const route of routes) {
    const known = route.query === undefined ? [] : knownFields(route.query);
    const pattern = route.path.replaceAll(/\{(\w+)\}/g, ':$1');
    const layer = router.register(pattern, [route.method], async (ctx) => {
      const { exchange } = ctx.state;
      exchange.route = route.path;
      ctx.state.answer = await runRoute(route, exchange, ctx.params, {
        known,
        bodyTypes,
        limits,
      });
    });
    // The router adds HEAD to every GET; this API answers it with 405.
    layer.methods = [route.method];
  }
  return router;
}

interface RouteContext {
  /** Names of the query parameters. */
  readonly known: readonly string[];
  readonly bodyTypes: readonly string[];
  readonly limits: HttpLimits;
}

/** Reads and checks all input in the order type, size, JSON, schema, and lets the route answer. */
async function runRoute(
  route: Route,
  exchange: Exchange,
  params: unknown,
  { known, bodyTypes, limits }: RouteContext,
): Promise<Answer> {
  const { body: bodySchema, query: querySchema } = route;
  let body: unknown;
  if (bodySchema !== undefined) body = await readJson(exchange, limits, bodyTypes);
  else if (route.readsContent !== true) await ignoreBody(exchange, limits);
  const query = parseQuery(exchange.search, known);
  return route.handle(
    new CheckedRequest(
      exchange,
      querySchema === undefined ? undefined : parseInput(querySchema, query),
      bodySchema === undefined ? undefined : parseInput(bodySchema, body),
      parseParams(route, params),
      limits,
    ),
  );
}

/** A class, because an object literal with a getter costs more per request than routing does. */
class CheckedRequest implements RouteRequest<unknown, unknown, unknown> {
  readonly query: unknown;
  readonly body: unknown;
  readonly params: unknown;
  readonly ifNoneMatch: string | undefined;
  readonly #exchange: Exchange;
  readonly #limits: HttpLimits;

  constructor(
    exchange: Exchange,
    query: unknown,
    body: unknown,
    params: unknown,
    limits: HttpLimits,
  ) {
    this.query = query;
    this.body = body;
    this.params = params;
    this.ifNoneMatch = exchange.req.headers['if-none-match'];
    this.#exchange = exchange;
    this.#limits = limits;
  }

  get head(): RequestHead {
    return this.#exchange;
  }

  get content(): RequestContent {
    return contentOf(this.#exchange, this.#limits);
  }

  get signal(): AbortSignal {
    return this.#exchange.signal;
  }
}

/** A path parameter names a thing; one that cannot be a name names nothing. */
function parseParams({ params: schema }: Route, params: unknown): unknown {
  if (schema === undefined) return undefined;
  try {
    return parseInput(schema, params);
  } catch (cause) {
    throw new WaypointError('not_found', { cause });
  }
}

/** Below the prefix a known path with another method is 405; whatever is outside it gets the one sentence for that. */
function refuseUnknown(ctx: Context, { prefix, notFound }: ApplicationOptions): never {
  const { exchange } = ctx.state;
  if (!exchange.path.startsWith(prefix)) throw new WaypointError(notFound);
  const methods = ctx.matched?.flatMap((layer) => layer.methods) ?? [];
  if (methods.length === 0) throw new WaypointError('not_found');
  exchange.allow = methods.join(', ');
  throw new WaypointError('method_not_allowed');
}
