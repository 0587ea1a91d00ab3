import { WaypointError } from '../model/failure.ts';
import type { Permit } from './access.ts';
import type { ObjectParts } from './parts.ts';

/**
 * Refuses a download that the repository's limit of the day has no room for.
 * @throws WaypointError bandwidth
 */
export async function refuseOverBandwidth(
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
  permit: Permit,
  bytes: number,
  parts: ObjectParts,
): Promise<void> {
  const { id } = permit.repository;
  parts.traffic.add(id, 'sent', bytes);
  try {
    await refuseOverBandwidth(permit, 0, parts);
  } catch (error) {
    parts.traffic.add(id, 'sent', -bytes);
    throw error;
  }
}
