import Router from '@koa/router';
import Koa from 'koa';
import { WaypointError, type FailureName } from '../model/failure.ts';
import type { Log } from '../model/process.ts';
import { sendAnswer } from './answer.ts';
import type { HandleRequest } from './connections.ts';
import { endpointOf, type Endpoint } from './endpoint.ts';
import { describeError } from './error-description.ts';
import { Exchange, pathOf, type Guard } from './exchange.ts';
import { answerFailure, bearerFailures, type FailureStyle } from './failures.ts';
import type { HttpLimits } from './http-limits.ts';
import type { Answer, Route } from './route.ts';

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

/** Answers a request, with what is found once its guards have let it pass. */
type AnswerRequest = (exchange: Exchange, findAnswer: () => Promise<Answer>) => Promise<void>;

/**
 * Builds what answers every request. Guards and errors are the same for all; Koa and its router come in where no route has
 * the very path that was asked for, because they cost more than most answers do.
 */
export function createApplication(options: ApplicationOptions, limits: HttpLimits): HandleRequest {
  const { routes, bodyTypes = ['application/json'], log } = options;
  const endpoints = routes.map((route) => endpointOf(route, { limits, bodyTypes }));
  const exact = exactEndpoints(endpoints);
  const answer: AnswerRequest = (exchange, findAnswer) =>
    answerRequest(exchange, findAnswer, options, limits).catch((error: unknown) => {
      log.error('http.unanswered', describeError(error));
      exchange.req.socket.destroy();
    });
  const handleOther = routerApplication(endpoints, answer, options).callback();
  return (req, res) => {
    const endpoint = exact.get(pathOf(req))?.get(req.method ?? '');
    if (endpoint === undefined) {
      void handleOther(req, res);
    } else {
      const exchange = new Exchange(req, res);
      void answer(exchange, () => endpoint.answer(exchange, {}));
    }
  };
}

/** Routes whose path has no parameters, by path, then method. */
function exactEndpoints(
  endpoints: readonly Endpoint[],
): ReadonlyMap<string, ReadonlyMap<string, Endpoint>> {
  const exact = new Map<string, Map<string, Endpoint>>();
  for (const endpoint of endpoints) {
    const { path, method } = endpoint.route;
    if (path.includes('{')) continue;
    const methods = exact.get(path) ?? new Map<string, Endpoint>();
    exact.set(path, methods.set(method, endpoint));
  }
  return exact;
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

function routerApplication(
  endpoints: readonly Endpoint[],
  answer: AnswerRequest,
  options: ApplicationOptions,
): Koa<State, RouterPath> {
  const app = new Koa<State, RouterPath>();
  // Koa's own error answer and error print would show messages of foreign errors. All that comes here are broken
  // connections, which are logged where all of them are seen.
  app.context.onerror = () => {};
  app.use((ctx, next) => {
    const exchange = new Exchange(ctx.req, ctx.res);
    ctx.respond = false;
    ctx.state.exchange = exchange;
    // Koa's own path would unpack absolute-form targets and more; routes match what was really sent.
    ctx.newRouterPath = exchange.path;
    return answer(exchange, () => routed(ctx, next, options));
  });
  app.use(routerOf(endpoints).routes());
  return app;
}

async function routed(ctx: Context, next: Koa.Next, options: ApplicationOptions): Promise<Answer> {
  await next();
  return ctx.state.answer ?? refuseUnknown(ctx, options);
}

/** Paths match as a whole, case and trailing slash included. */
function routerOf(endpoints: readonly Endpoint[]): Router<State, RouterPath> {
  const router = new Router<State, RouterPath>({ sensitive: true, strict: true });
  for (const { route, answer } of endpoints) {
    const pattern = route.path.replaceAll(/\{(\w+)\}/g, ':$1');
    const layer = router.register(pattern, [route.method], async (ctx) => {
      ctx.state.answer = await answer(ctx.state.exchange, ctx.params);
    });
    // The router adds HEAD to every GET; this API answers it with 405.
    layer.methods = [route.method];
  }
  return router;
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

/** Guards first, then the answer, or the one to whatever was thrown. */
async function answerRequest(
  exchange: Exchange,
  findAnswer: () => Promise<Answer>,
  { guards, log, failureStyle = bearerFailures }: ApplicationOptions,
  limits: HttpLimits,
): Promise<void> {
  let status: number;
  try {
    for (const guard of guards) guard(exchange);
    // Nothing of the body is read before this.
    const answer = await findAnswer();
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
