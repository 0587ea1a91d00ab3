/** Mutants that every run includes: removed syncs, and the store that overlooks that the library lacks its files. */
import type { Mutant } from './places.ts';

const always: readonly [file: string, text: string, replacement: string][] = [
  ['storage/database.ts', 'synchronous = ${durability}', 'synchronous = NORMAL'],
  ['storage/objects/open.ts', "'synchronous = FULL'", "'synchronous = NORMAL'"],
  ['storage/atomic-file.ts', "sync(path, 'r+');", ';'],
  ['storage/atomic-file.ts', "sync(path, 'r');", ';'],
  ['worker/import/new-copy.ts', 'fsyncSync(this.#fd);', ';'],
  ['worker/mirror/present-file.ts', 'fsyncSync(file.fd);', ';'],
  ['storage/objects/open.ts', '!areCommitsSynced', 'true'],
  ['storage/store.ts', '!isLibraryWhole || this.twins.exists(from)', 'this.twins.exists(from)'],
  ['storage/store.ts', '!isLibraryWhole || this.twins.exists(key)', 'this.twins.exists(key)'],
];

/** @throws Error for a text that the sources no longer have. */
export function mutantsAlways(read: (file: string) => string): Mutant[] {
  return always.map(([file, text, replacement]) => {
    const start = read(file).indexOf(text);
    if (start === -1) throw new Error(`${file} has no ${text}`);
    const end = start + text.length;
    return { file, start, end, replacement, kind: 'always', isStatement: text.endsWith(';') };
  });
}
