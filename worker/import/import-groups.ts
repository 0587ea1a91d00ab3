import { listContainer } from '../../formats/containers/container.ts';
import { headBytes } from '../../formats/format.ts';
import { FileRefused, ReadingCancelled } from '../../formats/refused.ts';
import type { FailureReason } from '../../model/import.ts';
import type { LibraryWriter } from '../../storage/library/writer.ts';
import { isHeld, type ImportPlaces } from './find-place.ts';
import { importFile, type FileImport, type Verdict } from './import-file.ts';
import { smallBytes, openSource, readHead, readingAt } from './source-file.ts';
import type { SourceEntry } from './source-list.ts';
import type { Tally } from './tally.ts';
import { TimeBudget, type BeginClock } from './time-budget.ts';

/** The places of an import, and what is counted of it. */
export interface Run extends ImportPlaces {
  readonly tally: Tally;
  readonly beginClock: BeginClock;
  /** Whether what is whole before the damage of a damaged file comes in. */
  readonly salvages: boolean;
}

/** Files of one commit, which costs as much as the rows of a small file. */
const groupFiles = 64;
/** Time after which a group is committed; counters and readers see it that late. */
const groupMs = 200;

/**
 * Calls `next` for each of many files, for small ones many in a transaction.
 * @param nextSize bytes of the next file; undefined after the last.
 * @param onCommitted called after each transaction.
 */
export function inGroups(
  library: LibraryWriter,
  nextSize: () => number | undefined,
  next: () => void,
  onCommitted: () => void,
): void {
  const isSmall = (): boolean => (nextSize() ?? Infinity) <= smallBytes;
  while (nextSize() !== undefined) {
    if (!isSmall()) next();
    else {
      const until = performance.now() + groupMs;
      library.transaction(() => {
        for (let i = 0; i < groupFiles && isSmall() && performance.now() < until; i += 1) next();
      });
    }
    onCommitted();
  }
}

/**
 * Imports files in their order. Each is whole or not at all, and none is counted before it is committed. A duplicate of other
 * paths waits for the end: where they got another content meanwhile (a log that is renamed when a new one is begun), it is
 * imported after all.
 * @param jobOf what to import for an entry.
 * @returns entries that were left because the import was ended.
 * @throws ReadingCancelled, errors of our own disk or of SQLite; what was finished before stays.
 */
export function importInGroups(
  entries: readonly SourceEntry[],
  run: Run,
  jobOf: (entry: SourceEntry) => FileImport,
): readonly SourceEntry[] {
  return new GroupedImport(entries, run, jobOf).run();
}

/** An entry that was looked at, before it is counted. */
interface Settled {
  readonly entry: SourceEntry;
  readonly verdict: Exclude<Verdict, { kind: 'container' }> | FileRefused;
}

class GroupedImport {
  readonly #run: Run;
  readonly #jobOf: (entry: SourceEntry) => FileImport;
  #entries: readonly SourceEntry[];
  #at = 0;
  /** Of the running transaction. */
  #settled: Settled[] = [];
  /** Sources whose content other paths have, by their SHA-256. */
  #copies: { readonly entry: SourceEntry; readonly sha256: string }[] = [];
  #files = 0;
  #bytes = 0;
  /** The error that ended the import, thrown once what came before is committed. */
  #failure: unknown;
  #isCancelled = false;
  /** Whether an import that is to end soon has got on by a file. A cut archive is begun anew, at files that it remembers. */
  #mayEnd = false;

  constructor(
    entries: readonly SourceEntry[],
    run: Run,
    jobOf: (entry: SourceEntry) => FileImport,
  ) {
    this.#entries = entries;
    this.#run = run;
    this.#jobOf = jobOf;
  }

  run(): readonly SourceEntry[] {
    const { library, tally } = this.#run;
    try {
      while (this.#nextSize() !== undefined) {
        inGroups(
          library,
          () => this.#nextSize(),
          () => this.#next(),
          () => this.#count(),
        );
        if (this.#isOver) break;
        this.#takeLostCopies();
      }
      return this.#entries.slice(this.#at);
    } catch (error) {
      for (const { verdict } of this.#settled.toReversed())
        if ('placed' in verdict) verdict.placed?.undo();
      // SQLite itself may have ended the transaction, which then cannot be committed.
      throw this.#failure ?? error;
    } finally {
      for (const { entry, sha256 } of this.#copies) {
        tally.take(entry.file, { kind: 'duplicate' });
        if (entry.packed === undefined) tally.copies.set(entry.file, sha256);
      }
    }
  }

  get #isOver(): boolean {
    return this.#isCancelled || (this.#mayEnd && this.#run.progress.isEnding);
  }

  /** The size of the next file; undefined where there is no other, or the import is over. */
  #nextSize(): number | undefined {
    const isOver = this.#isOver || this.#failure !== undefined;
    return isOver ? undefined : this.#entries[this.#at]?.size;
  }

  #next(): void {
    const entry = this.#entries[this.#at]!;
    const { progress, beginClock, salvages } = this.#run;
    const budget = entry.packed?.budget ?? new TimeBudget(entry.size, beginClock);
    using _ = budget.spend();
    const isCancelled = (): boolean => {
      if (!progress.isCancelled) budget.check();
      return progress.isCancelled;
    };
    try {
      if (isCancelled()) throw new ReadingCancelled();
      const control = { onBytes: this.#onBytes(entry), isCancelled, salvages };
      const verdict = importFile(this.#jobOf(entry), this.#run, control);
      if (verdict.kind === 'container') this.#open(entry, budget, isCancelled);
      else this.#settle(entry, verdict);
    } catch (error) {
      if (error instanceof ReadingCancelled) this.#isCancelled = true;
      else if (error instanceof FileRefused) this.#settle(entry, error);
      else this.#failure = error;
    }
  }

  #onBytes({ size }: SourceEntry): (bytes: number) => void {
    const from = this.#bytes;
    let parsed = 0;
    return (bytes) => {
      parsed += bytes;
      this.#run.progress.set('bytesDone', from + Math.min(parsed, size));
    };
  }

  #settle(entry: SourceEntry, verdict: Settled['verdict']): void {
    const isRemembered = 'isRemembered' in verdict && verdict.isRemembered;
    if (entry.packed === undefined || !isRemembered) this.#mayEnd = true;
    this.#settled.push({ entry, verdict });
    this.#bytes += entry.size;
    this.#run.progress.set('bytesDone', this.#bytes);
    this.#at += 1;
  }

  /** Puts the files of a container in its place; what is refused of them is counted. */
  #open(entry: SourceEntry, budget: TimeBudget, isCancelled: () => boolean): void {
    const { progress, tally } = this.#run;
    const { file, size } = entry;
    const { root } = this.#jobOf(entry);
    const { entries, refused } = listEntries(root, file, budget, isCancelled);
    for (const { name, reason } of refused) tally.refuse(name, { reason, line: undefined }, file);
    if (entries.length + refused.length === 0) tally.take(file, { kind: 'unsupported' });
    this.#entries = [...entries, ...this.#entries.slice(this.#at + 1)];
    this.#at = 0;
    progress.set('filesTotal', progress.get('filesTotal') + entries.length - 1);
    progress.set('bytesTotal', progress.get('bytesTotal') + bytesOf(entries) - size);
  }

  /** Counts what was committed. */
  #count(): void {
    const { tally, progress, files } = this.#run;
    for (const { entry, verdict } of this.#settled.splice(0)) {
      this.#files += 1;
      if (!('kind' in verdict)) tally.refuse(entry.file, verdict, entry.packed?.container);
      else if (verdict.kind === 'duplicate' && verdict.elsewhere !== undefined)
        this.#copies.push({ entry, sha256: verdict.elsewhere });
      else tally.take(entry.file, verdict);
      const { old, hasGrown } = ('placed' in verdict && verdict.placed) || {};
      if (old === undefined) continue;
      tally.displaced.add(old);
      // The file has all that it had before.
      if (hasGrown === true) files.dropKept(old);
    }
    progress.set('filesDone', this.#files);
    progress.set('waypoints', tally.waypoints);
    progress.set('observations', tally.sums.observations);
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Goes on with sources whose content no path has any more. */
  #takeLostCopies(): void {
    const lost = this.#copies.filter(({ sha256 }) => !isHeld(sha256, this.#run));
    this.#copies = this.#copies.filter((copy) => !lost.includes(copy));
    this.#entries = lost.map(({ entry }) => entry);
    this.#at = 0;
    this.#files -= lost.length;
    this.#bytes -= bytesOf(this.#entries);
  }
}

function bytesOf(entries: readonly SourceEntry[]): number {
  return entries.reduce((bytes, { size }) => bytes + size, 0);
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
function listEntries(
  root: string,
  file: string,
  budget: TimeBudget,
  isCancelled: () => boolean,
): Entries {
  try {
    using source = openSource(root, file);
    const readAt = readingAt(source, isCancelled);
    const name = file.slice(file.lastIndexOf('/') + 1);
    const listing = listContainer(readHead(source, headBytes), readAt, source.size, name);
    return {
      entries: listing.entries.map((entry) => ({
        file: `${file}/${entry.name}`,
        size: entry.size,
        packed: { container: file, entry, budget },
      })),
      refused: listing.refused.map((one) => ({ ...one, name: `${file}/${one.name}` })),
    };
  } catch (error) {
    if (!(error instanceof FileRefused)) throw error;
    return { entries: [], refused: [{ name: file, reason: error.reason }] };
  }
}
