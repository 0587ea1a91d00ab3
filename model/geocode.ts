import * as z from 'zod';
import { limits } from './limits.ts';
import { lat, lon } from './schema.ts';
import { suggestionSchema, type Suggestion } from './search.ts';
import { blankControlCharacters, normalizeText } from './text.ts';

/** A number that may come as text, as Nominatim sends positions. */
const degrees = z.union([z.number(), z.string().min(1).transform(Number)]);
const word = z.string().optional().catch(undefined);
/** Longer than any class or type of OpenStreetMap. */
const maxWord = 64;

/** Places that another server has found; those that are not usable are left out. */
const foundSchema = z.array(z.unknown());

/** Category: Nominatim's json says `class`, jsonv2 `category`. */
const nominatimPlace = z.object({
  lat: degrees.pipe(lat),
  lon: degrees.pipe(lon),
  display_name: z.string(),
  class: word,
  category: word,
  type: word,
});
export type NominatimPlace = z.output<typeof nominatimPlace>;

/** Reads an answer of Nominatim's search; undefined when it is something else. */
export function readNominatim(answer: unknown): NominatimPlace[] | undefined {
  return usable(nominatimPlace, answer);
}

const photonFeature = z.object({
  geometry: z.object({ coordinates: z.tuple([lon, lat], z.number()) }),
  properties: z.object({
    name: word,
    street: word,
    housenumber: word,
    city: word,
    state: word,
    country: word,
    osm_key: word,
    osm_value: word,
  }),
});

/** Reads an answer of Photon, a GeoJSON feature collection; undefined when it is something else. */
export function readPhoton(answer: unknown): Suggestion[] | undefined {
  const collection = z.object({ features: foundSchema }).safeParse(answer);
  if (!collection.success) return undefined;
  return usable(photonFeature, collection.data.features)?.flatMap(({ geometry, properties }) => {
    const { name, street, housenumber, city, state, country, osm_key, osm_value } = properties;
    const house = [street, housenumber].filter(isWord).join(' ');
    const parts = [name, house, city, state, country].filter(isWord);
    return foundPlace({
      name: [...new Set(parts)].join(', '),
      lat: geometry.coordinates[1],
      lon: geometry.coordinates[0],
      class: osm_key,
      type: osm_value,
    });
  });
}

function isWord(text: string | undefined): text is string {
  return text !== undefined && text.trim() !== '';
}

function usable<T>(schema: z.ZodType<T>, answer: unknown): T[] | undefined {
  const list = foundSchema.safeParse(answer);
  if (!list.success) return undefined;
  return list.data.flatMap((item) => {
    const result = schema.safeParse(item);
    return result.success ? [result.data] : [];
  });
}

interface Found {
  readonly name: string | undefined;
  readonly lat: number | undefined;
  readonly lon: number | undefined;
  readonly class: string | undefined;
  readonly type: string | undefined;
}

/** Makes a suggestion of what another server has found: none without a name or a position. */
export function foundPlace({ name = '', lat, lon, ...kind }: Found): Suggestion[] {
  const result = suggestionSchema.safeParse({
    name: clean(name, limits.nameCodePoints),
    lat,
    lon,
    source: 'geocode',
    class: clean(kind.class ?? '', maxWord),
    type: clean(kind.type ?? '', maxWord),
  });
  return result.success && result.data.name !== '' ? [result.data] : [];
}

function clean(text: string, maxCodePoints: number): string {
  // Cut first: the text is of any length.
  const short = Array.from(text.slice(0, 2 * maxCodePoints))
    .slice(0, maxCodePoints)
    .join('');
  return normalizeText(blankControlCharacters(short));
}

/** Reads places that were kept as JSON; undefined when they are damaged. */
export function readKeptPlaces(text: string): Suggestion[] | undefined {
  try {
    return z.array(suggestionSchema).parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
