import type { EmptyReason, FailureReason, ImportResult } from '../../model/import.ts';
import type { FormatName } from '../../model/recorder-formats.ts';
import { formatTime } from '../../model/time.ts';
import type { FileCounts } from '../../storage/library/writer.ts';
import type { FileRefused } from '../../formats/refused.ts';
import type { Verdict } from './import-file.ts';
import type { SourceList } from './source-list.ts';

/** A result without the number of all waypoints, which only the main thread can count. */
export type DirectoryResult = Omit<ImportResult, 'dedup_count'>;

interface Failure {
  readonly file: string;
  readonly reason: FailureReason;
  readonly line?: number;
}

/** 1980-01-06, when GPS time begins. */
const firstGpsMs = 315_964_800_000;
const dayMs = 86_400_000;
/** Failures of one archive that a result lists. */
const listedFailures = 100;

/** Counts what becomes of the files of one import. */
export class Tally {
  waypoints = 0;
  /** Sums over the imported files. */
  readonly sums = {
    observations: 0,
    untimed_points: 0,
    unusable_points: 0,
    tracks: 0,
    track_points: 0,
    routes: 0,
    route_points: 0,
    own_bookmarks: 0,
  };
  /** Files whose content only those of other sources have, with its SHA-256; none of archives. */
  readonly copies = new Map<string, string>();
  /** Contents in whose place others have come, by their SHA-256. */
  readonly displaced = new Set<string>();
  readonly #isPlan: boolean;
  #added = 0;
  readonly #replaced: string[] = [];
  readonly #duplicates: string[] = [];
  readonly #unsupported: string[] = [];
  readonly #removed: string[] = [];
  readonly #renamed: ImportResult['renamed_files'] = [];
  readonly #salvaged: ImportResult['salvaged'] = [];
  readonly #plan: NonNullable<ImportResult['plan']> = [];
  readonly #failures: Failure[] = [];
  /** Of each archive. */
  readonly #packedFailures = new Map<string, number>();
  #omittedFailures = 0;
  readonly #formats: Partial<Record<FormatName, number>> = {};
  readonly #withoutData: { readonly file: string; readonly reason: EmptyReason }[] = [];
  readonly #oddTimes: NonNullable<ImportResult['odd_times']> = [];
  #firstMs = Infinity;
  #lastMs = -Infinity;

  /** @param isPlan whether nothing is written, and the outcome of each file is told. */
  constructor(isPlan = false) {
    this.#isPlan = isPlan;
  }

  get isChanged(): boolean {
    return !this.#isPlan && this.#added + this.#replaced.length > 0;
  }

  take(file: string, verdict: Exclude<Verdict, { kind: 'container' }>): void {
    if (this.#isPlan) this.#plan.push({ file, outcome: verdict.kind });
    if (verdict.kind === 'duplicate') this.#duplicates.push(file);
    else if (verdict.kind === 'unsupported') this.#unsupported.push(file);
    else if (verdict.kind === 'removed') this.#removed.push(file);
    else {
      if (verdict.storedAs !== undefined) this.#renamed.push({ file, stored_as: verdict.storedAs });
      if (verdict.kind === 'replaced') this.#replaced.push(file);
      else this.#added += 1;
      this.#count(verdict.counts);
      this.#noteEmpty(file, verdict.counts);
      this.#noteOddTimes(file, verdict.counts);
      this.#noteDamage(file, verdict.counts);
    }
  }

  /** @param archive where the file is in one: of each, the first {@link listedFailures} are listed. */
  refuse(
    file: string,
    { reason, line }: Pick<FileRefused, 'reason' | 'line'>,
    archive?: string,
  ): void {
    if (archive !== undefined) {
      const before = this.#packedFailures.get(archive) ?? 0;
      this.#packedFailures.set(archive, before + 1);
      if (before >= listedFailures) {
        this.#omittedFailures += 1;
        return;
      }
    }
    if (this.#isPlan) this.#plan.push({ file, outcome: 'failed' });
    this.#failures.push({ file, reason, ...(line === undefined ? {} : { line }) });
  }

  /**
   * @param dir as the request has it.
   * @param list what was found; undefined when that took too long for the user.
   */
  result(dir: string, list: SourceList | undefined, isCancelled: boolean): DirectoryResult {
    const unsupported = [...(list?.unsupported ?? []), ...this.#unsupported].toSorted();
    const notRead = (list?.unsupported ?? []).map(
      (file) => ({ file, outcome: 'unsupported' }) as const,
    );
    const duplicates = this.#duplicates.toSorted();
    const failures = this.#failures.toSorted((a, b) => (a.file < b.file ? -1 : 1));
    const failed = failures.map(({ file }) => file);
    const skipped = [...duplicates, ...unsupported, ...failed];
    const files = this.#added + this.#replaced.length;
    return {
      imported: files > 0,
      dir,
      count: this.waypoints,
      files,
      added: this.#added,
      replaced: this.#replaced.length,
      skipped_files: skipped,
      skipped: skipped.length,
      duplicate_files: duplicates,
      duplicates: duplicates.length,
      unsupported_files: unsupported,
      unsupported: unsupported.length,
      failed_files: failed,
      failed: failed.length,
      failures_omitted: this.#omittedFailures,
      ...this.sums,
      files_without_data: this.#withoutData.map(({ file }) => file),
      without_data: this.#withoutData,
      ...this.#times(),
      ...(this.#oddTimes.length > 0 ? { odd_times: this.#oddTimes } : {}),
      replaced_files: this.#replaced,
      removed_files: this.#removed,
      renamed_files: this.#renamed,
      salvaged: this.#salvaged,
      hidden: list?.hidden ?? 0,
      gpx_in_subfolders: list?.gpxInSubfolders ?? 0,
      failures,
      formats: { ...this.#formats },
      ...(isCancelled ? { cancelled: true } : {}),
      ...(this.#isPlan ? { planned: true, plan: [...this.#plan, ...notRead] } : {}),
    };
  }

  #count(counts: FileCounts): void {
    this.#formats[counts.format] = (this.#formats[counts.format] ?? 0) + 1;
    this.waypoints += counts.waypoints;
    this.sums.observations += counts.observations;
    this.sums.untimed_points += counts.missingTimes + counts.invalidTimes;
    this.sums.unusable_points += counts.unusablePoints;
    this.sums.tracks += counts.tracks;
    this.sums.track_points += counts.trackPoints;
    this.sums.routes += counts.routes;
    this.sums.route_points += counts.routePoints;
    this.sums.own_bookmarks += counts.ownBookmarks;
    this.#firstMs = Math.min(this.#firstMs, counts.firstMs ?? Infinity);
    this.#lastMs = Math.max(this.#lastMs, counts.lastMs ?? -Infinity);
  }

  /** What was imported must not seem to be there when nothing of it is. */
  #noteEmpty(file: string, counts: FileCounts): void {
    if (counts.waypoints + counts.trackPoints + counts.routePoints > 0) return;
    const reason = counts.unusablePoints > 0 ? 'unusable_points' : 'no_points';
    this.#withoutData.push({ file, reason });
  }

  /** A device whose clock was wrong puts a day into another century. */
  #noteOddTimes(file: string, { firstMs, lastMs }: FileCounts): void {
    if (firstMs === undefined || lastMs === undefined) return;
    if (firstMs >= firstGpsMs && lastMs <= Date.now() + dayMs) return;
    const [first_time, last_time] = [formatTime(firstMs), formatTime(lastMs)];
    this.#oddTimes.push({ file, first_time, last_time });
  }

  #noteDamage(file: string, { broken }: FileCounts): void {
    if (broken === undefined) return;
    const { reason, at, line, record } = broken;
    const place = {
      ...(line === undefined ? {} : { line }),
      ...(record === undefined ? {} : { record }),
    };
    this.#salvaged.push({ file, reason, broken_at: at, ...place });
  }

  #times(): Pick<DirectoryResult, 'first_time' | 'last_time'> {
    if (this.#firstMs > this.#lastMs) return {};
    return { first_time: formatTime(this.#firstMs), last_time: formatTime(this.#lastMs) };
  }
}

/** The file of an import that its result names, or the archive of one that it names; undefined for the directory itself. */
export function namedIn(batch: ReadonlyMap<string, string>, name: string): string | undefined {
  for (let file = name; file !== ''; file = file.slice(0, Math.max(0, file.lastIndexOf('/'))))
    if (batch.has(file)) return file;
  return undefined;
}
