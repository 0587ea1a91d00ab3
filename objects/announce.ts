import { WaypointError } from '../model/failure.ts';
import type { ObjectBody } from '../model/objects.ts';
import type { Permit } from './access.ts';
import type { ObjectParts } from './parts.ts';

/**
 * Tells whether a repository holds an object whose bytes are there. That another repository holds it does not count:
 * knowing an oid must never give access to bytes.
 * @throws WaypointError invalid where it holds it with another size.
 */
export async function isHeld(
  { repository }: Permit,
  { oid, size }: ObjectBody,
  { holdings, journal, contents }: ObjectParts,
): Promise<boolean> {
  const held = holdings.size(repository.id, oid);
  if (held === undefined) return false;
  if (held !== size) throw new WaypointError('content_mismatch');
  // What was quarantined is asked for again.
  const isThere = (await contents.has(oid)) === size;
  // The row may be another upload's of this moment.
  await journal.settled();
  return isThere;
}

/** The room for uploads, as an announcement sees it; bytes. */
export interface Room {
  /** Free on the disk. */
  readonly free: number;
  /** Wanted for other objects of the same announcement. */
  readonly planned: number;
}

/**
 * Refuses an upload before its bytes: clients send what is refused afterwards again and again. Looks at everything in one
 * turn, so that no other upload can begin in between.
 * @throws WaypointError object_too_large, quota, disk_full, content_mismatch
 */
export function checkUpload(
  { repository, user }: Permit,
  { oid, size }: ObjectBody,
  { free, planned }: Room,
  { config, failed, holdings, underWay }: ObjectParts,
): void {
  const { id, quota_bytes: quota, max_object_bytes: ownLargest } = repository;
  const largest = ownLargest ?? config.maxObjectBytes;
  if (largest > 0 && size > largest) throw new WaypointError('object_too_large');
  // What is held already, but lost its bytes, takes no more of the quota.
  if (quota !== null && holdings.size(id, oid) === undefined) {
    const taken = repository.bytes + underWay.reserved(id, oid) + planned;
    if (taken + size > quota) throw new WaypointError('quota');
  }
  if (failed.isHopeless(user?.id ?? 0, id, oid)) throw new WaypointError('content_mismatch');
  if (free - underWay.toArrive - planned - size < config.minFreeBytes) {
    throw new WaypointError('disk_full');
  }
}
