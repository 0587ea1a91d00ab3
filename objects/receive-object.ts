import { WaypointError } from '../model/failure.ts';
import type { ObjectBody } from '../model/objects.ts';
import type { Permit } from './access.ts';
import { checkUpload, uploadKey } from './announce.ts';
import type { ObjectParts } from './parts.ts';
import type { ReceivedContent } from '../storage/content-store/content-store.ts';
import { pathOf } from '../storage/objects/directory.ts';
import { whenFree } from './when-free.ts';

/** Rechecks free space every 16 MiB: uploads running at once may together need more than was free. */
const recheckBytes = 16_777_216;

/**
 * Stores an object for a repository. Resolves when the bytes, checked, and then the row that names them are on the disk.
 * A failed upload leaves nothing.
 * @throws WaypointError content_mismatch, object_too_large, quota, disk_full; what the source throws.
 */
export async function receiveObject(
  permit: Permit,
  object: ObjectBody,
  source: AsyncIterable<Uint8Array>,
  parts: ObjectParts,
): Promise<void> {
  const { failed, underWay } = parts;
  const { repository, userId } = permit;
  const free = await parts.freeBytes();
  const room = { free, planned: 0, isCounted: permit.held !== undefined };
  checkUpload(permit, object, room, parts);
  const upload = underWay.begin({ repositoryId: repository.id, userId, ...object });
  const key = uploadKey(repository.id, userId, object.oid);
  try {
    const received = await put(permit, object, counted(source), parts);
    upload.settle();
    await keep(received, permit, object, parts);
    failed.delete(key);
  } catch (error) {
    const isWrong = error instanceof WaypointError && error.failure === 'content_mismatch';
    if (isWrong) failed.set(key, (failed.get(key)?.value ?? 0) + 1);
    throw error;
  } finally {
    upload.end();
  }

  async function* counted(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    let unchecked = 0;
    for await (const piece of bytes) {
      unchecked += piece.length;
      if (unchecked > recheckBytes) {
        unchecked = 0;
        const isFull = (await parts.freeBytes()) < parts.config.minFreeBytes;
        if (isFull) throw new WaypointError('disk_full');
      }
      parts.traffic.add(repository.id, 'received', piece.length);
      upload.arrived(piece.length);
      yield piece;
    }
  }
}

async function put(
  { repository, user }: Permit,
  { oid, size }: ObjectBody,
  source: AsyncIterable<Uint8Array>,
  { contents }: ObjectParts,
): Promise<ReceivedContent> {
  return contents.of(pathOf(repository)).put(oid, size, source, user?.id);
}

/** Makes the row of a content that has arrived, or takes it away again. */
async function keep(
  received: ReceivedContent,
  permit: Permit,
  object: ObjectBody,
  parts: ObjectParts,
): Promise<void> {
  const { holdings, journal } = parts;
  try {
    await addRow(permit, object, parts);
  } catch (error) {
    await received.abandon((content) => holdings.isHeld(content));
    throw error;
  }
  await received.settle();
  await journal.sync();
}

/**
 * Makes the row of an object that a client has sent to the bucket, which has compared the bytes with their SHA-256. Wherever this
 * is cut off, the object has its row, or it is asked for again.
 * @throws WaypointError quota, not_found, being_removed
 */
export async function takeArrived(
  permit: Permit,
  object: ObjectBody,
  parts: ObjectParts,
): Promise<void> {
  const { contents, holdings, journal, traffic } = parts;
  const { repository } = permit;
  const { oid, size } = object;
  await addRow(permit, object, parts);
  // A garbage collection may have taken it between the look and the row.
  if ((await contents.of(pathOf(repository)).has(oid)) !== size) {
    await whenFree(() => holdings.remove(repository.id, oid));
    throw new WaypointError('not_found');
  }
  await journal.sync();
  traffic.add(repository.id, 'received', size);
}

/** Checks the quota again: other uploads, or an administrator, may have been faster. @throws WaypointError quota, not_found */
async function addRow(
  { repository }: Permit,
  object: ObjectBody,
  { holdings, clock }: ObjectParts,
): Promise<void> {
  const outcome = await whenFree(() => holdings.addWithinQuota(repository.id, object, clock.now()));
  if (outcome === 'over_quota') throw new WaypointError('quota');
  if (outcome === 'no_repository') throw new WaypointError('not_found');
}
