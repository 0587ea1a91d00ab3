import { createHash } from 'node:crypto';
import type { FileCounts } from '../../storage/library/writer.ts';
import type { Format } from '../../formats/format.ts';
import { deafSink } from '../../model/recording.ts';
import { sourceBlocks, type HeldSource, type SourceFile } from './source-file.ts';

/** What a preview of an import would have taken in by now. */
export type PlannedContents = Set<string>;

export interface PlannedReading {
  readonly source: SourceFile;
  readonly held: HeldSource | undefined;
  readonly format: Format;
}

/**
 * Reads a source as an import would, and writes nothing.
 * @throws FileRefused, ReadingCancelled
 */
export function planFile(
  { source, held, format }: PlannedReading,
  { onBytes, isCancelled }: { onBytes: (bytes: number) => void; isCancelled: () => boolean },
): { sha256: string; counts: FileCounts } {
  const hash = createHash('sha256');
  function* blocks(): Generator<Uint8Array> {
    for (const block of held === undefined ? sourceBlocks(source, isCancelled) : [held.bytes]) {
      hash.update(block);
      yield block;
    }
  }
  const summary = format.read(blocks(), deafSink, { onBytes, isCancelled });
  return { sha256: hash.digest('hex'), counts: { ...summary, format: format.name } };
}
