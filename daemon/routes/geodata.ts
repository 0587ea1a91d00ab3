import { route, type Route } from '../../http/route.ts';
import {
  geodataStatusSchema,
  installAnswerSchema,
  installCancelSchema,
  installRequestSchema,
} from '../../model/geodata.ts';
import type { DaemonParts } from '../parts.ts';

/** `/api/geodata`: which generation of geodata is in use, and installing another one. */
export function geodataRoutes({ geodata }: DaemonParts): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/geodata',
      summary: 'Tells which geodata is in use and how far an install is.',
      answers: { 200: geodataStatusSchema },
      handle: async () => ({ status: 200, json: await geodata.status() }),
    }),
    route({
      method: 'POST',
      path: '/api/geodata/install',
      summary: 'Begins to install a generation of the list that the status shows.',
      body: installRequestSchema,
      answers: { 200: installAnswerSchema, 202: installAnswerSchema },
      async handle({ body }) {
        const status = await geodata.installer.install(body.generation_id);
        return { status: status === 'installed' ? 200 : 202, json: { status } };
      },
    }),
    route({
      method: 'DELETE',
      path: '/api/geodata/install',
      summary: 'Cancels the install, unless it is about to be finished.',
      answers: { 202: installCancelSchema },
      handle() {
        geodata.installer.cancel();
        return { status: 202, json: { status: 'cancelling' } };
      },
    }),
  ];
}
