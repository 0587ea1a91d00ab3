import { closeSync } from 'node:fs';
import type { FailureReason } from '../../model/import.ts';
import { listContainer } from '../../formats/containers/container.ts';
import { headBytes } from '../../formats/format.ts';
import { FileRefused } from '../../formats/refused.ts';
import { openSource, readHead, readingAt } from './source-file.ts';
import type { SourceEntry } from './source-list.ts';

interface Entries {
  readonly entries: SourceEntry[];
  /** By the path of the container and their own name, or as a whole. */
  readonly refused: readonly { readonly name: string; readonly reason: FailureReason }[];
}

/**
 * Lists the files in a container, as entries of the folder that it is.
 * @param root as {@link openSource}.
 * @throws ReadingCancelled
 */
export function listEntries(root: string, file: string, isCancelled: () => boolean): Entries {
  try {
    const source = openSource(root, file);
    try {
      const readAt = readingAt(source, isCancelled);
      const name = file.slice(file.lastIndexOf('/') + 1);
      const listing = listContainer(readHead(source, headBytes), readAt, source.size, name);
      return {
        entries: listing.entries.map((entry) => ({
          file: `${file}/${entry.name}`,
          size: entry.size,
          packed: { container: file, entry },
        })),
        refused: listing.refused.map((one) => ({ ...one, name: `${file}/${one.name}` })),
      };
    } finally {
      closeSync(source.fd);
    }
  } catch (error) {
    if (!(error instanceof FileRefused)) throw error;
    return { entries: [], refused: [{ name: file, reason: error.reason }] };
  }
}
