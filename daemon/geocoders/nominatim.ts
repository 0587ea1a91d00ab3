import nodeGeocoder, { type Options, type Query } from 'node-geocoder';
import { foundPlace, readNominatim } from '../../model/geocode.ts';
import { parseJson } from '../../model/parse-json.ts';
import { serverUrl, type CheckedFetch, type Lookup } from './checked-fetch.ts';
import { ServerFailed } from './server-failed.ts';

/**
 * Nominatim, asked by node-geocoder 4.4 with its `osmServer` and `fetch` options. What that leaves to be wished for is
 * mended here. In its request: it keeps the server's address in one place for all its instances, and repeats it in the
 * query. In the answer: a status, a page or an endless body means nothing to it, which is why `fetch` is checked; what is
 * no list, and a null in one, is an exception that cannot be caught. In its result: `class` and `type` are lost.
 */
export function nominatimLookup(base: string, fetchText: CheckedFetch): Lookup {
  return async (text, limit, signal) => {
    let failure: unknown;
    async function checked(url: string): Promise<{ text: () => Promise<string> }> {
      const { osmServer: _, ...query } = Object.fromEntries(new URL(url).searchParams);
      try {
        const places = placesIn(await fetchText(serverUrl(base, '/search', query), signal));
        return { text: () => Promise.resolve(places) };
      } catch (error) {
        failure = error;
        throw error;
      }
    }
    // Sound: of a Response it reads the text only.
    const options = { provider: 'openstreetmap', osmServer: base, fetch: checked } as Options;
    // As an object: of a text it refuses what looks like an IP address.
    const query: object = { q: text, limit };
    try {
      return mended(await nodeGeocoder(options).geocode(query as Query));
    } catch (error) {
      // It makes its own error of ours.
      throw failure ?? error;
    }
  };
}

/** The usable places of an answer, as it sends them: node-geocoder takes the number 0 for no position at all. */
function placesIn(answer: string): string {
  const places = readNominatim(parseJson(answer));
  if (places === undefined) throw new ServerFailed('format');
  return JSON.stringify(
    places.map(({ lat, lon, ...place }) => ({ ...place, lat: String(lat), lon: String(lon) })),
  );
}

/** Places that node-geocoder has found, with class and type, which only its raw answer has. */
function mended(found: readonly nodeGeocoder.Entry[]) {
  const raw = ('raw' in found && readNominatim(found.raw)) || [];
  return found.flatMap(({ formattedAddress: name, latitude: lat, longitude: lon }, i) =>
    foundPlace({ name, lat, lon, class: raw[i]?.class ?? raw[i]?.category, type: raw[i]?.type }),
  );
}
