import type { ExecutionContext } from 'ava';
import { LibraryWriter } from '../../storage/library/writer.ts';
import { openImportLookup } from '../../storage/waypoints/import-lookup.ts';
import type { Run } from '../../worker/import/import-groups.ts';
import { KnownImports } from '../../worker/import/known-imports.ts';
import { ManagedCopies } from '../../worker/import/managed-copies.ts';
import { SourceStamps } from '../../worker/import/source-stamps.ts';
import { Tally } from '../../worker/import/tally.ts';
import type { ImportSite } from './imports.ts';

/** Runs in the parts of an import, so that a test can come between them. */
export function partsOf(
  t: ExecutionContext<unknown>,
  site: Pick<ImportSite, 'libraryPath' | 'waypointsPath' | 'imports' | 'progress'>,
  now = Date.now(),
): Run {
  const library = new LibraryWriter(site.libraryPath);
  const lookup = openImportLookup(site.waypointsPath);
  t.teardown(() => lookup.close());
  t.teardown(() => library.close());
  return {
    library,
    files: new ManagedCopies(site.imports, now),
    stamps: new SourceStamps(library, now),
    progress: site.progress,
    imports: new KnownImports({
      lookup,
      lastId: library.lastId(),
      root: undefined,
      again: false,
      isWatched: false,
    }),
    taken: new Set(),
    planned: undefined,
    tally: new Tally(),
    beginClock: () => () => 0,
    salvages: false,
  };
}

/** Lets a number of commits pass, fails as many as asked with a full disk, and lets the others pass. */
export function failCommits(
  library: LibraryWriter,
  { after, times }: { after: number; times: number },
) {
  const transaction = library.transaction.bind(library);
  let depth = 0;
  let commits = 0;
  library.transaction = (changes) =>
    transaction(() => {
      depth += 1;
      try {
        const result = changes();
        if (depth === 1) commits += 1;
        const isFull = depth === 1 && commits > after && commits <= after + times;
        if (isFull) throw Object.assign(new Error('full'), { code: 'SQLITE_FULL' });
        return result;
      } finally {
        depth -= 1;
      }
    });
}
