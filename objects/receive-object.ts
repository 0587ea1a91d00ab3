import { WaypointError } from '../model/failure.ts';
import type { ObjectBody } from '../model/objects.ts';
import type { Permit } from './access.ts';
import { checkQuota, checkUpload } from './announce.ts';
import type { ObjectParts } from './parts.ts';
import { whenFree } from './traffic.ts';

/**
 * Takes an object into a repository: bytes checked and on the disk first, then the row that says so; only then does it
 * resolve. Nothing of a failed upload is left.
 * @throws WaypointError content_mismatch, object_too_large, quota, disk_full; what the source throws.
 */
export async function receiveObject(
  permit: Permit,
  object: ObjectBody,
  source: AsyncIterable<Uint8Array>,
  parts: ObjectParts,
): Promise<void> {
  const { contents, failed, traffic } = parts;
  const { repository, user } = permit;
  await checkUpload(permit, object, parts);
  try {
    const received = await contents.put(object.oid, object.size, counted(source));
    try {
      await whenFree(() => hold(permit, object, parts));
    } catch (error) {
      await received.abandon();
      throw error;
    }
    await received.settle();
    failed.forget(user, repository.id, object.oid);
  } catch (error) {
    const isWrong = error instanceof WaypointError && error.failure === 'content_mismatch';
    if (isWrong) failed.note(user, repository.id, object.oid);
    throw error;
  }

  async function* counted(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const piece of bytes) {
      traffic.add(repository.id, 'received', piece.length);
      yield piece;
    }
  }
}

/** Looks at the quota again: other uploads may have ended meanwhile. */
function hold({ repository }: Permit, object: ObjectBody, parts: ObjectParts): void {
  const { directory, holdings, clock } = parts;
  const now = directory.findRepository(`${repository.owner}/${repository.name}`);
  if (now?.id !== repository.id) throw new WaypointError('not_found');
  if (holdings.size(repository.id, object.oid) !== undefined) return;
  checkQuota(now, object.size);
  holdings.add(repository.id, object, clock.now());
}
