import { closeSync } from 'node:fs';
import { listContainer } from '../../formats/containers/container.ts';
import { headBytes } from '../../formats/format.ts';
import type { FailureReason } from '../../model/import.ts';
import type { LibraryWriter } from '../../storage/library/writer.ts';
import { FileRefused, ReadingCancelled } from '../../formats/refused.ts';
import {
  importFile,
  type FileImport,
  type ImportPlaces,
  type PlannedContents,
} from './import-file.ts';
import type { KnownImports } from './known-imports.ts';
import type { ManagedCopies } from './managed-copies.ts';
import type { ImportProgress } from './progress.ts';
import { heldBytes, openSource, readHead, readingAt } from './source-file.ts';
import type { SourceEntry } from './source-list.ts';
import type { SourceStamps } from './source-stamps.ts';
import type { Tally } from './tally.ts';
import type { BeginClock } from './time-budget.ts';

/** What an import works with. */
export interface Run {
  readonly library: LibraryWriter;
  readonly files: ManagedCopies;
  readonly stamps: SourceStamps;
  readonly progress: ImportProgress;
  readonly imports: KnownImports;
  /** As that of ImportPlaces. */
  readonly planned: PlannedContents | undefined;
  readonly tally: Tally;
  readonly beginClock: BeginClock;
  /** As that of ImportPlaces. */
  readonly onGrown: ImportPlaces['onGrown'];
}

/** A commit costs as much as the rows of a small file, so many share one: so many at most… */
export const groupFiles = 64;
/** …and no more than are done in this time, which is how late the counters and the readers get to see them. */
export const groupMs = 200;

/** A source whose content is known under other paths only. */
interface Copy {
  readonly entry: SourceEntry;
  readonly sha256: string;
}

/** What all groups of an import share. */
interface Shared {
  /** Keys of the paths of copies that files have taken; gets those of a group once it is committed. */
  readonly taken: Set<string>;
  /** Gets those of a group once it is committed; they are not counted yet. */
  readonly copies: Copy[];
  readonly jobOf: (entry: SourceEntry) => FileImport;
}

/**
 * Imports files in their order. Each is whole or not at all, and none is counted before it is committed. Where a file
 * replaces a content that was found again under another name before (a log that is renamed when a new one is begun), the
 * other one is imported after all.
 * @param jobOf what to import for an entry.
 * @returns what was not done, because somebody has ended the import.
 * @throws ReadingCancelled, errors of our own disk or of SQLite; what was finished before stays.
 */
export function importInGroups(
  entries: readonly SourceEntry[],
  run: Run,
  jobOf: (entry: SourceEntry) => FileImport,
): readonly SourceEntry[] {
  const shared: Shared = { taken: new Set(), copies: [], jobOf };
  const { library, tally } = run;
  try {
    const done = { files: 0, bytes: 0 };
    const reached = importEach(entries, run, shared, done);
    const lost: SourceEntry[] = [];
    for (const copy of shared.copies.splice(0)) {
      if (library.findByContent(copy.sha256).length === 0) lost.push(copy.entry);
      else shared.copies.push(copy);
    }
    done.files -= lost.length;
    done.bytes -= bytesOf(lost);
    const again = reached < entries.length ? 0 : importEach(lost, run, shared, done);
    return [...entries.slice(reached), ...lost.slice(again)];
  } finally {
    for (const { entry } of shared.copies) tally.take(entry.file, { kind: 'duplicate' });
  }
}

function bytesOf(entries: readonly SourceEntry[]): number {
  return entries.reduce((bytes, { size }) => bytes + size, 0);
}

/** How much is done; containers count as what is in them. */
interface Done {
  files: number;
  bytes: number;
}

/** @returns how many are done: at least one more than before, and all unless somebody has ended the import. */
function importEach(entries: readonly SourceEntry[], run: Run, shared: Shared, done: Done): number {
  let at = 0;
  let aloneUntil = 0;
  while (at < entries.length) {
    const most = at < aloneUntil ? 1 : groupFiles;
    const group = new ImportGroup(run, { ...shared, bytesBefore: done.bytes });
    try {
      group.import(entries.slice(at, at + most));
    } catch (error) {
      if (most === 1) throw error;
      // All of the group was undone. One by one, what can be finished is, and what cannot be says why.
      aloneUntil = at + most;
      continue;
    }
    at += group.length;
    done.files += group.length;
    done.bytes += group.bytes;
    run.progress.set('filesDone', done.files);
    if (group.isCancelled || (group.mayEnd && run.progress.isEnding)) return at;
    if (group.container === undefined) continue;
    const inside = openContainer(group.container, run, shared);
    if (importEach(inside, run, shared, done) < inside.length) return at;
    at += 1;
  }
  return at;
}

/** The files in a container; what is refused is counted. */
function openContainer(
  entry: SourceEntry,
  { progress, tally }: Run,
  shared: Shared,
): SourceEntry[] {
  const { file, size } = entry;
  const { root } = shared.jobOf(entry);
  const { entries, refused } = listEntries(root, file, () => progress.isCancelled);
  for (const { name, reason } of refused) tally.refuse(name, { reason, line: undefined });
  if (entries.length + refused.length === 0) tally.take(file, { kind: 'unsupported' });
  progress.set('filesTotal', progress.get('filesTotal') + entries.length - 1);
  progress.set('bytesTotal', progress.get('bytesTotal') + bytesOf(entries) - size);
  return entries;
}

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
function listEntries(root: string, file: string, isCancelled: () => boolean): Entries {
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

/** Undoes a group that has nothing but a file that failed. */
const firstFailed = new Error('The first file of a group failed.');

interface GroupStart extends Shared {
  /** Bytes of the files before this group. */
  readonly bytesBefore: number;
}

/**
 * Files whose rows are committed together. Only the first may replace a file, and is then the only one: how it is undone
 * must not depend on others.
 */
class ImportGroup {
  /** Files that are settled. */
  length = 0;
  /** What they had when they were listed. */
  bytes = 0;
  isCancelled = false;
  /** Whether an import that is to end soon has got on by now: an archive that is cut short is begun anew the next time. */
  mayEnd = false;
  /** What comes next is no file, but holds some. */
  container: SourceEntry | undefined;
  readonly #run: Run;
  readonly #start: GroupStart;
  readonly #taken = new Set<string>();
  readonly #undo: (() => void)[] = [];
  /** What is done once the group is committed. */
  readonly #counts: (() => void)[] = [];

  constructor(run: Run, start: GroupStart) {
    this.#run = run;
    this.#start = start;
  }

  /**
   * Imports files until the group is full or somebody cancels.
   * @throws errors of our own disk or of SQLite; then all of them are undone.
   */
  import(entries: readonly SourceEntry[]): void {
    const { library, progress, tally } = this.#run;
    const until = performance.now() + groupMs;
    try {
      library.transaction(() => {
        for (const entry of entries) {
          const isFull = entry.size > heldBytes || performance.now() > until;
          if ((this.length > 0 && isFull) || (this.mayEnd && progress.isEnding)) return;
          if (!this.#take(entry)) return;
        }
      });
    } catch (error) {
      for (const undo of this.#undo.toReversed()) undo();
      if (error !== firstFailed) throw error;
    }
    for (const key of this.#taken) this.#start.taken.add(key);
    for (const count of this.#counts) count();
    progress.set('waypoints', tally.waypoints);
    progress.set('observations', tally.observations);
  }

  /** @returns false where the group is to end. */
  #take(entry: SourceEntry): boolean {
    const { tally, progress } = this.#run;
    const isFirst = this.length === 0;
    try {
      if (progress.isCancelled) throw new ReadingCancelled();
      const verdict = importFile(this.#start.jobOf(entry), this.#places(entry));
      if (verdict === undefined) return false;
      if (verdict.kind === 'container') {
        this.container = entry;
        return false;
      }
      if (verdict.kind !== 'duplicate') this.mayEnd = true;
      this.#settle(entry, () => {
        const sha256 = verdict.kind === 'duplicate' ? verdict.elsewhere : undefined;
        if (sha256 === undefined) tally.take(entry.file, verdict);
        else this.#start.copies.push({ entry, sha256 });
      });
      return verdict.kind !== 'replaced';
    } catch (error) {
      if (error instanceof ReadingCancelled) this.isCancelled = true;
      else if (error instanceof FileRefused)
        this.#settle(entry, () => tally.refuse(entry.file, error));
      else throw error;
      // Its rows are undone with the transaction.
      if (isFirst) throw firstFailed;
      return !this.isCancelled;
    }
  }

  #settle({ size, packed }: SourceEntry, count: () => void): void {
    this.length += 1;
    if (packed === undefined) this.mayEnd = true;
    this.bytes += size;
    this.#counts.push(count);
    this.#run.progress.set('bytesDone', this.#start.bytesBefore + this.bytes);
  }

  #places({ size }: SourceEntry): ImportPlaces {
    const { progress } = this.#run;
    const { taken, bytesBefore } = this.#start;
    const from = bytesBefore + this.bytes;
    let parsed = 0;
    return {
      ...this.#run,
      isFirst: this.length === 0,
      taken: {
        has: (key) => this.#taken.has(key) || taken.has(key),
        add: (key) => this.#taken.add(key),
      },
      onBytes: (bytes) => {
        parsed += bytes;
        progress.set('bytesDone', from + Math.min(parsed, size));
      },
      onPlaced: (undo, settle) => {
        this.#undo.push(undo);
        this.#counts.push(settle);
      },
    };
  }
}
