import { WaypointError } from '../model/failure.ts';
import type { ObjectBody } from '../model/objects.ts';
import type { Permit } from './access.ts';
import { checkUpload, isCounted } from './announce.ts';
import type { ObjectParts } from './parts.ts';
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
  const { repository } = permit;
  const userId = permit.user?.id ?? 0;
  const free = await parts.freeBytes();
  const room = { free, planned: 0, isCounted: await isCounted(permit, object, parts) };
  checkUpload(permit, object, room, parts);
  const upload = underWay.begin({ repositoryId: repository.id, userId, ...object });
  try {
    await store(permit, object, counted(source), parts);
    failed.forget(userId, repository.id, object.oid);
  } catch (error) {
    const isWrong = error instanceof WaypointError && error.failure === 'content_mismatch';
    if (isWrong) failed.note(userId, repository.id, object.oid);
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

async function store(
  { repository, user }: Permit,
  object: ObjectBody,
  source: AsyncIterable<Uint8Array>,
  { contents, holdings, journal, clock }: ObjectParts,
): Promise<void> {
  const { oid, size } = object;
  const own = contents.of(pathOf(repository));
  const received = await own.put(oid, size, source, user?.id);
  try {
    // Checks the quota again: other uploads, or an administrator, may have been faster.
    const outcome = await whenFree(() =>
      holdings.addWithinQuota(repository.id, object, clock.now()),
    );
    if (outcome === 'over_quota') throw new WaypointError('quota');
    if (outcome === 'no_repository') throw new WaypointError('not_found');
  } catch (error) {
    await received.abandon((content) => holdings.isHeld(content));
    throw error;
  }
  await received.settle();
  await journal.sync();
}
