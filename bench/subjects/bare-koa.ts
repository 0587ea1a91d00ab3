/** The yardstick for small requests: a Koa application of one route, with its router and a check of the token. */
import type { RequestListener } from 'node:http';
import Router from '@koa/router';
import Koa from 'koa';

/** Answers `GET /api/version` with JSON where the token is right. */
export function koaListener(authorization: string, answer: unknown): RequestListener {
  const router = new Router();
  router.get('/api/version', (ctx) => {
    ctx.body = answer;
  });
  const app = new Koa();
  app.use(async (ctx, next) => {
    if (ctx.get('Authorization') !== authorization) ctx.throw(401);
    await next();
  });
  app.use(router.routes());
  app.use(router.allowedMethods());
  const handle = app.callback();
  return (request, response) => void handle(request, response);
}
