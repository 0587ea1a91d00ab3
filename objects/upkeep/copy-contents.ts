import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { closing } from '../../model/closing.ts';
import { errorCode } from '../../model/error-code.ts';
import { WaypointError } from '../../model/failure.ts';
import { temporaryBeside } from '../../storage/atomic-file.ts';
import type { ContentName, ContentStore } from '../../storage/content-store/content-store.ts';
import type { Database } from '../../storage/database.ts';
import { objectRows } from '../../storage/objects/dialect.ts';
import { objectHoldings, type Holding } from '../../storage/objects/holdings.ts';
import { openObjectsDatabase } from '../../storage/objects/open.ts';
import type { ObjectsRoot } from '../root.ts';

/** Contents on their way at once: most of the time of a small one is waiting. */
const lanes = 4;

export type CopyOutcome = Awaited<ReturnType<typeof copyContents>>;

/**
 * Copies every content that a snapshot of the rows names to where it is not yet, each compared with its hash on the way: what
 * an earlier copy has brought is good.
 * @param onProgress called after each content with the bytes copied so far.
 * @returns contents copied now, those present from an earlier copy, and objects whose bytes are lost or damaged in the store.
 */
export async function copyContents(
  root: ObjectsRoot,
  snapshot: string,
  copies: ContentStore,
  onProgress: (bytes: number) => void,
) {
  const contents = await root.contents();
  const outcome = { copied: 0, copiedBytes: 0, present: 0, missing: [] as string[] };
  // By the snapshot, not by today's rows: an object that is removed meanwhile keeps its bytes for the grace period.
  using db = closing(openSnapshot(snapshot));
  const named = objectHoldings(objectRows(db)).everything();
  const copyOn = async (): Promise<void> => {
    for await (const content of named) {
      const { oid, size, repository } = content;
      if ((await copies.of(repository).has(oid)) === size) {
        outcome.present += 1;
      } else if (await copyContent(contents, copies, content)) {
        outcome.copied += 1;
        outcome.copiedBytes += size;
        onProgress(outcome.copiedBytes);
      } else {
        outcome.missing.push(oid);
      }
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: lanes }, copyOn));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  return outcome;
}

/** Names a new copy of the rows in a directory; what runs that were killed have left there goes a day later. */
export async function newSnapshot(directory: string): Promise<string> {
  for (const name of await readdir(directory)) {
    const path = join(directory, name);
    if (!snapshotName.test(name) || Date.now() - (await stat(path)).mtimeMs < abandonedMs) continue;
    await rm(path);
  }
  return temporaryBeside(join(directory, 'objects.sqlite'));
}

const snapshotName = /^\.objects\.sqlite\..+\.tmp/u;
const abandonedMs = 86_400_000;

/** Opens a copy of the rows that no server uses. */
export function openSnapshot(path: string): Database {
  return openObjectsDatabase({ path, waitMs: 0, areCommitsSynced: true, hasContents: false });
}

/** Checked on the way, so that a damaged content never gets into a backup. @returns false where it is lost or damaged. */
async function copyContent(
  contents: ContentStore,
  copies: ContentStore,
  { oid, size, repository }: Holding & Required<ContentName>,
): Promise<boolean> {
  const found = await contents.of(repository).get(oid);
  if (found === undefined) return false;
  using content = closing(found);
  try {
    const received = await copies.of(repository).put(oid, size, content.pieces());
    await received.settle();
    return true;
  } catch (error) {
    const isDamaged = error instanceof WaypointError && error.failure === 'content_mismatch';
    const isUnreadable = errorCode(error) === 'EIO';
    if (isDamaged || isUnreadable) return false;
    throw error;
  }
}
