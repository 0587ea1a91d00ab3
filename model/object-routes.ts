import * as z from 'zod';
import { lockId } from './object-locks.ts';
import { oidSchema, repositoryPart } from './objects.ts';

const gitName = z
  .string()
  .regex(/\.git$/)
  .transform((name) => name.slice(0, -'.git'.length))
  .pipe(repositoryPart);

const plain = { owner: repositoryPart, name: repositoryPart };
const git = { owner: repositoryPart, name: gitName };

/**
 * The two forms of a repository's URL, with the schemas of what stands in them: `/OWNER/NAME`, and what git-lfs makes of a git
 * remote.
 */
export const repositoryBases = [
  { base: '/{owner}/{name}', ...within(plain) },
  { base: '/{owner}/{name}/info/lfs', ...within(git) },
] as const;

function within<T extends typeof plain | typeof git>(parts: T) {
  return {
    repository: z.object(parts),
    object: z.object({ ...parts, oid: oidSchema }),
    lock: z.object({ ...parts, id: lockId }),
  };
}

export type ObjectParams = z.output<(typeof repositoryBases)[number]['object']>;

/** The announced size of an upload, in its link. */
export const uploadQuery = z.object({
  size: z
    .string()
    .regex(/^\d{1,16}$/)
    .transform(Number)
    .pipe(z.int())
    .optional(),
});
