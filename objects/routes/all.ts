import { route, type Route } from '../../http/route.ts';
import { healthSchema } from '../../model/process.ts';
import type { ObjectParts } from '../parts.ts';
import { batchRoutes, noBatchRoutes } from './batch.ts';
import { contentRoutes } from './content.ts';
import { lockRoutes } from './locks.ts';
import { objectRoutes } from './objects.ts';
import { verifyRoutes } from './verify.ts';

const healthRoute = route({
  method: 'GET',
  path: '/healthz',
  summary: 'Tells that the server is running.',
  answers: { 200: healthSchema },
  handle: () => ({ status: 200, json: { status: 'ok' } }),
});

/** Every route of the object server. */
export function objectServerRoutes(parts: ObjectParts): Route[] {
  return [
    healthRoute,
    ...objectRoutes(parts),
    ...(parts.config.hasBatch ? batchRoutes(parts) : noBatchRoutes()),
    ...contentRoutes(parts),
    ...verifyRoutes(parts),
    ...lockRoutes(parts),
  ];
}
