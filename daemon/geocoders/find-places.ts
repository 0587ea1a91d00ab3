import { foldName } from '../../model/fold.ts';
import type { Suggestion } from '../../model/search.ts';
import type { Geocoder } from './geocoder.ts';

/** Two places of one name, in degrees: what two geocoders take for the middle of a city differs that much. */
const sameWithin = 0.1;

/**
 * Asks one geocoder after the other for places, until there are enough.
 * @param limit 0… @param mayGuess as Geocoder.find. @returns at most `limit`, each once, those of the first geocoder first
 */
export async function findPlaces(
  geocoders: readonly Geocoder[],
  text: string,
  limit: number,
  mayGuess: boolean,
) {
  const places: Suggestion[] = [];
  const attributions = new Set<string>();
  let isPending = false;
  for (const geocoder of geocoders) {
    const room = limit - places.length;
    if (room <= 0) break;
    const answer = await geocoder.find(text, limit, mayGuess);
    const others = answer.places.filter((place) => !places.some((known) => isSame(known, place)));
    places.push(...others.slice(0, room));
    if (others.length > 0 && answer.attribution !== undefined) attributions.add(answer.attribution);
    isPending ||= answer.isPending === true;
  }
  return {
    places,
    /** Whom to credit for these places. */
    attributions: [...attributions],
    /** Whether the same text may find more in a second or two. */
    isPending,
  };
}

/** Whether two geocoders mean the same; the one says "Bern, Schweiz" and the other "Bern". */
function isSame(a: Suggestion, b: Suggestion): boolean {
  return (
    Math.abs(a.lat - b.lat) < sameWithin &&
    Math.abs(a.lon - b.lon) < sameWithin &&
    firstName(a) === firstName(b)
  );
}

function firstName({ name }: Suggestion): string {
  return foldName(name.split(',', 1)[0] ?? '').trim();
}
