import type { Suggestion } from '../../model/search.ts';
import type { Geocoder } from './geocoder.ts';

/**
 * Asks one geocoder after the other for places, until there are enough.
 * @param limit 0… @returns at most `limit`, each once, those of the first geocoder first
 */
export async function findPlaces(
  geocoders: readonly Geocoder[],
  text: string,
  limit: number,
): Promise<Suggestion[]> {
  const found: Suggestion[] = [];
  for (const geocoder of geocoders) {
    if (found.length >= limit) break;
    const { places } = await geocoder.find(text, limit);
    found.push(...places.filter((place) => !found.some((known) => isSamePlace(known, place))));
  }
  return found.slice(0, limit);
}

function isSamePlace(a: Suggestion, b: Suggestion): boolean {
  return a.name === b.name && a.lat === b.lat && a.lon === b.lon;
}
