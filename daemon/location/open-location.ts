import type { Clock, Log } from '../../model/process.ts';
import { readPosition } from '../../model/position.ts';
import type { Settings } from '../../model/settings.ts';
import { formatTime } from '../../model/time.ts';
import { scheduleTimeout as schedule } from '../schedule.ts';
import { chosenProvider } from '../settings.ts';
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

export const usualGpsdPort = 2_947;

/** Makes ready what the settings say; nothing is asked or started before a client wants to know. */
export function openLocation({
  settings,
  clock,
  log,
  gpsdPort: port = usualGpsdPort,
}: OpenLocationOptions): Pick<Location, 'latest' | 'close'> {
  const { location_command: command = '', location_static = '' } = settings;
  const provider = chosenProvider(settings);
  const place = provider === 'static' ? readPosition(location_static) : undefined;
  if (place !== undefined) {
    return {
      latest: () => ({ ...place, timestamp: formatTime(clock.now()), source: 'static' }),
      close: () => Promise.resolve(),
    };
  }
  const gpsd = gpsdSource({ port, clock, schedule });
  const sources: Readonly<Record<typeof provider, LocationSource[]>> = {
    command: [commandSource({ command, clock, schedule })],
    geoclue: [geoclueSource],
    gpsd: [gpsd],
    auto: process.platform === 'linux' ? [geoclueSource, gpsd] : [],
    static: [],
    off: [],
  };
  return new Location({ sources: sources[provider], clock, log, schedule });
}
