import type { IncomingMessage } from 'node:http';
import Router from '@koa/router';
import Koa from 'koa';
import { WaypointError, type FailureName } from '../model/failure.ts';
import type { Endpoint } from './endpoint.ts';
import type { Exchange } from './exchange.ts';
import type { Answer } from './route.ts';

/** Finds the answer to a request that the guards have let pass. @throws WaypointError */
export type FindAnswer = (exchange: Exchange) => Promise<Answer>;

/** How requests are refused that are for no route; see ApplicationOptions. */
interface Refusals {
  readonly prefix: string;
  readonly notFound: FailureName;
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

interface Search {
  readonly exchange: Exchange;
  readonly found: PromiseWithResolvers<Answer>;
}

/** Builds the Koa application that finds routes by the patterns of their paths, and refuses what none of them matches. */
export function createRouter(endpoints: readonly Endpoint[], refusals: Refusals): FindAnswer {
  const app = new Koa<State, RouterPath>();
  // Koa makes its context of what Node gives, and gives nothing back.
  const searches = new WeakMap<IncomingMessage, Search>();
  // Koa's own error answer and error print would show messages of foreign errors. All that comes here are broken
  // connections, which are logged where all of them are seen.
  app.context.onerror = () => {};
  app.use(async (ctx, next) => {
    ctx.respond = false;
    const search = searches.get(ctx.req);
    if (search === undefined) return;
    const { exchange, found } = search;
    ctx.state.exchange = exchange;
    // Koa's own path would unpack absolute-form targets and more; routes match what was really sent.
    ctx.newRouterPath = exchange.path;
    try {
      await next();
      found.resolve(ctx.state.answer ?? refuseUnknown(ctx, refusals));
    } catch (error) {
      found.reject(error);
    }
  });
  app.use(routerOf(endpoints).routes());
  const handle = app.callback();
  return (exchange) => {
    const found = Promise.withResolvers<Answer>();
    searches.set(exchange.req, { exchange, found });
    void handle(exchange.req, exchange.res);
    return found.promise;
  };
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
function refuseUnknown(ctx: Context, { prefix, notFound }: Refusals): never {
  const { exchange } = ctx.state;
  if (!exchange.path.startsWith(prefix)) throw new WaypointError(notFound);
  const methods = ctx.matched?.flatMap((layer) => layer.methods) ?? [];
  if (methods.length === 0) throw new WaypointError('not_found');
  exchange.allow = methods.join(', ');
  throw new WaypointError('method_not_allowed');
}
