import { route, type Route } from '../../http/route.ts';
import { changeParams, changesQuery, changesSchema, undoneSchema } from '../../model/change.ts';
import { changed } from './changed.ts';
import type { DaemonParts } from '../parts.ts';

/** `/api/changes`: what was done to the user's data, and taking it back. */
export function changeRoutes({ changes }: DaemonParts): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/changes',
      summary: 'Lists the changes of the last 30 days, newest first.',
      query: changesQuery,
      answers: { 200: changesSchema },
      handle: async ({ query }) => ({ status: 200, json: await changes.list(query) }),
    }),
    route({
      method: 'POST',
      path: '/api/changes/{id}/undo',
      summary: 'Takes a change back; that is a change, too, and can be taken back in turn.',
      params: changeParams,
      answers: { 200: undoneSchema },
      async handle({ params }) {
        const undone = await changes.undo(params.id);
        return changed(undone, undone.change);
      },
    }),
  ];
}
