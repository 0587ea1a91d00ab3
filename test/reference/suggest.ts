import { foldName } from '../../model/fold.ts';
import type { Shown } from './places.ts';

/** The suggestions by the words of the contract: filter, sort, cut. */
export function referenceSuggest(places: readonly Shown[], query: string, limit: number) {
  const wanted = foldName(query.trim());
  if (wanted === '') return [];
  return places
    .map((place) => ({ place, folded: foldName(place.name) }))
    .filter(({ folded }) => wanted.split(/[\s,;]+/u).every((word) => folded.includes(word)))
    .map(({ place, folded }) => ({ place, folded, rank: rankOf(folded, wanted) }))
    .sort(
      (a, b) =>
        a.rank - b.rank ||
        Number(b.place.bookmark) - Number(a.place.bookmark) ||
        Buffer.compare(Buffer.from(a.folded), Buffer.from(b.folded)) ||
        a.place.lat - b.place.lat ||
        a.place.lon - b.place.lon,
    )
    .slice(0, limit)
    .map(({ place: { name, lat, lon, bookmark } }) => ({
      name,
      lat: lat + 0,
      lon: lon + 0,
      source: bookmark ? 'bookmark' : 'waypoint',
    }));
}

function rankOf(folded: string, wanted: string): number {
  if (!folded.includes(wanted)) return 4;
  if (folded === wanted) return 0;
  if (folded.startsWith(wanted)) return 1;
  const points = Array.from(folded);
  const isWord = (point: string | undefined): boolean => /^[\p{L}\p{N}]$/u.test(point ?? '');
  const startsWord = points.some(
    (point, at) =>
      at > 0 &&
      isWord(point) &&
      !isWord(points[at - 1]) &&
      points.slice(at).join('').startsWith(wanted),
  );
  return startsWord ? 2 : 3;
}
