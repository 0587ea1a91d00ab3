import { route, type Route } from '../../http/route.ts';
import {
  bookmarkChangeSchema,
  deletedBookmarkSchema,
  emojiQuery,
  newBookmarkSchema,
  placeQuery,
  renamedSchema,
  waypointSchema,
} from '../../model/waypoint.ts';
import type { Waypoints } from '../waypoints.ts';
import { shownTags } from './tags.ts';

/** `/api/bookmarks`: the user's own waypoints. */
export function bookmarkRoutes(waypoints: Waypoints): Route[] {
  return [
    route({
      method: 'POST',
      path: '/api/bookmarks',
      summary: 'Creates a bookmark.',
      query: emojiQuery,
      body: newBookmarkSchema,
      answers: { 201: waypointSchema },
      handle({ query, body }) {
        const { bookmark, tags } = waypoints.add(body);
        const { id: _id, ...fields } = bookmark;
        const shown = tags.length === 0 ? {} : { tags: shownTags(tags, query.emoji) };
        return { status: 201, json: { ...fields, bookmark: true, ...shown } };
      },
    }),
    route({
      method: 'PATCH',
      path: '/api/bookmarks',
      summary: 'Renames, moves or edits a bookmark; its tags stay with it.',
      body: bookmarkChangeSchema,
      answers: { 200: renamedSchema },
      handle({ body }) {
        const { before, after } = waypoints.change(body);
        const { lat, lon } = after;
        return {
          status: 200,
          json: { renamed: true, oldName: before.name, newName: after.name, lat, lon },
        };
      },
    }),
    route({
      method: 'DELETE',
      path: '/api/bookmarks',
      summary: 'Deletes a bookmark with its tags.',
      query: placeQuery,
      answers: { 200: deletedBookmarkSchema },
      handle({ query }) {
        const { name, lat, lon } = waypoints.remove(query);
        return { status: 200, json: { deleted: true, name, lat, lon } };
      },
    }),
  ];
}
