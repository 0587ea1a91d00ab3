import { WaypointError } from '../model/failure.ts';
import type { Permit } from './access.ts';
import type { ObjectParts } from './parts.ts';

/**
 * Refuses a download that the repository's limit of the day has no room for.
 * @throws WaypointError bandwidth
 */
export function refuseOverBandwidth(
  { repository }: Permit,
  bytes: number,
  { config, traffic }: ObjectParts,
): void {
  const limit = config.bandwidthPerDay;
  if (limit > 0 && traffic.sentToday(repository.id) + bytes > limit) {
    throw new WaypointError('bandwidth');
  }
}
