import { setImmediate as turn } from 'node:timers/promises';
import type { ObjectsRoot } from '../root.ts';

/** Rows in one transaction: a few ms, so that a server beside it need not wait. */
const pageRows = 500;

/**
 * Lets a repository go of objects; their bytes stay until the garbage collection.
 * @param isKept tells which objects stay.
 * @returns what was let go, or would be.
 */
export async function letGo(
  { holdings }: ObjectsRoot,
  repositoryId: number,
  { isKept, isDryRun }: { isKept: (oid: string) => boolean; isDryRun: boolean },
): Promise<{ objects: number; bytes: number }> {
  const sum = { objects: 0, bytes: 0 };
  for (let after = ''; ;) {
    const page = await holdings.page(repositoryId, after, pageRows);
    const going = page.filter(({ oid }) => !isKept(oid));
    if (!isDryRun && going.length > 0)
      await holdings.removeAll(
        repositoryId,
        going.map(({ oid }) => oid),
      );
    sum.objects += going.length;
    sum.bytes += going.reduce((bytes, { size }) => bytes + size, 0);
    after = page.at(-1)?.oid ?? after;
    if (page.length < pageRows) return sum;
    await turn();
  }
}

/** Removes a repository with all it holds. @returns false for an unknown one. */
export async function removeRepository(root: ObjectsRoot, repositoryId: number): Promise<boolean> {
  await letGo(root, repositoryId, { isKept: () => false, isDryRun: false });
  return root.directory.removeRepository(repositoryId);
}
