import type { Clock, Log } from '../../model/process.ts';
import type { Settings } from '../../model/settings.ts';
import { GeocodeCache } from '../../storage/geocode-cache.ts';
import { scheduleTimeout } from '../schedule.ts';
import type { Geocoder } from './geocoder.ts';
import { programVersion } from '../version-info.ts';
import { fetchJson } from './fetch-json.ts';
import { KnownAnswers } from './known-answers.ts';
import type { GetJson, Lookup } from './lookup.ts';
import { OnlineGeocoder } from './online-geocoder.ts';

export interface OpenGeocoderOptions {
  readonly settings: Settings;
  /** `geocode.sqlite` in the cache directory. */
  readonly cachePath: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** Both servers know what OpenStreetMap knows. */
const attribution = '© OpenStreetMap contributors';

/** Makes the geocoding server of the settings ready; nothing is asked before somebody types. */
export async function openGeocoder(options: OpenGeocoderOptions): Promise<Geocoder> {
  const { settings, cachePath, clock, log } = options;
  const { geocoder, geocoder_url: base = '', geocoder_contact: contact } = settings;
  const program = `waypointd/${programVersion()}`;
  const userAgent = contact === undefined ? program : `${program} (+${contact})`;
  const getJson: GetJson = (url, signal) => fetchJson(url, { userAgent, signal, now: clock.now });
  const cache = new GeocodeCache({ path: cachePath, clock });
  return new OnlineGeocoder({
    lookup: await openLookup(geocoder, base, getJson),
    answers: new KnownAnswers(cache, clock, `${geocoder} ${base}`),
    attribution,
    clock,
    schedule: scheduleTimeout,
    log,
  });
}

async function openLookup(
  geocoder: Settings['geocoder'],
  base: string,
  getJson: GetJson,
): Promise<Lookup> {
  if (geocoder === 'photon') {
    const { photonLookup } = await import('./photon.ts');
    return photonLookup(base, getJson);
  }
  const { nominatimLookup } = await import('./nominatim.ts');
  return nominatimLookup(base, getJson);
}
