import { WaypointError } from '../model/failure.ts';
import type { ObjectBody } from '../model/objects.ts';
import { pathOf } from '../storage/objects/directory.ts';
import type { Permit } from './access.ts';
import type { ObjectParts } from './parts.ts';
import { whenFree } from './when-free.ts';

/**
 * Makes the row of an object that a client has sent to the bucket, which has compared the bytes with their SHA-256. Wherever this
 * is cut off, it is there with its row, or it is asked for again.
 * @throws WaypointError quota, not_found
 */
export async function takeArrived(
  { repository }: Permit,
  object: ObjectBody,
  { contents, holdings, journal, traffic, clock }: ObjectParts,
): Promise<void> {
  const { oid, size } = object;
  const outcome = await whenFree(() => holdings.addWithinQuota(repository.id, object, clock.now()));
  if (outcome === 'over_quota') throw new WaypointError('quota');
  if (outcome === 'no_repository') throw new WaypointError('not_found');
  // A garbage collection may have taken it between the look and the row.
  if ((await contents.of(pathOf(repository)).has(oid)) !== size) {
    await whenFree(() => holdings.remove(repository.id, oid));
    throw new WaypointError('not_found');
  }
  if (repository.quota_bytes !== null)
    await whenFree(() => holdings.forgetAnnouncement(repository.id, oid));
  await journal.sync();
  traffic.add(repository.id, 'received', size);
}
