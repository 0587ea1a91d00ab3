import type { ImportOrigin, ImportOutcome } from './import-directory.ts';
import type { DirectoryResult } from './tally.ts';

/** An outcome on its way to the main thread, which a hundred thousand names would stop for a fifth of a second. */
export interface SharedOutcome extends ImportOutcome {
  /** The whole result as JSON, in shared memory. Then the lists of `result` itself are cut; its numbers stay true. */
  readonly json: SharedArrayBuffer;
}

/** Entries of a list of a result that the main thread holds: a status is asked for again and again. */
const heldEntries = 1_000;

/** @param origin of a watched folder, whose batches are small, all of it is told: it follows its files by what is listed. */
export function shareOutcome(
  outcome: ImportOutcome,
  origin: ImportOrigin = 'person',
): SharedOutcome {
  const text = Buffer.from(JSON.stringify(outcome.result));
  const json = new SharedArrayBuffer(text.length);
  text.copy(new Uint8Array(json));
  if (origin === 'watch') return { ...outcome, json };
  return { ...outcome, result: shortened(outcome.result), left: undefined, json };
}

function shortened(result: DirectoryResult): DirectoryResult {
  const fields = Object.entries(result).map(([name, value]: [string, unknown]) => [
    name,
    Array.isArray(value) ? value.slice(0, heldEntries) : value,
  ]);
  // Sound: lists have become shorter lists.
  return Object.fromEntries(fields) as DirectoryResult;
}
