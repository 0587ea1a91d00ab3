import { createHash } from 'node:crypto';
import type { FileCounts, FileRows } from '../../storage/library/writer.ts';
import { headBytes } from '../../formats/format.ts';
import type { ReadOptions } from '../../formats/read-blocks.ts';
import { findFormat } from '../../formats/registry.ts';
import { FileRefused } from '../../formats/refused.ts';
import { firstBytes } from '../../storage/open-file.ts';
import { hashedBlocks, hashFile, ownFlags } from './own-file.ts';

export interface LoadOptions extends Required<ReadOptions> {
  /** What the bytes must hash to, in hex. */
  readonly sha256: string;
  /** The name whose ending tells of the format, where it is not that of the path. */
  readonly name?: string;
}

/**
 * Reads a managed copy into rows of the library, hashing it on the way.
 * @throws FileRefused `changed` if the copy is not what was hashed, else what the reader says.
 * @throws ReadingCancelled
 */
export function loadCopy(path: string, rows: FileRows, options: LoadOptions): FileCounts {
  const { sha256, isCancelled } = options;
  const format = findFormat(firstBytes(path, headBytes, ownFlags), options.name ?? path);
  if (format === undefined) throw new FileRefused('unsupported');
  const hash = createHash('sha256');
  let counts: FileCounts;
  try {
    const summary = format.read(hashedBlocks(path, hash), rows, options);
    counts = { ...summary, format: format.name };
  } catch (error) {
    // A file that was being written while it was copied reads like a broken one.
    const isBroken = error instanceof FileRefused;
    throw isBroken && hashFile(path, isCancelled) !== sha256 ? new FileRefused('changed') : error;
  }
  // Of a damaged file not all was read.
  const isWhole = counts.broken === undefined;
  const found = isWhole ? hash.digest('hex') : hashFile(path, isCancelled);
  if (found !== sha256) throw new FileRefused('changed');
  return counts;
}
