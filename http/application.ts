import { randomUUID } from 'node:crypto';
import Koa from 'koa';
import { describeError } from '../model/error-description.ts';
import type { FailureName } from '../model/failure.ts';
import type { Log } from '../model/process.ts';
import { brokenBy } from './body.ts';
import { useOriginForm, type Context, type ContextFields } from './context.ts';
import type { Guard, Middleware, RequestState } from './context.ts';
import { answerFailure, bearerFailures, type FailureStyle } from './failures.ts';
import type { HttpLimits } from './http-limits.ts';
import type { Route } from './route.ts';
import { refuseUnknown, routing } from './routing.ts';

export interface ApplicationOptions {
  readonly routes: readonly Route[];
  /** Asked in this order, before anything else. */
  readonly guards: readonly Guard[];
  /** Where the API lives: `/api/`. Below it unknown paths and methods are 404 and 405. */
  readonly prefix: string;
  /** The answer to all else outside the prefix. */
  readonly notFound: FailureName;
  readonly log: Log;
  /** Media types of JSON bodies; `application/json` by default. */
  readonly bodyTypes?: readonly string[];
  /** How failures are worded for the clients of this API. */
  readonly failureStyle?: FailureStyle;
}

/** Builds the Koa application that answers every request of a server, also those that Node's parser refused. */
export function createApplication(
  options: ApplicationOptions,
  limits: HttpLimits,
): Koa<RequestState, ContextFields> {
  const { routes, bodyTypes, guards, prefix, notFound, log } = options;
  const app = new Koa<RequestState, ContextFields>();
  app.context.limits = limits;
  Object.defineProperty(app.request, 'path', exactPath);
  app.on('error', (error: unknown, { req: { socket } }: Context) => {
    if (socket.destroyed) log.debug('http.socket', describeError(error));
    else log.error('http.unanswered', describeError(error));
    // Koa's own error answer would show the messages of foreign errors.
    socket.destroy();
  });
  app.use(answering(guards, log, options.failureStyle ?? bearerFailures));
  app.use(routing(routes, bodyTypes).routes());
  app.use(refuseUnknown(prefix, notFound));
  return app;
}

/** Koa's own path would end at a `#`; routes and guards see what was really sent. */
const exactPath: PropertyDescriptor & ThisType<Koa.Request> = {
  get() {
    const end = this.url.indexOf('?');
    return end === -1 ? this.url : this.url.slice(0, end);
  },
};

/** Gives each request its id, asks the guards, turns what is thrown into an answer, and logs how it ended. */
function answering(guards: readonly Guard[], log: Log, style: FailureStyle): Middleware {
  return async (ctx, next) => {
    const { req, state } = ctx;
    const startedAt = performance.now();
    // Parts of the UUID without version bits and hyphens. Node makes UUIDs in batches.
    const uuid = randomUUID();
    state.requestId = uuid.slice(0, 8) + uuid.slice(-8);
    state.route = 'none';
    let status: number;
    try {
      const refused = brokenBy(ctx);
      if (refused !== undefined) throw refused;
      useOriginForm(ctx);
      for (const guard of guards) guard(ctx);
      await next();
      ({ status } = ctx);
    } catch (error) {
      // A refusal by the parser wins over the error that it caused in the route.
      ({ status } = await answerFailure(ctx, brokenBy(ctx) ?? error, { log, style }));
    }
    log.debug('http.request', {
      request_id: state.requestId,
      method: req.method ?? 'none',
      route: state.route,
      status,
      ms: Math.round((performance.now() - startedAt) * 10) / 10,
    });
  };
}
