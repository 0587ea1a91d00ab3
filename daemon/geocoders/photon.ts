import { readPhoton } from '../../model/geocode.ts';
import { parseJson } from '../../model/parse-json.ts';
import { serverUrl, type CheckedFetch, type Lookup } from './checked-fetch.ts';
import { ServerFailed } from './server-failed.ts';

/** Photon, which node-geocoder does not know: `GET /api?q=…&limit=…` answers with a GeoJSON feature collection. */
export function photonLookup(base: string, fetchText: CheckedFetch): Lookup {
  return async (text, limit, signal) => {
    const url = serverUrl(base, '/api', { q: text, limit: String(limit) });
    const places = readPhoton(parseJson(await fetchText(url, signal)));
    if (places === undefined) throw new ServerFailed('format');
    return places;
  };
}
