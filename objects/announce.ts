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
  { holdings, contents }: ObjectParts,
): Promise<boolean> {
  const held = holdings.size(repository.id, oid);
  if (held === undefined) return false;
  if (held !== size) throw new WaypointError('content_mismatch');
  // What was quarantined is asked for again.
  return (await contents.has(oid)) === size;
}

/**
 * Refuses an upload before its bytes: clients send what is refused afterwards again and again.
 * @throws WaypointError object_too_large, quota, disk_full, content_mismatch
 */
export async function checkUpload(
  { repository, user }: Permit,
  { oid, size }: ObjectBody,
  { config, failed, freeBytes }: ObjectParts,
): Promise<void> {
  const largest = repository.max_object_bytes ?? config.maxObjectBytes;
  if (largest > 0 && size > largest) throw new WaypointError('object_too_large');
  checkQuota(repository, size);
  if (failed.isHopeless(user, repository.id, oid)) throw new WaypointError('content_mismatch');
  if ((await freeBytes()) - size < config.minFreeBytes) throw new WaypointError('disk_full');
}

/** @throws WaypointError quota */
export function checkQuota(
  { bytes, quota_bytes: quota }: Permit['repository'],
  size: number,
): void {
  if (quota !== null && bytes + size > quota) throw new WaypointError('quota');
}
