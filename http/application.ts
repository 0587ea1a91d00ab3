import { randomUUID } from 'node:crypto';
import Koa from 'koa';
import { describeError } from '../model/error-description.ts';
import type { Log } from '../model/process.ts';
import { brokenBy, refuseBroken } from './broken-requests.ts';
import type { Context, Guard, Middleware, RequestState, ContextFields } from './context.ts';
import { answerFailure, bearerFailures, type FailureStyle } from './failures.ts';
import type { HttpLimits } from './http-limits.ts';
import { refuseUnknown, routing, type RoutingOptions, type UnknownOptions } from './routing.ts';
import { setStandardHeaders } from './standard-headers.ts';

export interface ApplicationOptions extends RoutingOptions, UnknownOptions {
  /** Asked in this order, before anything else. */
  readonly guards: readonly Guard[];
  readonly log: Log;
  /** How failures are worded for the clients of this API. */
  readonly failureStyle?: FailureStyle;
}

/** Builds the Koa application that answers every request of a server, also those that Node's parser refused. */
export function createApplication(
  options: ApplicationOptions,
  limits: HttpLimits,
): Koa<RequestState, ContextFields> {
  const { guards, log } = options;
  const app = new Koa<RequestState, ContextFields>();
  Object.defineProperties(app.request, exactTarget);
  app.on('error', (error: unknown, { req: { socket } }: Context) => {
    if (socket.destroyed) {
      log.debug('http.socket', describeError(error));
      return;
    }
    // Koa's own error answer would show the messages of foreign errors.
    log.error('http.unanswered', describeError(error));
    socket.destroy();
  });
  app.context.limits = limits;
  app.use(answering(options));
  app.use((ctx, next) => {
    for (const guard of guards) guard(ctx);
    return next();
  });
  app.use(routing(options).routes());
  app.use(refuseUnknown(options));
  return app;
}

/** Koa's own path and query string would unpack absolute-form targets; routes and guards see what was really sent. */
const exactTarget: PropertyDescriptorMap & ThisType<Koa.Request> = {
  path: {
    get() {
      const { url = '' } = this.req;
      const mark = url.indexOf('?');
      return mark === -1 ? url : url.slice(0, mark);
    },
  },
  querystring: {
    get() {
      const { url = '' } = this.req;
      const mark = url.indexOf('?');
      return mark === -1 ? '' : url.slice(mark + 1);
    },
  },
};

/** Gives each request its id, turns what is thrown into an answer, and logs how it ended. */
function answering({ log, failureStyle: style = bearerFailures }: ApplicationOptions): Middleware {
  return async (ctx, next) => {
    const { state } = ctx;
    const startedAt = performance.now();
    state.requestId = newRequestId();
    state.route = 'none';
    let status: number;
    try {
      setStandardHeaders(ctx);
      refuseBroken(ctx.req);
      await next();
      ({ status } = ctx);
    } catch (error) {
      // What the parser refused goes before what a route thinks of the rest.
      ({ status } = await answerFailure(ctx, brokenBy(ctx.req) ?? error, { log, style }));
    }
    log.debug('http.request', {
      request_id: state.requestId,
      method: ctx.req.method ?? 'none',
      route: state.route,
      status,
      ms: Math.round((performance.now() - startedAt) * 10) / 10,
    });
  };
}

/** The parts of a random UUID that carry no version bits, because Node makes UUIDs in batches. */
function newRequestId(): string {
  const uuid = randomUUID();
  return uuid.slice(0, 8) + uuid.slice(-8);
}
