import { route, type Route } from '../../http/route.ts';
import { WaypointError } from '../../model/failure.ts';
import { limits } from '../../model/limits.ts';
import {
  suggestQuery,
  suggestSchema,
  type SuggestAnswer,
  type Suggestion,
} from '../../model/search.ts';
import { readPosition } from '../../model/position.ts';
import { normalTag } from '../../model/tag.ts';
import type { WaypointStore } from '../../storage/store.ts';
import { findPlaces } from '../geocoders/find-places.ts';
import { suggestNames } from '../../search/suggest.ts';
import { parseTagQuery, withoutBegunOperator, type TagQuery } from '../../search/tag-query.ts';
import type { DaemonParts } from '../parts.ts';

/** `GET /api/suggest`: waypoints by name or tag, and places of the world by name. */
export function suggestRoutes(parts: DaemonParts): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/suggest',
      summary:
        'Suggests waypoints whose name contains the text or that have a tag, and places of the world.',
      query: suggestQuery,
      answers: { 200: suggestSchema },
      async handle({ query }) {
        const text = query.q ?? query.query ?? '';
        const tagQuery = parseTagQuery(text);
        if (tagQuery !== undefined) await parts.library.ready;
        const found =
          tagQuery === undefined
            ? await suggestText(parts, text)
            : { suggestions: suggestTyped(parts.store, text, tagQuery) };
        return { status: 200, json: { query: text, ...found } };
      },
    }),
  ];
}

/** Leaves out an operator that is being typed, unless there is a tag that ends with it. */
function suggestTyped(store: WaypointStore, text: string, query: TagQuery): Suggestion[] {
  const last = suggestTags(store, { kind: 'single', tags: query.tags.slice(-1) });
  const complete = last.length > 0 ? query : parseTagQuery(withoutBegunOperator(text));
  return suggestTags(store, complete ?? query);
}

/** @throws WaypointError invalid, for AND mixed with OR. */
function suggestTags(store: WaypointStore, { kind, tags }: TagQuery): Suggestion[] {
  if (kind === 'mixed') throw new WaypointError('invalid', { field: 'q' });
  const normals = [...new Set(tags.map(normalTag))];
  if (normals.length === 0) return [];
  const found = store.findTagged(kind, normals, limits.suggestLocal);
  return found.map((place) => ({ ...place, class: 'tag', type: kind }));
}

/** Local waypoints first, then places of the world. */
async function suggestText(
  parts: DaemonParts,
  text: string,
): Promise<Omit<SuggestAnswer, 'query'>> {
  if (text === '') return { suggestions: [] };
  await parts.library.indexReady;
  const local = [...positionOf(text), ...suggestLocal(parts, text)];
  const room = limits.suggestTotal - local.length;
  const { places, attributions, isPending } = await findPlaces(
    parts.geocoders,
    text,
    room,
    local.length === 0,
  );
  return {
    suggestions: [...local, ...places],
    ...(attributions.length > 0 && { attributions }),
    ...(isPending && { pending: true }),
  };
}

/** A text that is a position. */
function positionOf(text: string): Suggestion[] {
  const position = readPosition(text);
  if (position === undefined) return [];
  return [
    { name: text.trim(), ...position, source: 'geocode', class: 'position', type: 'position' },
  ];
}

/** Names first, then waypoints with a tag of that name, each once. */
function suggestLocal({ store, index }: DaemonParts, text: string): Suggestion[] {
  const named = suggestNames(index.snapshot(), text, limits.suggestLocal);
  const isNamed = (place: Suggestion): boolean =>
    named.some(
      ({ name, lat, lon }) => name === place.name && lat === place.lat && lon === place.lon,
    );
  const tagged = suggestTags(store, { kind: 'single', tags: [text] });
  return [...named, ...tagged.filter((place) => !isNamed(place))].slice(0, limits.suggestLocal);
}
