import type { Settings } from '../model/settings.ts';
import { ExitError } from '../model/exit-error.ts';

/**
 * Checks what no setting shows alone. Commands that read and change settings do not call it: of two settings that need
 * each other one has to be set first.
 * @throws ExitError 78
 */
export function checkTogether(settings: Settings): void {
  const missing = missingPartner(settings);
  if (missing !== undefined) throw new ExitError(missing, 78);
}

function missingPartner(settings: Settings): string | undefined {
  const { location_provider: provider, location_command, location_static } = settings;
  if (provider === 'command' && location_command === undefined)
    return needs('location_provider command', 'location_command', 'the program to run');
  if (provider === 'static' && location_static === undefined)
    return needs('location_provider static', 'location_static', 'the position "lat,lon"');
  if (provider === 'geoclue' && process.platform !== 'linux')
    return 'The setting location_provider is geoclue, which is a service of Linux; docs/location.md tells what there is on other systems.';
  const { geocoder, geocoder_url } = settings;
  if ((geocoder === 'nominatim' || geocoder === 'photon') && geocoder_url === undefined)
    return needs(`geocoder ${geocoder}`, 'geocoder_url', 'the address of the server');
  return undefined;
}

function needs(given: string, key: string, what: string): string {
  return `The setting ${given} needs another one, ${key}: ${what}.`;
}
