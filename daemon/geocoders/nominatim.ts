import nodeGeocoder, { type Options, type Query } from 'node-geocoder';
import { foundPlace, readNominatim, type NominatimPlace } from '../../model/geocode.ts';
import { serverUrl, type GetJson, type Lookup } from './lookup.ts';
import { ServerFailed } from './server-failed.ts';

/**
 * Nominatim, through node-geocoder 4.4. What that leaves to be wished for is done here: it keeps the server's address in
 * one place for all its instances, and repeats it in the query; it presents itself as an old browser; it takes no notice
 * of the status, so that an error page is an exception that holds the page, and an empty list with status 500 a success;
 * JSON that is no list is an exception that nobody can catch; and `class` and `type` are lost. Hence it gets its answers
 * from us, checked, and we look into them for what it drops.
 */
export function nominatimLookup(base: string, getJson: GetJson): Lookup {
  return async (text, limit, signal) => {
    let failure: unknown;
    async function answer(url: string): Promise<{ text: () => Promise<string> }> {
      const { osmServer: _, ...parameters } = Object.fromEntries(new URL(url).searchParams);
      try {
        const target = serverUrl(base, '/search', parameters);
        const places = readNominatim(await getJson(target, signal));
        if (places === undefined) throw new ServerFailed('format');
        return { text: () => Promise.resolve(JSON.stringify(places.map(asSent))) };
      } catch (error) {
        failure = error;
        throw error;
      }
    }
    // Sound: of a Response it reads the text only.
    const options = { provider: 'openstreetmap', osmServer: base, fetch: answer } as Options;
    const geocoder = nodeGeocoder(options);
    const query: object = { q: text, limit };
    try {
      // As an object: of a text it refuses what looks like an IP address.
      const found = await geocoder.geocode(query as Query);
      const raw = rawPlaces(found);
      return found.flatMap((entry, i) =>
        foundPlace({
          name: entry.formattedAddress,
          lat: entry.latitude,
          lon: entry.longitude,
          class: raw[i]?.class ?? raw[i]?.category,
          type: raw[i]?.type,
        }),
      );
    } catch (error) {
      // It makes its own error of ours.
      throw failure ?? error;
    }
  };
}

/** As Nominatim sends it: node-geocoder takes the number 0 for no position at all. */
function asSent({ lat, lon, ...place }: NominatimPlace): object {
  return { ...place, lat: String(lat), lon: String(lon) };
}

/** What it was given, in the same order. */
function rawPlaces(found: object): readonly NominatimPlace[] {
  return 'raw' in found ? (readNominatim(found.raw) ?? []) : [];
}
