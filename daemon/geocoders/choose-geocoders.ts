import { readPhoton } from '../../model/geocode.ts';
import { parseJson } from '../../model/parse-json.ts';
import type { Clock, Log } from '../../model/process.ts';
import type { Settings } from '../../model/settings.ts';
import { GeocodeCache } from '../../storage/geocode-cache.ts';
import { scheduleTimeout } from '../schedule.ts';
import type { Geocoder } from './geocoder.ts';
import { programVersion } from '../version-info.ts';
import { checkedFetch, serverUrl, type CheckedFetch, type Lookup } from './checked-fetch.ts';
import { OnlineGeocoder } from './online-geocoder.ts';
import { ServerFailed } from './server-failed.ts';

export interface GeocoderOptions {
  readonly settings: Settings;
  /** `geocode.sqlite` in the cache directory. */
  readonly cachePath: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** Both servers know what OpenStreetMap knows. */
const attribution = '© OpenStreetMap contributors';

/** The geocoders that the settings ask for, in the order in which they are asked. */
export async function chooseGeocoders(
  offline: Geocoder,
  options: GeocoderOptions,
): Promise<Geocoder[]> {
  const { geocoder } = options.settings;
  if (geocoder === 'off') return [];
  return geocoder === 'offline' ? [offline] : [await openServer(options), offline];
}

/** Makes the geocoding server of the settings ready; nothing is asked before a text is typed. */
async function openServer(options: GeocoderOptions): Promise<Geocoder> {
  const { settings, cachePath, clock, log } = options;
  const { geocoder, geocoder_url: base = '', geocoder_contact: contact } = settings;
  const program = `waypointd/${programVersion()}`;
  const userAgent = contact === undefined ? program : `${program} (+${contact})`;
  const fetchText = checkedFetch({ userAgent, now: clock.now });
  const lookupOf =
    geocoder === 'photon' ? photonLookup : (await import('./nominatim.ts')).nominatimLookup;
  return new OnlineGeocoder({
    lookup: lookupOf(base, fetchText),
    answers: new GeocodeCache({ path: cachePath, server: `${geocoder} ${base}`, clock }),
    attribution,
    clock,
    schedule: scheduleTimeout,
    log,
  });
}

/** Photon, which node-geocoder does not know: `GET /api?q=…&limit=…` answers with a GeoJSON feature collection. */
export function photonLookup(base: string, fetchText: CheckedFetch): Lookup {
  return async (text, limit, signal) => {
    const url = serverUrl(base, '/api', { q: text, limit: String(limit) });
    const places = readPhoton(parseJson(await fetchText(url, signal)));
    if (places === undefined) throw new ServerFailed('format');
    return places;
  };
}
