import { route, type Answer, type Route } from '../../http/route.ts';
import { WaypointError } from '../../model/failure.ts';
import { placeOf } from '../../model/identity.ts';
import type { Tag } from '../../model/tag.ts';
import {
  deleteTagQuery,
  emojiQuery,
  newTagsSchema,
  renamedTagSchema,
  tagChangeSchema,
  tagsAnswerSchema,
  tagsQuery,
  type TagsQuery,
  waypointTagsSchema,
} from '../../model/waypoint.ts';
import type { ReadSnapshot } from '../../storage/reader-pool.ts';
import type { TaggedPlace } from '../../storage/store.ts';
import { vocabularyPieces } from '../../storage/waypoints/vocabulary.ts';
import { changed } from './changed.ts';
import type { DaemonParts } from '../parts.ts';

/** A vocabulary stays in memory until it is sent: few are longer than sockets accept at once. */
const moreReaders = 2;

/** Tags as an answer shows them: Tag objects when enriched, else raw strings. */
export function shownTags(tags: readonly Tag[], isEnriched: boolean | undefined): (Tag | string)[] {
  return isEnriched === true ? [...tags] : tags.map(({ raw }) => raw);
}

/** `/api/tags`: the tags of one waypoint and the vocabulary of all. */
export function tagRoutes(parts: DaemonParts): Route[] {
  return [...readingRoutes(parts), ...changingRoutes(parts)];
}

function readingRoutes({ store, readers, library }: DaemonParts): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/tags',
      summary: 'Lists the tags of one waypoint, or with distinct=true all tags in use.',
      query: tagsQuery,
      answers: { 200: tagsAnswerSchema },
      async handle({ query }): Promise<Answer> {
        if (query.distinct === true) return vocabulary(readers.acquire(moreReaders), query);
        if (query.name === undefined) throw new WaypointError('invalid', { field: 'name' });
        if (query.lat === undefined) throw new WaypointError('invalid', { field: 'lat' });
        if (query.lon === undefined) throw new WaypointError('invalid', { field: 'lon' });
        const { name, lat, lon } = query;
        await library.ready;
        return { status: 200, json: taggedJson(store.tagsOf({ name, lat, lon }), query.emoji) };
      },
    }),
  ];
}

function changingRoutes({ store, library }: DaemonParts): Route[] {
  return [
    route({
      method: 'POST',
      path: '/api/tags',
      summary: 'Adds tags to a bookmark or an imported waypoint.',
      query: emojiQuery,
      body: newTagsSchema,
      answers: { 200: waypointTagsSchema, 201: waypointTagsSchema },
      async handle({ query, body }) {
        await library.ready;
        const raws = [...(body.tags ?? []), ...(body.tag === undefined ? [] : [body.tag])];
        const { result, change } = store.addTags(body, raws);
        const status = change === undefined ? 200 : 201;
        return changed(taggedJson(result, query.emoji), change, status);
      },
    }),
    route({
      method: 'PATCH',
      path: '/api/tags',
      summary: 'Renames a tag of all waypoints, as one change.',
      body: tagChangeSchema,
      answers: { 200: renamedTagSchema },
      async handle({ body }) {
        const { result, change } = store.renameTag(body.tag, body.newTag);
        return changed({ renamed: change !== undefined, waypoints: result }, change);
      },
    }),
    route({
      method: 'DELETE',
      path: '/api/tags',
      summary: 'Removes a tag from a waypoint; an absent one is no failure.',
      query: deleteTagQuery,
      answers: { 200: waypointTagsSchema },
      async handle({ query }) {
        await library.ready;
        const { result, change } = store.removeTag(query, query.tag);
        return changed(taggedJson(result, query.emoji), change);
      },
    }),
  ];
}

function taggedJson({ place, tags }: TaggedPlace, isEnriched: boolean | undefined): unknown {
  return { ...placeOf(place), tags: shownTags(tags, isEnriched) };
}

function vocabulary(snapshot: ReadSnapshot, { counts, emoji }: TagsQuery): Answer {
  const shown = (tags: readonly Tag[]): unknown[] =>
    shownTags(counts === true ? tags : tags.map(({ count: _count, ...tag }) => tag), emoji);
  return {
    status: 200,
    pieces: vocabularyPieces(snapshot.db, shown),
    close: () => snapshot.release(),
  };
}
