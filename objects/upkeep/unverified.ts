import type { ContentStore } from '../../storage/content-store/content-store.ts';
import type { Announcement } from '../../storage/objects/announcements.ts';
import type { Holdings } from '../../storage/objects/holdings.ts';
import { verifyLifeMs } from '../config.ts';
import { whenFree } from '../when-free.ts';

/** A content that arrived and was not verified this long after its announcement is removed: an hour after its link has ended. */
const unverifiedMs = 4_200_000;
/** Announcements that are looked at in one go. */
const atOnce = 1_000;

interface Places {
  readonly contents: ContentStore;
  readonly holdings: Holdings;
}

/**
 * Looks whether announced uploads have arrived in the bucket, each when its link has ended, an hour later and after a day: removes
 * what was sent and never verified, and gives the quota the room of what was not sent. @param now ms since 1970
 */
export async function removeUnverified({ contents, holdings }: Places, now: number): Promise<void> {
  for (const upload of await holdings.dueAnnouncements(now, atOnce)) {
    const { direct } = contents.of(upload.repository);
    const { oid, repositoryId, announcedMs } = upload;
    const isThere = (await direct?.arrived(oid, repositoryId)) !== undefined;
    const ageMs = now - announcedMs;
    if (ageMs < unverifiedMs) {
      await whenFree(() => holdings.lookAgain(upload, announcedMs + unverifiedMs, isThere));
    } else if (await remove(upload, isThere, { contents, holdings }, now)) {
      // An upload may take hours, and its bytes are seen when the last one has arrived.
      const lookMs = announcedMs + verifyLifeMs;
      await whenFree(() =>
        now >= lookMs ? holdings.forget(upload) : holdings.lookAgain(upload, lookMs, false),
      );
    }
  }
}

/**
 * Removes a content, if it is there; where it is not, a server may have been killed as it had removed it.
 * @returns whether it is gone. One whose removal fails stays locked, and is tried again later.
 */
async function remove(
  { repository, repositoryId, oid }: Announcement & { readonly repository: string },
  isThere: boolean,
  { contents, holdings }: Places,
  now: number,
): Promise<boolean> {
  if (!(await whenFree(() => holdings.beginRemoval(repositoryId, oid, now)))) return false;
  if (isThere) await contents.of(repository).direct?.remove(oid);
  await whenFree(() => holdings.endRemoval(repositoryId, oid, now));
  return true;
}
