import type { Clock, LocationFix, Log } from '../../model/process.ts';
import { readPosition } from '../../model/position.ts';
import type { Settings } from '../../model/settings.ts';
import { formatTime } from '../../model/time.ts';
import { scheduleTimeout } from '../schedule.ts';
import { commandSource } from './command.ts';
import { geoclueSource } from './geoclue.ts';
import { gpsdSource } from './gpsd.ts';
import { Location } from './location.ts';
import type { LocationSource } from './location-source.ts';

export interface OpenLocationOptions {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly log: Log;
  /** Where gpsd listens; its usual port by default. */
  readonly gpsdPort?: number | undefined;
}

/** Where the machine is, as others see it; a fixed place has no sources. */
export interface LocationReader {
  readonly latest: () => LocationFix | undefined;
  readonly close: () => Promise<void>;
}

const usualGpsdPort = 2_947;

/** Makes ready what the settings say; nothing is asked or started before somebody wants to know. */
export function openLocation(options: OpenLocationOptions): LocationReader {
  const { settings, clock, log } = options;
  const place = fixedPlace(settings);
  if (place !== undefined) {
    return {
      latest: () => ({ ...place, timestamp: formatTime(clock.now()), source: 'static' }),
      close: () => Promise.resolve(),
    };
  }
  return new Location({ sources: sourcesOf(options), clock, log, schedule: scheduleTimeout });
}

function fixedPlace({ location_provider, location_command, location_static = '' }: Settings) {
  const isAsked =
    location_provider === 'static' ||
    (location_provider === 'auto' && location_command === undefined);
  return isAsked ? readPosition(location_static) : undefined;
}

function sourcesOf({ settings, clock, gpsdPort }: OpenLocationOptions): LocationSource[] {
  const { location_provider, location_command: command = '' } = settings;
  const byCommand = () => commandSource({ command, clock, schedule: scheduleTimeout });
  const gpsd = () =>
    gpsdSource({ port: gpsdPort ?? usualGpsdPort, clock, schedule: scheduleTimeout });
  switch (location_provider) {
    case 'command':
      return [byCommand()];
    case 'geoclue':
      return [geoclueSource];
    case 'gpsd':
      return [gpsd()];
    case 'auto':
      if (command !== '') return [byCommand()];
      return process.platform === 'linux' ? [geoclueSource, gpsd()] : [];
    case 'static':
    case 'off':
      return [];
  }
}
