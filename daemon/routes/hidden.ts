import { route, type Route } from '../../http/route.ts';
import { placeOf } from '../../model/identity.ts';
import { limits } from '../../model/limits.ts';
import {
  deletedBookmarkSchema,
  hiddenQuery,
  hiddenSchema,
  placeQuery,
  shownWaypointSchema,
  type HiddenAnswer,
  type HiddenQuery,
} from '../../model/waypoint.ts';
import type { WaypointStore } from '../../storage/store.ts';
import { changed } from './changed.ts';
import type { DaemonParts } from '../parts.ts';

/** Imported waypoints that the user does not want to see: `DELETE /api/waypoints`, and `/api/hidden` to see them again. */
export function hiddenRoutes({ store, library }: DaemonParts): Route[] {
  return [
    route({
      method: 'DELETE',
      path: '/api/waypoints',
      summary: 'Hides an imported waypoint, also from files that are imported later.',
      query: placeQuery,
      answers: { 200: deletedBookmarkSchema },
      async handle({ query }) {
        await library.ready;
        const { result, change } = store.hide(query);
        return changed({ deleted: true, ...placeOf(result) }, change);
      },
    }),
    route({
      method: 'GET',
      path: '/api/hidden',
      summary: 'Lists the imported waypoints that were hidden, newest first.',
      query: hiddenQuery,
      answers: { 200: hiddenSchema },
      handle: ({ query }) => ({ status: 200, json: hiddenPage(store, query) }),
    }),
    route({
      method: 'DELETE',
      path: '/api/hidden',
      summary: 'Shows a hidden waypoint again, with the tags it had.',
      query: placeQuery,
      answers: { 200: shownWaypointSchema },
      handle({ query }) {
        const { result, change } = store.show(query);
        return changed({ shown: true, ...placeOf(result) }, change);
      },
    }),
  ];
}

function hiddenPage(
  { hidden }: WaypointStore,
  { limit = limits.hiddenDefault, cursor }: HiddenQuery,
): HiddenAnswer {
  const page = hidden.byUser(limit + 1, cursor);
  const shown = page.slice(0, limit);
  const last = page.length > limit ? shown.at(-1) : undefined;
  return {
    hidden: shown.map(({ tags, ...row }) => ({
      ...placeOf(row),
      ...(tags.length > 0 && { tags: [...tags] }),
    })),
    ...(last && { next_cursor: last.id }),
  };
}
