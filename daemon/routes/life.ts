import { route, type Route } from '../../http/route.ts';
import {
  placesQuery,
  placesSchema,
  summaryQuery,
  summarySchema,
  type LifePlace,
  type PlacesQuery,
  type SummaryQuery,
} from '../../model/life.ts';
import { longitudeRanges } from '../../model/bbox.ts';
import { limits } from '../../model/limits.ts';
import { bookmarksNear } from '../../model/near-bookmark.ts';
import { formatTime } from '../../model/time.ts';
import { dayOf } from '../../storage/day-blob.ts';
import { summaryOf } from '../../worker/timeline/whole/summary.ts';
import { placeSums, rolesOf, type DaySpan } from '../../worker/timeline/whole/sums.ts';
import type { StayedAt, WholeTimeline } from '../../worker/timeline/whole/whole.ts';
import type { DaemonParts } from '../parts.ts';

/** `/api/places` and `/api/summary`: what all recordings come to. */
export function lifeRoutes({ whole, index, clock }: DaemonParts): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/places',
      summary: 'Lists the places of a period, those with most time first; 429 while they are made.',
      query: placesQuery,
      answers: { 200: placesSchema },
      async handle({ query }) {
        const places = placesOf(await whole.get(), query);
        const bookmarkAt = bookmarksNear(index.snapshot().bookmarks);
        const named = places.map((place): LifePlace => {
          const bookmark = bookmarkAt(place.lat, place.lon);
          return bookmark === undefined ? place : { ...place, bookmark: { name: bookmark.name } };
        });
        return { status: 200, json: { places: named } };
      },
    }),
    route({
      method: 'GET',
      path: '/api/summary',
      summary: 'Sums a period up: ways, countries, nights away; 429 while it is made.',
      query: summaryQuery,
      answers: { 200: summarySchema },
      async handle({ query }) {
        const today = dayOf(clock.now());
        return { status: 200, json: summaryOf(await whole.get(), spanOf(query), today) };
      },
    }),
  ];
}

function spanOf({ from = -Infinity, to = Infinity }: SummaryQuery): DaySpan {
  return { fromDay: from, toDay: to };
}

function placesOf(whole: WholeTimeline, query: PlacesQuery): LifePlace[] {
  const { limit = limits.placesDefault } = query;
  const span = spanOf(query);
  const sums = placeSums(whole, span);
  const { home, work } = rolesOf(whole, span, sums);
  return [...sums.values()]
    .filter(({ place }) => isWithin(whole.places[place]!, query))
    .toSorted((a, b) => b.ms - a.ms)
    .slice(0, limit)
    .map(({ place, visits, ms, nights, firstMs, lastMs }) => {
      const { id, lat, lon, radiusM, names } = whole.places[place]!;
      return {
        id,
        lat,
        lon,
        radius_m: radiusM,
        ...names,
        visits,
        seconds: Math.round(ms / 1_000),
        nights,
        first_utc: formatTime(firstMs),
        last_utc: formatTime(lastMs),
        ...(place === home && { role: 'home' as const }),
        ...(place === work && { role: 'work' as const }),
      };
    });
}

function isWithin({ lat, lon }: StayedAt, { bbox }: PlacesQuery): boolean {
  if (bbox === undefined) return true;
  const [, south, , north] = bbox;
  const isBetween = longitudeRanges(bbox).some(
    (range) => range !== undefined && lon >= range[0] && lon <= range[1],
  );
  return isBetween && lat >= south && lat <= north;
}
