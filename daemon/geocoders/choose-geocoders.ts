import type { Geocoder } from './geocoder.ts';
import type { OpenGeocoderOptions } from './open-geocoder.ts';

/** The geocoders that the settings ask for, in the order in which they are asked. */
export async function chooseGeocoders(
  offline: Geocoder,
  options: OpenGeocoderOptions,
): Promise<Geocoder[]> {
  const { geocoder } = options.settings;
  if (geocoder === 'off') return [];
  if (geocoder === 'offline') return [offline];
  // At the start, so that loading it does not hold up somebody who types.
  const { openGeocoder } = await import('./open-geocoder.ts');
  return [await openGeocoder(options), offline];
}
