import { route, type Route } from '../../http/route.ts';
import { placeOf } from '../../model/identity.ts';
import { formatTime } from '../../model/time.ts';
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
import { optionalFields } from '../../storage/more-fields.ts';
import { changed } from './changed.ts';
import type { DaemonParts } from '../parts.ts';
import { shownTags } from './tags.ts';

/** `/api/bookmarks`: the user's own waypoints. */
export function bookmarkRoutes({ store, clock, mirror }: DaemonParts): Route[] {
  return [
    route({
      method: 'POST',
      path: '/api/bookmarks',
      summary: 'Creates a bookmark.',
      query: emojiQuery,
      body: newBookmarkSchema,
      answers: { 201: waypointSchema },
      handle({ query, body: { tags: raws = [], ...given } }) {
        const time = given.time ?? formatTime(clock.now());
        const fields = { ...placeOf(given), ...optionalFields({ ...given, time }) };
        const { result, change } = store.addBookmark(fields, raws);
        const { bookmark, tags } = result;
        const { id: _id, ...shown } = bookmark;
        const list = tags.length === 0 ? {} : { tags: shownTags(tags, query.emoji) };
        return changed({ ...shown, bookmark: true, ...list }, change, 201);
      },
    }),
    route({
      method: 'PATCH',
      path: '/api/bookmarks',
      summary: 'Renames, moves or edits a bookmark; its tags stay with it.',
      body: bookmarkChangeSchema,
      answers: { 200: renamedSchema },
      handle({ body }) {
        const { result, change } = store.changeBookmark(body);
        const { before, after } = result;
        const { lat, lon } = after;
        const names = { oldName: before.name, newName: after.name };
        return changed({ renamed: true, ...names, lat, lon }, change);
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
        const { result, change } = store.removeBookmark(query);
        return changed({ deleted: true, ...placeOf(result) }, change);
      },
    }),
  ];
}
