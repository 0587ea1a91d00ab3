import { WaypointError } from '../model/failure.ts';
import type { ObjectBody, Operation } from '../model/objects.ts';
import type { Permit } from './access.ts';
import type { ObjectParts } from './parts.ts';
import { directFor } from './links.ts';
import { leftToUser } from './uploads-under-way.ts';
import { uploadUseMs } from './config.ts';
import { whenFree } from './when-free.ts';
import { pathOf } from '../storage/objects/directory.ts';

/**
 * Tells whether a repository holds an object whose bytes are there. That another repository holds it does not count:
 * knowing an oid must never give access to bytes.
 * @throws WaypointError invalid where it holds it with another size.
 */
export async function isHeld(
  { repository }: Permit,
  { oid, size }: ObjectBody,
  { holdings, journal, contents }: ObjectParts,
  operation: Operation = 'upload',
): Promise<boolean> {
  const held = await holdings.size(repository.id, oid);
  if (held === undefined) return false;
  if (held !== size) throw new WaypointError('content_mismatch');
  // A quarantined content has to be sent again.
  const own = contents.of(pathOf(repository));
  // A bucket answers for itself where there is nothing to fetch.
  if (operation === 'download' && own.direct !== undefined) return true;
  const isThere = (await own.has(oid)) === size;
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
  /** Whether the object takes of the quota already; see {@link isCounted}. */
  readonly isCounted: boolean;
}

/** Tells whether a repository's quota has an object already: one that it holds, be its bytes lost. */
export async function isCounted(
  { repository: { id, quota_bytes: quota } }: Permit,
  { oid }: ObjectBody,
  { holdings }: ObjectParts,
): Promise<boolean> {
  return quota === null || (await holdings.size(id, oid)) !== undefined;
}

/** Clients send a refused upload again, up to eight times: after this many, the next announcement is refused instead. */
const mostFailures = 2;

/** Names the upload of an object by one user. */
export function uploadKey(repositoryId: number, userId: number, oid: string): string {
  return `${repositoryId} ${oid} ${userId}`;
}

/**
 * Refuses an upload before its bytes: clients send what is refused afterwards again and again. Looks at everything in one
 * turn, so that no other upload can begin in between.
 * @throws WaypointError object_too_large, quota, disk_full, content_mismatch
 */
export function checkUpload(
  permit: Permit,
  { oid, size }: ObjectBody,
  { free, planned, isCounted: isOld }: Room,
  { config, failed, underWay, log }: ObjectParts,
): void {
  const { repository, userId } = permit;
  const { id: repositoryId, quota_bytes: quota, max_object_bytes: ownLargest } = repository;
  const largest = ownLargest ?? config.maxObjectBytes;
  if (largest > 0 && size > largest) throw new WaypointError('object_too_large');
  if (quota !== null && !isOld) {
    const room = quota - repository.bytes - planned;
    const left = underWay.leftInQuota(room, { repositoryId, userId, oid });
    if (size > left) throw new WaypointError('quota');
  }
  const failures = failed.get(uploadKey(repositoryId, userId, oid))?.value ?? 0;
  if (failures >= mostFailures) throw new WaypointError('content_mismatch');
  if (size > underWay.leftOnDisk(free - config.minFreeBytes - planned, userId)) {
    log.warn('objects.disk_full');
    throw new WaypointError('disk_full');
  }
}

/**
 * As {@link checkUpload}; what goes to a bucket past every server is noted, for all servers to see. The row that says it has
 * arrived looks at the quota again.
 * @throws WaypointError as {@link checkUpload}, being_removed
 */
export async function admitUpload(
  permit: Permit,
  object: ObjectBody,
  room: Room,
  parts: ObjectParts,
): Promise<void> {
  checkUpload(permit, object, room, parts);
  const { repository, userId } = permit;
  if (directFor(repository, object, parts) === undefined) return;
  const announcedMs = parts.clock.now();
  const upload = { ...object, repositoryId: repository.id, userId, announcedMs };
  const isNoted = await whenFree(() =>
    parts.holdings.announce(upload, announcedMs + uploadUseMs, (left, others) => {
      return object.size <= leftToUser(left, userId, others);
    }),
  );
  if (!isNoted) throw new WaypointError('quota');
}
