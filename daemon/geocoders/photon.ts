import { readPhoton } from '../../model/geocode.ts';
import { serverUrl, type GetJson, type Lookup } from './lookup.ts';
import { ServerFailed } from './server-failed.ts';

/** Photon: `GET /api?q=…&limit=…` answers with a GeoJSON feature collection. */
export function photonLookup(base: string, getJson: GetJson): Lookup {
  return async (text, limit, signal) => {
    const url = serverUrl(base, '/api', { q: text, limit: String(limit) });
    const places = readPhoton(await getJson(url, signal));
    if (places === undefined) throw new ServerFailed('format');
    return places;
  };
}
