import { route, type Route } from '../../http/route.ts';
import {
  bookmarkChangeSchema,
  deletedBookmarkSchema,
  emojiQuery,
  mergeDecidedSchema,
  mergeDecisionSchema,
  newBookmarkSchema,
  placeQuery,
  renamedSchema,
  waypointSchema,
} from '../../model/waypoint.ts';
import type { BookmarksMirror } from '../mirror/mirror.ts';
import type { Waypoints } from '../waypoints.ts';
import { changeHeader } from '../changes/change-header.ts';
import { shownTags } from './tags.ts';

/** `/api/bookmarks`: the user's own waypoints. */
export function bookmarkRoutes(
  waypoints: Waypoints,
  mirror: Pick<BookmarksMirror, 'decide'>,
): Route[] {
  return [
    route({
      method: 'POST',
      path: '/api/bookmarks',
      summary: 'Creates a bookmark.',
      query: emojiQuery,
      body: newBookmarkSchema,
      answers: { 201: waypointSchema },
      handle({ query, body }) {
        const { result, change } = waypoints.add(body);
        const { bookmark, tags } = result;
        const { id: _id, ...fields } = bookmark;
        const shown = tags.length === 0 ? {} : { tags: shownTags(tags, query.emoji) };
        const json = { ...fields, bookmark: true, ...shown };
        return { status: 201, json, headers: changeHeader(change) };
      },
    }),
    route({
      method: 'PATCH',
      path: '/api/bookmarks',
      summary: 'Renames, moves or edits a bookmark; its tags stay with it.',
      body: bookmarkChangeSchema,
      answers: { 200: renamedSchema },
      handle({ body }) {
        const { result, change } = waypoints.change(body);
        const { before, after } = result;
        const { lat, lon } = after;
        const json = { renamed: true, oldName: before.name, newName: after.name, lat, lon };
        return { status: 200, json, headers: changeHeader(change) };
      },
    }),
    route({
      method: 'POST',
      path: '/api/bookmarks/merge',
      summary: 'Decides about a bookmarks file that would delete many bookmarks at once.',
      body: mergeDecisionSchema,
      answers: { 200: mergeDecidedSchema },
      async handle({ body }) {
        return { status: 200, json: { decided: await mirror.decide(body.accept) } };
      },
    }),
    route({
      method: 'DELETE',
      path: '/api/bookmarks',
      summary: 'Deletes a bookmark with its tags.',
      query: placeQuery,
      answers: { 200: deletedBookmarkSchema },
      handle({ query }) {
        const { result, change } = waypoints.remove(query);
        const { name, lat, lon } = result;
        const json = { deleted: true, name, lat, lon };
        return { status: 200, json, headers: changeHeader(change) };
      },
    }),
  ];
}
