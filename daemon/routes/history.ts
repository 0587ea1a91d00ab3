import { setImmediate as nextTurn } from 'node:timers/promises';
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
import type { HistoryStore } from '../../storage/waypoints/history.ts';
import type { RouteParts } from './parts.ts';

/** `/api/history` and `/api/recent_suggest`: what was searched for. */
export function historyRoutes({ store: { history }, isHistoryKept: isKept }: RouteParts): Route[] {
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
      async handle({ body }) {
        const queries = body.queries ?? (body.query === undefined ? [] : [body.query]);
        const { lat, lon } = body;
        const place = lat === undefined || lon === undefined ? undefined : { lat, lon };
        if (isKept) await addInSlices(history, queries, place);
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

/** Others have their turn between two slices, and after the checks of a long list, which take as long as four. */
async function addInSlices(
  history: HistoryStore,
  queries: readonly string[],
  place: { lat: number; lon: number } | undefined,
): Promise<void> {
  for (let at = 0; at < queries.length; at += limits.historySlice) {
    if (queries.length > limits.historySlice) await nextTurn();
    history.add(queries.slice(at, at + limits.historySlice), place);
  }
}
