import { constants } from 'node:fs';
import { copyFile, mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { syncDirectoryAsync, temporaryBeside } from '../../storage/atomic-file.ts';
import { DiskContentStore } from '../../storage/content-store/disk-store.ts';
import type { ObjectsRoot } from '../root.ts';

const pageRows = 1_000;

export interface BackupOutcome {
  /** Contents copied now, and those that were there from an earlier backup. */
  readonly copied: number;
  readonly copiedBytes: number;
  readonly present: number;
  /** Objects of the snapshot whose bytes are lost. */
  readonly missing: readonly string[];
}

/**
 * Copies an object store to another directory, which is then one itself: first a snapshot of the database, then every
 * content it names that is not there yet. Contents never change, so what a former backup has copied is good. Runs beside a
 * server.
 * @param onProgress called after each content with the bytes copied so far.
 */
export async function backUp(
  root: ObjectsRoot,
  destination: string,
  onProgress: (bytes: number) => void,
): Promise<BackupOutcome> {
  await mkdir(destination, { recursive: true, mode: 0o700 });
  const copies = new DiskContentStore(destination, 'command');
  await copies.prepare();
  const snapshot = temporaryBeside(join(destination, 'objects.sqlite'));
  const outcome = { copied: 0, copiedBytes: 0, present: 0, missing: [] as string[] };
  try {
    await root.db.backup(snapshot);
    await syncFile(snapshot);
    for await (const { oid, size } of held(root)) {
      if ((await copies.has(oid)) === size) {
        outcome.present += 1;
      } else if ((await root.contents.has(oid)) === size) {
        await copyContent(root, copies, oid, size);
        outcome.copied += 1;
        outcome.copiedBytes += size;
        onProgress(outcome.copiedBytes);
      } else {
        outcome.missing.push(oid);
      }
    }
    await copyKey(root.path, destination);
    // The database last: a backup that was cut off is still the one before.
    await rename(snapshot, join(destination, 'objects.sqlite'));
    await syncDirectoryAsync(destination);
    return outcome;
  } finally {
    await rm(snapshot, { force: true });
  }
}

/** Every content that any repository holds. What is let go meanwhile keeps its bytes for the grace period. */
async function* held({ holdings }: ObjectsRoot): AsyncGenerator<{ oid: string; size: number }> {
  for (let after = ''; ;) {
    const page = holdings.allContents(after, pageRows);
    yield* page;
    if (page.length < pageRows) return;
    after = page.at(-1)?.oid ?? after;
  }
}

async function copyContent(
  { contents }: ObjectsRoot,
  copies: DiskContentStore,
  oid: string,
  size: number,
): Promise<void> {
  const content = await contents.get(oid);
  if (content === undefined) return;
  try {
    // Checked on the way, so that a damaged content never gets into a backup.
    const received = await copies.put(oid, size, size === 0 ? nothing() : content.stream(0, size));
    await received.settle();
  } finally {
    await content.close();
  }
}

async function* nothing(): AsyncGenerator<Uint8Array> {
  // An empty content has no pieces.
}

async function copyKey(from: string, to: string): Promise<void> {
  const temporary = temporaryBeside(join(to, 'secret'));
  await copyFile(join(from, 'secret'), temporary, constants.COPYFILE_EXCL);
  await syncFile(temporary);
  await rename(temporary, join(to, 'secret'));
}

async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
