import type { Clock, Log } from '../../model/process.ts';
import type { Settings } from '../../model/settings.ts';
import { GeocodeCache } from '../../storage/geocode-cache.ts';
import { scheduleTimeout } from '../schedule.ts';
import type { Geocoder } from './geocoder.ts';
import { programVersion } from '../version-info.ts';
import { checkedFetch } from './checked-fetch.ts';
import { OnlineGeocoder } from './online-geocoder.ts';

export interface GeocoderOptions {
  readonly settings: Settings;
  /** `geocode.sqlite` in the cache directory. */
  readonly cachePath: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** Both servers know what OpenStreetMap knows. */
const attribution = '© OpenStreetMap contributors';

/** The servers that can be asked, each loaded only where it is. */
const lookups = {
  nominatim: async () => (await import('./nominatim.ts')).nominatimLookup,
  photon: async () => (await import('./photon.ts')).photonLookup,
};

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
  return new OnlineGeocoder({
    lookup: (await lookups[geocoder === 'photon' ? 'photon' : 'nominatim']())(base, fetchText),
    answers: new GeocodeCache({ path: cachePath, server: `${geocoder} ${base}`, clock }),
    attribution,
    clock,
    schedule: scheduleTimeout,
    log,
  });
}
