import { route, type Route } from '../../http/route.ts';
import { healthSchema } from '../../model/process.ts';

/** `GET /healthz`: the process turns. Outside `/api/`, without a token and without data. */
export const healthRoute: Route = route({
  method: 'GET',
  path: '/healthz',
  summary: 'Tells that the process is alive; needs no token.',
  answers: { 200: healthSchema },
  handle: () => ({ status: 200, json: { status: 'ok' } }),
});
