import { limits } from '../../model/limits.ts';
import type { Clock } from '../../model/process.ts';
import { formatTime } from '../../model/time.ts';
import type { LibraryFiles } from '../../storage/library/library-files.ts';
import type { ImportFolder, ImportList, ListedImport } from '../../storage/waypoints/imports.ts';
import type { StoreMeta } from '../../storage/waypoints/meta.ts';
import { retentionTime } from '../../storage/waypoints/retention-time.ts';

export interface ListSyncStore {
  readonly imports: ImportList;
  readonly libraryFiles: LibraryFiles;
  readonly meta: Pick<StoreMeta, 'get' | 'set'>;
}

/** Takes files that the library got into the list of imports. */
export class ListSync {
  readonly #store: ListSyncStore;
  readonly #clock: Clock;

  constructor(store: ListSyncStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Begins an import, before the library changes; its files are listed while they come. */
  begin(folder?: ImportFolder) {
    const { imports, libraryFiles } = this.#store;
    const by: ListedImport = { folder };
    let last = libraryFiles.lastId();
    const list = (): void => {
      const files = libraryFiles.filesAfter(last);
      imports.add(files, this.now(), by);
      last = files.at(-1)?.id ?? last;
    };
    return {
      list,
      /** Lists all that the library has, earlier imports that came again or have grown as well. @returns the number of the change, if there is one. */
      end: (): number | undefined => {
        imports.add(libraryFiles.unlisted(), this.now(), by);
        return by.change;
      },
    };
  }

  /** Lists files that were found in `imports/`. @param isWhole whether the library has all of them: then others are missing. */
  settle(isWhole: boolean): void {
    const { imports, libraryFiles } = this.#store;
    imports.purge(formatTime(this.retentionTime() - limits.replacedRetentionMs));
    imports.add(libraryFiles.unlisted(), this.now());
    if (isWhole) imports.noteMissing(libraryFiles.missing(), this.now());
  }

  /** Whether the library is as a change has set it. */
  isFollowed(change: number): boolean {
    const { imports, libraryFiles } = this.#store;
    return imports
      .statesOf(change)
      .every(({ id, after }) => (libraryFiles.find(id) !== undefined) === (after === 'active'));
  }

  retentionTime(): number {
    return retentionTime(this.#store.meta, this.#clock.now());
  }

  /** Where the clock has gone back, the time by which things grow old: else they would be old at once when it is right. */
  now(): string {
    return formatTime(Math.max(this.#clock.now(), this.retentionTime()));
  }
}
