import { route, type Route } from '../../http/route.ts';
import { limits } from '../../model/limits.ts';
import {
  deletedBookmarkSchema,
  hiddenQuery,
  hiddenSchema,
  placeQuery,
  shownWaypointSchema,
  type HiddenAnswer,
} from '../../model/waypoint.ts';
import type { WaypointStore } from '../../storage/store.ts';
import { changeHeader } from '../changes/change-header.ts';
import type { Waypoints } from '../waypoints.ts';

/** Imported waypoints that the user does not want to see: `DELETE /api/waypoints`, and `/api/hidden` to see them again. */
export function hiddenRoutes(
  waypoints: Waypoints,
  store: WaypointStore,
  libraryReady: () => Promise<void>,
): Route[] {
  return [
    route({
      method: 'DELETE',
      path: '/api/waypoints',
      summary: 'Hides an imported waypoint, also from files that are imported later.',
      query: placeQuery,
      answers: { 200: deletedBookmarkSchema },
      async handle({ query }) {
        await libraryReady();
        const { result, change } = waypoints.hide(query);
        const { name, lat, lon } = result;
        const json = { deleted: true, name, lat, lon };
        return { status: 200, json, headers: changeHeader(change) };
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
        const { result, change } = waypoints.showAgain(query);
        const { name, lat, lon } = result;
        const json = { shown: true, name, lat, lon };
        return { status: 200, json, headers: changeHeader(change) };
      },
    }),
  ];
}

function hiddenPage(
  { hidden }: WaypointStore,
  {
    limit = limits.hiddenDefault,
    cursor,
  }: { limit?: number | undefined; cursor?: number | undefined },
): HiddenAnswer {
  const page = hidden.byUser(limit + 1, cursor);
  const shown = page.slice(0, limit);
  const last = page.length > limit ? shown.at(-1) : undefined;
  return {
    hidden: shown.map(({ name, lat, lon, tags }) => ({
      name,
      lat,
      lon,
      ...(tags.length > 0 && { tags: [...tags] }),
    })),
    ...(last && { next_cursor: last.id }),
  };
}
