import type { FailureName } from '../model/failure.ts';
import type { Log } from '../model/process.ts';
import { sendAnswer } from './answer.ts';
import type { HandleRequest } from './connections.ts';
import { endpointOf, type Endpoint } from './endpoint.ts';
import { describeError } from '../model/error-description.ts';
import { Exchange, type Guard } from './exchange.ts';
import { answerFailure, bearerFailures, type FailureStyle } from './failures.ts';
import type { HttpLimits } from './http-limits.ts';
import type { Route } from './route.ts';
import type { FindAnswer } from './router.ts';

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

/**
 * Builds what answers every request. Guards and errors are the same for all; Koa and its router come in where no route has
 * the very path that was asked for. They cost more than most answers do, and 7 MB and 40 ms of every start, so they are
 * loaded when they are first wanted.
 */
export function createApplication(options: ApplicationOptions, limits: HttpLimits): HandleRequest {
  const { routes, bodyTypes = ['application/json'], log } = options;
  const endpoints = routes.map((route) => endpointOf(route, { limits, bodyTypes }));
  const exact = exactEndpoints(endpoints);
  let router: FindAnswer | undefined;
  const loadRouter = async (): Promise<FindAnswer> => {
    const { createRouter } = await import('./router.ts');
    return (router ??= createRouter(endpoints, options));
  };
  const findAnswer: FindAnswer = (exchange) => {
    const endpoint = exact.get(exchange.path)?.get(exchange.method);
    if (endpoint !== undefined) return endpoint.answer(exchange, {});
    return router?.(exchange) ?? loadRouter().then((find) => find(exchange));
  };
  return (req, res) => {
    answerRequest(new Exchange(req, res), findAnswer, options, limits).catch((error: unknown) => {
      log.error('http.unanswered', describeError(error));
      req.socket.destroy();
    });
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

/** Guards first, then the answer, or the one to whatever was thrown. */
async function answerRequest(
  exchange: Exchange,
  findAnswer: FindAnswer,
  { guards, log, failureStyle = bearerFailures }: ApplicationOptions,
  limits: HttpLimits,
): Promise<void> {
  let status: number;
  try {
    for (const guard of guards) guard(exchange);
    // Nothing of the body is read before this.
    const answer = await findAnswer(exchange);
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
