import { route, type Route } from '../../http/route.ts';
import { limits } from '../../model/limits.ts';
import {
  deletedHistorySchema,
  deleteHistoryQuery,
  newHistorySchema,
  recentQuery,
  recentSchema,
  storedHistorySchema,
} from '../../model/search.ts';
import type { DaemonParts } from '../parts.ts';

/** `/api/history` and `/api/recent_suggest`: what was searched for. */
export function historyRoutes({ store: { history }, isHistoryKept: isKept }: DaemonParts): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/recent_suggest',
      summary: 'Lists recent searches, each distinct text once, newest first.',
      query: recentQuery,
      answers: { 200: recentSchema },
      handle({ query }) {
        const entries = history.recent(query.limit ?? limits.recentDefault);
        return { status: 200, json: { queries: entries.map((entry) => entry.query), entries } };
      },
    }),
    route({
      method: 'POST',
      path: '/api/history',
      summary: 'Records one search, optionally with its place, or several.',
      body: newHistorySchema,
      answers: { 201: storedHistorySchema },
      handle({ body }) {
        const queries = body.queries ?? (body.query === undefined ? [] : [body.query]);
        const { lat, lon } = body;
        const place = lat === undefined || lon === undefined ? undefined : { lat, lon };
        if (isKept) history.add(queries, place);
        const stored = isKept ? queries.length : 0;
        return { status: 201, json: { stored, multiple: body.queries !== undefined } };
      },
    }),
    route({
      method: 'DELETE',
      path: '/api/history',
      summary: 'Forgets one search, or all.',
      query: deleteHistoryQuery,
      answers: { 200: deletedHistorySchema },
      handle: ({ query }) => ({ status: 200, json: { deleted: history.remove(query.query) } }),
    }),
  ];
}
