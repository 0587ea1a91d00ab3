import { WaypointError } from '../model/failure.ts';
import type { Permit } from './access.ts';
import type { ObjectParts } from './parts.ts';

/**
 * Refuses a download that the repository's limit of the day has no room for.
 * @throws WaypointError bandwidth
 */
async function refuseOverBandwidth(
  { repository }: Permit,
  bytes: number,
  { config, traffic }: ObjectParts,
): Promise<void> {
  const limit = config.bandwidthPerDay;
  if (limit > 0 && (await traffic.sentToday(repository.id)) + bytes > limit) {
    throw new WaypointError('bandwidth');
  }
}

/**
 * Counts a download in advance, so that those at the same time cannot exceed the limit together.
 * @throws WaypointError bandwidth, with nothing counted.
 */
export async function reserveBandwidth(
  { repository }: Permit,
  bytes: number,
  { config, traffic }: ObjectParts,
): Promise<void> {
  const limit = config.bandwidthPerDay;
  if (limit === 0) traffic.add(repository.id, 'sent', bytes);
  else if (!(await traffic.reserve(repository.id, bytes, limit))) {
    throw new WaypointError('bandwidth');
  }
}

/**
 * As {@link refuseOverBandwidth} where the bytes will go through this server; those that will not are counted now.
 * @throws WaypointError bandwidth
 */
export async function countLinked(
  permit: Permit,
  bytes: number,
  parts: ObjectParts,
): Promise<void> {
  if (parts.contents.keepsApart) await reserveBandwidth(permit, bytes, parts);
  else await refuseOverBandwidth(permit, bytes, parts);
}
