import { closeSync, openSync, readSync } from 'node:fs';
import { Buffer } from 'node:buffer';
import { GpxDocument } from './gpx-document.ts';
import type { RecordingSink, RecordingSummary } from '../../model/recording.ts';
import { readBlocks, type ReadOptions } from '../read-blocks.ts';

export { ReadingCancelled, FileRefused } from '../refused.ts';

export interface ReadGpxOptions extends ReadOptions {
  /** For tests: `plain` has the whole document go the way that knows all of XML. */
  readonly path?: 'auto' | 'plain';
}

/** Bytes read from a file at once. */
const blockBytes = 262_144;

/**
 * Reads a GPX document from a file or from pieces of bytes (which may be reused once the next one is asked for). Synchronous,
 * for a worker thread. Memory is bounded whatever the size: at most one unfinished token and one unfinished point of
 * 1 Mi characters each are held.
 * @throws FileRefused the content is not importable; what the sink got until then must be undone.
 * @throws ReadingCancelled
 * @throws errors of the file system, of the iterable and of the sink, as they are.
 */
export function readGpx(
  source: string | Iterable<Uint8Array>,
  sink: RecordingSink,
  options: ReadGpxOptions = {},
): RecordingSummary {
  const document = new GpxDocument(sink, options.path ?? 'auto');
  return readBlocks(typeof source === 'string' ? fileBlocks(source) : source, document, options);
}

function* fileBlocks(path: string): Generator<Uint8Array> {
  const file = openSync(path, 'r');
  try {
    const block = Buffer.allocUnsafe(blockBytes);
    for (;;) {
      const length = readSync(file, block, 0, blockBytes, null);
      if (length === 0) return;
      yield block.subarray(0, length);
    }
  } finally {
    closeSync(file);
  }
}
