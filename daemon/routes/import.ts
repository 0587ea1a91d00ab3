import { route, type Route } from '../../http/route.ts';
import {
  importCancelSchema,
  importRequestSchema,
  importResultSchema,
  importStatusSchema,
} from '../../model/import.ts';
import { changed } from './changed.ts';
import type { DaemonParts } from '../parts.ts';

/** `/api/import`: recordings of a directory into the library. */
export function importRoutes({ imports }: DaemonParts): Route[] {
  return [
    route({
      method: 'POST',
      path: '/api/import',
      summary: 'Imports the files of a directory; answers when it is done.',
      body: importRequestSchema,
      answers: { 200: importResultSchema },
      async handle({ body }) {
        // The request's signal is not passed on: hanging up does not stop an import.
        const { result, change } = await imports.start(body);
        return changed(result, change);
      },
    }),
    route({
      method: 'GET',
      path: '/api/import',
      summary: 'Tells how far the running import is, and how the last one ended.',
      answers: { 200: importStatusSchema },
      handle: () => ({ status: 200, json: imports.status() }),
    }),
    route({
      method: 'DELETE',
      path: '/api/import',
      summary: 'Stops the running import; what it has finished stays.',
      answers: { 202: importCancelSchema },
      handle() {
        imports.cancel();
        return { status: 202, json: { status: 'cancelling' } };
      },
    }),
  ];
}
