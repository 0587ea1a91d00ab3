import { createReadStream } from 'node:fs';
import { opendir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../../model/error-code.ts';
import { WaypointError } from '../../model/failure.ts';
import { hashFile } from '../../storage/hash-file.ts';
import { pathOf, type RepositoryRow } from '../../storage/objects/directory.ts';
import type { ObjectsRoot } from '../root.ts';

/**
 * Takes every regular file below a directory into a repository, whatever its name: the objects of another git-lfs server, or any
 * files. Links are not followed.
 * @param onProgress called after each file with the bytes added so far.
 * @returns the files added, those whose content was held already, and those that could not be read, or changed while they were.
 */
export async function takeIn(
  root: ObjectsRoot,
  repository: RepositoryRow,
  directory: string,
  onProgress: (bytes: number) => void,
) {
  const { holdings } = root;
  const path = pathOf(repository);
  const contents = (await root.contents()).of(path);
  const outcome = { added: 0, addedBytes: 0, present: 0, failed: [] as string[] };
  for await (const file of filesBelow(directory)) {
    try {
      const [{ size }, oid] = [await stat(file), await hashFile(file)];
      const held = await holdings.size(repository.id, oid);
      if (held === size && (await contents.has(oid)) === size) {
        outcome.present += 1;
      } else {
        const received = await contents.put(oid, size, createReadStream(file));
        try {
          await holdings.add(repository.id, { oid, size }, Date.now());
        } catch (error) {
          await received.abandon((content) => holdings.isHeld(content));
          throw error;
        }
        await received.settle();
        outcome.added += 1;
        outcome.addedBytes += size;
      }
    } catch (error) {
      if (!isFaultOfFile(error)) throw error;
      outcome.failed.push(file);
    }
    onProgress(outcome.addedBytes);
  }
  return outcome;
}

async function* filesBelow(directory: string): AsyncGenerator<string> {
  for await (const entry of await opendir(directory)) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) yield* filesBelow(path);
    else if (entry.isFile()) yield path;
  }
}

/** All else, such as a full disk, ends the whole run. */
function isFaultOfFile(error: unknown): boolean {
  if (error instanceof WaypointError) return error.failure === 'content_mismatch';
  const code = errorCode(error);
  return code === 'EACCES' || code === 'ENOENT' || code === 'EPERM' || code === 'EIO';
}
