import type { DirectoryResult } from '../../worker/import/tally.ts';

/** What became of the files of a batch. */
export interface BatchOutcome {
  readonly result: Pick<DirectoryResult, 'added' | 'replaced' | 'replaced_files' | 'failures'>;
  /** What the import did not come to. */
  readonly left?: readonly string[] | undefined;
}

/** The file that a result names, or that one holds which it names; undefined for the directory itself. */
export function namedIn(batch: ReadonlyMap<string, string>, name: string): string | undefined {
  for (let file = name; file !== ''; file = file.slice(0, Math.max(0, file.lastIndexOf('/'))))
    if (batch.has(file)) return file;
  return undefined;
}
